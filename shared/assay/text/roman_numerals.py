"""Roman numerals: their numbers, and the numerals of numbers."""

VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
NUMERALS = ((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
            (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))  # fmt: skip


def read_roman(text: str) -> int:
    """Return the number of a numeral in capital or small letters. Raises KeyError for other letters."""
    values = [VALUES[letter] for letter in text.upper()]
    return sum(-one if one < following else one for one, following in zip(values, [*values[1:], 0], strict=True))


def format_roman(number: int) -> str:
    """Return the numeral of a number from 1 to 3,999, in capital letters."""
    text = ""
    for value, letters in NUMERALS:
        text += letters * (number // value)
        number %= value
    return text
