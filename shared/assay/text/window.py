"""A part of a long text, and where the next one begins."""

from collections.abc import Callable
from typing import NamedTuple

from assay.errors import InvalidInput
from assay.text.truncate import Cut, cut


class Window(NamedTuple):
    """The part that is shown. Where it is not all, `total` are the bytes of the whole and `onward` the next offset."""

    text: str
    truncated: bool
    total: int | None
    onward: int | None


def way_on(onward: int | None, total: int | None) -> str:
    """What tells a reader where to go on; "" at the end."""
    return f"[Up to byte {onward} of {total}. Go on with offset {onward}.]" if onward else ""


def window(text: str, offset: int, room: int, cut: Callable[[str, int], Cut] = cut) -> Window:
    """The part after the first `offset` bytes that `cut` leaves of it in `room` bytes. Raises InvalidInput."""
    body = text.encode("utf-8", "surrogatepass") if offset else b""
    if offset and offset >= len(body):
        raise InvalidInput(f"The text ends at byte {len(body)}; send a smaller offset.", field="offset")
    rest = body[offset:].decode("utf-8", "ignore") if offset else text
    shown = cut(rest, room)
    if not offset and not shown.truncated:
        return Window(shown.text, shown.truncated, None, None)
    total = len(body) or len(text.encode("utf-8", "surrogatepass"))
    onward = offset + shown.kept if shown.truncated and shown.kept else None
    return Window(shown.text, shown.truncated, total, onward)


def verbatim(text: str, room: int) -> Cut:
    """The first `room` bytes as they came: a raw body gets no word of ours."""
    body = text.encode()
    shown = body[:room].decode(errors="ignore")
    return Cut(shown, truncated=len(body) > room, kept=len(shown.encode()))
