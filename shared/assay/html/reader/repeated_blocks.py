"""Texts that a page has twice, such as copies for narrow screens: they are kept once."""

from collections import Counter
from itertools import takewhile
from operator import attrgetter

from assay.html.reader.adjacent_blocks import is_inside
from assay.html.reader.text_blocks import ITEMS, Frame, TextBlock

REPEATED_TAGS = ITEMS | {"blockquote"}
MIN_REPEATED_WORDS = 15  # words of a text that is kept once; shorter ones also repeat in what readers need
MIN_RUN = 3  # consecutive blocks that are kept once whatever their length


def drop_repetitions(blocks: list[TextBlock], chosen: set[int]) -> None:
    """Leave out the blocks that repeat what is chosen elsewhere, and the headings of these.

    A refrain stands beside its first place; quotations, items, cells and code repeat for reasons of their own.
    """
    kept = [blocks[place] for place in sorted(chosen)]
    times = Counter(map(attrgetter("text"), kept))
    if len(times) == len(kept):
        return
    repeated = [block.text if times[block.text] > 1 and _is_prose(block) else None for block in kept]
    dropped = _find_paragraphs(kept, repeated) | _find_runs(kept, repeated)
    dropped |= _find_headings(kept, dropped)
    chosen -= dropped


def _find_paragraphs(blocks: list[TextBlock], repeated: list[str | None]) -> set[int]:
    """Return the places of longer texts that are elsewhere, not directly beside; `repeated` has None for others."""
    parents: dict[str, Frame | None] = {}  # by text: the parent of its first block
    return {
        block.index
        for block, text in zip(blocks, repeated, strict=True)
        if text is not None
        and block.words >= MIN_REPEATED_WORDS
        and parents.setdefault(text, block.frame.parent) is not block.frame.parent
    }


def _find_runs(blocks: list[TextBlock], repeated: list[str | None]) -> set[int]:
    """Return the places of blocks in a row that follow each other earlier on the page, in another element, as well."""
    first: dict[str, int] = {}
    found: set[int] = set()
    end = 0  # of the run before
    for at, text in enumerate(repeated):
        if text is None or at < end:
            continue
        start = first.setdefault(text, at)
        is_elsewhere = blocks[start].frame.parent is not blocks[at].frame.parent
        length = _measure_run(repeated, start, at) if is_elsewhere else 0
        if length >= MIN_RUN:
            found.update(block.index for block in blocks[at : at + length])
            end = at + length
    return found


def _measure_run(texts: list[str | None], start: int, again: int) -> int:
    """Return how many texts from `again` on are those from `start` on, up to `again`."""
    places = range(min(again - start, len(texts) - again))
    same = (texts[start + place] is not None and texts[start + place] == texts[again + place] for place in places)
    return sum(takewhile(bool, same))


def _find_headings(texts: list[TextBlock], dropped: set[int]) -> set[int]:
    """Return the places of headings that are there before, directly or above a text that is dropped."""
    known: set[str] = set()
    found: set[int] = set()
    for place, block in enumerate(texts):
        if not block.frame.heading:
            continue
        follows_itself = place > 0 and texts[place - 1].frame.heading and texts[place - 1].text == block.text
        heads_dropped = place + 1 < len(texts) and texts[place + 1].index in dropped
        if block.text in known and (follows_itself or heads_dropped):
            found.add(block.index)
        known.add(block.text)
    return found


def _is_prose(block: TextBlock) -> bool:
    """Return whether the block is text outside of code, tables, lists and quotations."""
    return block.kind == "text" and block.frame.table is None and not is_inside(block.frame, REPEATED_TAGS)
