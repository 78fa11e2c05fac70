"""Text from right to left: puts the characters of a line, as they are beside each other, into the order of reading.

This inverts the Unicode bidirectional algorithm (UAX #9) for lines without embedded directions.
"""

import re

LETTERS = "\u0590-\u065f\u066a-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
RIGHT = re.compile(f"[{LETTERS}]")  # a letter of a script from right to left
ARABIC = re.compile("[\u0600-\u065f\u066a-\u06ef\u06fa-\u08ff\ufb50-\ufdff\ufe70-\ufefc]")
LETTER = re.compile(r"[^\W\d_]")
LEFT = re.compile(f"(?![{LETTERS}])[^\\W\\d_]")
MINORITY, MAJORITY = 0.3, 0.5  # share of such letters in a line from right to left: of a page of such lines, of others
BETWEEN = re.compile(f"[^{LETTERS}]+")  # text between such letters
WITH_RIGHT = re.compile(f"[{LETTERS}](?:[\\W\\d_]*[{LETTERS}])*")  # text without other letters
REACH = 20  # characters of a number beside a word from left to right
NUMBER_BEFORE = re.compile(r"(?:(?<![\d.,:/])[$€£]?[0-9][0-9.,:/%-]*[ -]?)?\Z")
NUMBER_BEHIND = re.compile(r"(?:[ .:/-]?[0-9]+(?:[.,:/-][0-9]+)*)?[%+#°]*")
NUMBER = re.compile(r"([$€£₪]?\d+(?:[.,:/٫٬]\d+)*[%$€£₪°]?)")
HEBREW_NUMBER = re.compile(r"([$€£₪]?\d+(?:[.,:/+-]\d+)*[%$€£₪°]?)")
END = re.compile(r"[.,:;!?]+\w[^.!?]*\Z")  # the end of a sentence, or of the number of an item, before words
MARKS = str.maketrans("\x03\x04", "\x04\x03")  # around raised numbers
BRACKET = re.compile(r"[()\[\]{}«»‹›]")
OTHER_SIDE = dict(zip("()[]{}«»‹›", ")(][}{»«›‹", strict=True))
OPENING, CLOSING = "([{«‹", ")]}»›"
BEHIND = f".,;:!?،؛؟{CLOSING}"


def is_from_right(text: str, least: float = MAJORITY) -> bool:
    """Whether at least this share of the letters of a text, and one of them, are from right to left."""
    right = len(RIGHT.findall(text))
    return right > 0 and right >= least * len(LETTER.findall(text))


def restore_order(text: str, *, is_mirrored: bool) -> str:
    """Return the text of a line in the order of reading; it is given from right to left if `is_mirrored` is true."""
    from_right, from_left = (text, _turn(text)) if is_mirrored else (_turn(text), text)
    ends = RIGHT.match(from_right) and RIGHT.match(from_left)
    if is_from_right(text, MINORITY if is_mirrored or ends else MAJORITY) or (is_mirrored and END.match(from_left)):
        number = NUMBER if ARABIC.search(text) else HEBREW_NUMBER
        return BRACKET.sub(_choose_side, BETWEEN.sub(lambda found: _turn_left(_turn(found[0]), number), from_right))
    return WITH_RIGHT.sub(_turn_right, from_left)


def _turn(text: str) -> str:
    return text[::-1].translate(MARKS)


def _turn_left(text: str, number: re.Pattern[str]) -> str:
    """The order of reading of text in a line from right to left; it is given from left to right."""
    places = [found.start() for found in LEFT.finditer(text)]
    if not places:
        return _turn_numbers(text, number)
    first, last = places[0], places[-1] + 1
    before = NUMBER_BEFORE.search(text[max(0, first - REACH) : first])
    behind = NUMBER_BEHIND.match(text, last)
    first -= len(before[0]) if before else 0
    last = behind.end() if behind else last
    return _turn_numbers(text[last:], number) + text[first:last] + _turn_numbers(text[:first], number)


def _turn_numbers(text: str, number: re.Pattern[str]) -> str:
    """Turn a text, but not its numbers."""
    parts = number.split(text)
    return "".join(part if place % 2 else _turn(part) for place, part in reversed(list(enumerate(parts))))


def _turn_right(found: re.Match[str]) -> str:
    """Turn text from right to left in a line from left to right."""
    text = found[0]
    return BRACKET.sub(_choose_side, _turn_numbers(text, NUMBER if ARABIC.search(text) else HEBREW_NUMBER))


def _choose_side(found: re.Match[str]) -> str:
    """Turn a bracket that closes where one opens, or the other way round: fonts have either in such lines."""
    line, place = found.string, found.start()
    before, behind = line[place - 1 : place] if place else " ", line[place + 1 : place + 2] or " "
    opens = (before.isspace() or before in OPENING) and not behind.isspace()
    closes = not before.isspace() and (behind.isspace() or behind in BEHIND)
    is_wrong = found[0] in CLOSING if opens and not closes else found[0] in OPENING and closes and not opens
    return OTHER_SIDE[found[0]] if is_wrong else found[0]
