"""Emphasis as markdown: the markers around texts with styles, where CommonMark (6.2) recognises them."""

import unicodedata
from functools import reduce
from operator import or_

STRONG, EM, DEL = 1, 2, 4  # styles, as bits
MARKERS = {STRONG: "**", EM: "*", DEL: "~~"}
MOVABLE_SIGNS = ".,:;!?…\"'”’»%：，。！？；、）」』】》"

MAX_RUNS = 100  # before a marker that are examined

type Run = tuple[str, int]  # markdown of a text, a link or an image, without emphasis, and its styles


def split_text(text: str, styles: int) -> list[Run]:
    """Return the runs of a text: its words, the signs at its end, which a marker may leave out, and its spaces."""
    bare = text.strip()
    words = bare.rstrip(MOVABLE_SIGNS)
    if len(words) == len(text):
        return [(text, styles)] if text else []
    lead, tail = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :] if bare else ""
    parts = (lead, words.rstrip(), words[len(words.rstrip()) :], bare[len(words) :], tail)
    return [(part, styles) for part in parts if part]


def mark_emphasis(runs: list[Run]) -> str:
    """Return one line of markdown with the markers of the styles."""
    texts = [text for text, _ in runs]
    styles = [style for _, style in runs]
    if not any(styles):
        return "".join(texts)
    _limit_spaces(texts, styles)
    _free_signs(texts, styles)
    present = {*styles}
    used = reduce(or_, present)
    for style in MARKERS:
        if used & style:
            _drop_unrecognised(texts, styles, style)
    if len(present) > 2 or any(each & DEL and each != DEL for each in present):  # else markers do not meet
        _drop_overlaps(texts, styles)
    return _write(texts, styles)


def _limit_spaces(texts: list[str], styles: list[int]) -> None:
    """Give each space the styles that the words on both of its sides have."""
    spaces = [place for place, text in enumerate(texts) if text.isspace()]
    for place in spaces:
        styles[place] = styles[place - 1] if place else 0
    for place in reversed(spaces):
        styles[place] &= styles[place + 1] if place + 1 < len(styles) else 0


def _free_signs(texts: list[str], styles: list[int]) -> None:
    """Take the styles from signs at the end of an emphasis that a word follows: a marker between them would be text."""
    for place in range(len(texts) - 2, -1, -1):
        if not styles[place] & ~styles[place + 1]:
            continue
        is_sign = not texts[place].strip(MOVABLE_SIGNS) or texts[place].isspace()
        if is_sign and (_is_word(texts[place + 1][0]) or not texts[place + 1].strip(MOVABLE_SIGNS)):
            styles[place] &= styles[place + 1]


def _drop_unrecognised(texts: list[str], styles: list[int], style: int) -> None:
    """Take the style from texts where its marker would stand between a sign and a word, on the side of the sign."""
    start = 0
    while start < len(texts):
        if not styles[start] & style:
            start += 1
            continue
        end = start
        while end < len(texts) and styles[end] & style:
            end += 1
        opens = start == 0 or _is_recognised(texts[start][0], texts[start - 1][-1])
        closes = end == len(texts) or _is_recognised(texts[end - 1][-1], texts[end][0])
        if not (opens and closes) or (start and _may_close(texts, styles, start, style)):
            _drop(styles, range(start, end), style)
        start = end


def _is_recognised(inside: str, outside: str) -> bool:
    """Return whether a marker between the two characters is one."""
    return _is_word(inside) or not _is_word(outside)


def _may_close(texts: list[str], styles: list[int], start: int, style: int) -> bool:
    """Return whether a marker could close another one, which was opened together with one of its kind.

    Between two signs, or two words, a marker opens and closes.
    """
    around, inside, outside = styles[start - 1], texts[start][0], texts[start - 1][-1]
    if not around or outside.isspace() or _is_word(inside) != _is_word(outside):
        return False
    first = start
    while first and first > start - MAX_RUNS and styles[first - 1] & around:
        first -= 1
    return bool(styles[first] & style)


def _is_word(sign: str) -> bool:
    """Return whether the character is neither space nor punctuation."""
    return sign.isalnum() or not (sign.isspace() or unicodedata.category(sign)[0] in "PS")


def _drop_overlaps(texts: list[str], styles: list[int]) -> None:
    """Take styles that begin where others end, or that begin or end together, where the markers would be ambiguous."""
    for place in range(1, len(texts)):
        ended, begun = styles[place - 1] & ~styles[place], styles[place] & ~styles[place - 1]
        before, after = _is_word(texts[place - 1][-1]), _is_word(texts[place][0])
        if ended and begun:
            is_clear = before and after and ended.bit_count() == begun.bit_count() == 1
            if not is_clear or styles[place - 1] & styles[place]:
                _drop(styles, range(place, len(styles)), begun)
        elif begun & DEL and before:
            _drop(styles, range(place, len(styles)), begun & ~DEL)
        elif ended & DEL and after:
            _drop(styles, range(place - 1, -1, -1), ended & ~DEL)


def _drop(styles: list[int], places: range, dropped: int) -> None:
    """Take the styles from the places in a row that have them."""
    for place in places:
        dropped &= styles[place]
        if not dropped:
            break
        styles[place] &= ~dropped


def _write(texts: list[str], styles: list[int]) -> str:
    out: list[str] = []
    opened: list[int] = []
    before = 0
    for place, text in enumerate(texts):
        if styles[place] != before:
            if len(opened) > 1:
                _part_overlaps(texts, styles, place, opened)
            ended, before = before & ~styles[place], styles[place]
            while ended:
                out.append(MARKERS[opened[-1]])
                ended &= ~opened.pop()
            out += _begin(styles, place, opened) if before else ()
        out.append(text)
    return "".join(out + [MARKERS[style] for style in reversed(opened)])


def _begin(styles: list[int], place: int, opened: list[int]) -> list[str]:
    """Open the styles that begin at the place; return their markers."""
    begun = [style for style in MARKERS if styles[place] & style and style not in opened]
    if len(begun) > 1:
        begun.sort(key=lambda style: -_measure(styles, place, style))
    opened += begun
    return [MARKERS[style] for style in begun]


def _part_overlaps(texts: list[str], styles: list[int], place: int, opened: list[int]) -> None:
    """End the styles that were opened within a style that ends here; after a space they can begin again."""
    first = next((at for at, style in enumerate(opened) if not style & styles[place]), len(opened))
    inner = sum(style for style in opened[first:] if style & styles[place])
    if inner:
        words = next((at for at in range(place, len(texts)) if not texts[at].isspace()), len(texts))
        _drop(styles, range(place, words if words > place else len(texts)), inner)


def _measure(styles: list[int], place: int, style: int) -> int:
    """Return how many runs from `place` on have the style."""
    return next((at for at in range(place, len(styles)) if not styles[at] & style), len(styles)) - place
