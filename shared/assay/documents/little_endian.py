"""Numbers in binary files whose first byte is the lowest."""


def read_number(data: bytes, place: int, size: int) -> int:
    """The unsigned number at a place; bytes that are missing count as zeros."""
    return int.from_bytes(data[place : place + size], "little")


def read_signed(data: bytes, place: int, size: int) -> int:
    """The signed number at a place."""
    return int.from_bytes(data[place : place + size], "little", signed=True)
