"""Numeric features of what is around a block: running text before and after it, its siblings, and markers near it."""

from collections import Counter
from collections.abc import Sequence
from html import unescape
from itertools import pairwise
from math import log

from assay.html.reader import lexical_markers as markers
from assay.html.reader.lexical_markers import find_markers
from assay.html.reader.metadata_body import TAGS
from assay.html.reader.text_blocks import Frame, TextBlock
from assay.text.unspaced_words import count_words

BEGINNING = 60  # characters by which texts are compared
FAR = 99  # blocks; a distance from which a marker does not count
SECTION = 60  # blocks
REACH = 30  # blocks
HEADING_WORDS = 12  # words up to which a text can head what follows
MIN_BODY_WORDS = 100
MIN_BLOCK_WORDS = 4
UNKNOWN = (-1,)
SINCE = (markers.RELATED, markers.SIGN_UP, markers.LEGAL, markers.ABOUT)
UNTIL = (markers.SHARE, markers.ABOUT, markers.LEGAL)
UNDER = (markers.RELATED, markers.COMMENTS)


def count_beginnings(texts: Sequence[str]) -> list[int]:
    """Return for each text how many of the texts begin as it does."""
    beginnings = [text[:BEGINNING] for text in texts]
    return list(map(Counter(beginnings).__getitem__, beginnings))


def measure_markers(blocks: Sequence[TextBlock]) -> list[tuple[int, ...]]:
    """Return for each block how many blocks ago and how many blocks ahead the markers are, up to FAR.

    The last two numbers are the blocks since a heading of related pages or comments in whose section the block is.
    """
    headings = [find_markers(block.text) if 0 < block.words <= HEADING_WORDS else 0 for block in blocks]
    marked = [(index, found) for index, found in enumerate(headings) if found]
    last = len(blocks) - 1
    since = [_measure_since([index for index, found in marked if found & marker], len(blocks)) for marker in SINCE]
    until = [
        _measure_since([last - index for index, found in reversed(marked) if found & marker], len(blocks))[::-1]
        for marker in UNTIL
    ]
    under = [_measure_sections(blocks, headings, marker) for marker in UNDER]
    return list(zip(*since, *until, *under, strict=True))


def _measure_since(places: list[int], count: int) -> list[int]:
    """Return for each of `count` blocks how many blocks ago the last of `places` is."""
    distances = [FAR] * (places[0] if places else count)
    for place, following in pairwise([*places, count]):
        distances += range(min(FAR, following - place))
        distances += [FAR] * (following - place - FAR)
    return distances


def _measure_sections(blocks: Sequence[TextBlock], headings: Sequence[int], marker: int) -> list[int]:
    """Return the blocks since the marker, 0 outside of its section, which the next heading of its level ends."""
    rows = [0] * len(blocks)
    if not any(found & marker for found in headings):
        return rows
    level = start = -1
    for index, found in enumerate(headings):
        heading = blocks[index].frame.heading
        if found & marker:
            start, level = index, heading
        elif start >= 0 and heading and (not level or heading <= level):
            start = -1
        if start >= 0:
            rows[index] = min(SECTION, index - start + 1)
    return rows


def measure_surroundings(
    blocks: Sequence[TextBlock], beginnings: Sequence[int]
) -> tuple[list[tuple[float, ...]], int, int]:
    """Return for each block its distance to the end of the page's core, how often its beginning occurs, and the
    running words of its frame's parent with their share of the page's.

    The core is the parent that has most running text. The other results are the running words of the page and of it.
    """
    running, last = _sum_running_words(blocks)
    total = sum(running.values())
    most = max(running.values(), default=0)
    end = next((last[parent] for parent, words in running.items() if words == most), len(blocks))
    shares = {parent: (log(1 + words), words / total) for parent, words in running.items()}
    nothing = (0.0, 0.0)
    count = len(blocks)
    until_end = [REACH if far > REACH else max(far, -REACH) for far in range(end, end - count, -1)]
    own = [shares.get(block.frame.parent, nothing) for block in blocks]
    columns = zip(until_end, beginnings, own, strict=True)
    return [(far, times, words, share) for far, times, (words, share) in columns], total, most


def _sum_running_words(blocks: Sequence[TextBlock]) -> tuple[dict[Frame | None, int], dict[Frame | None, int]]:
    """Return by parent its words of running text and the index of the last such block."""
    words: dict[Frame | None, int] = {}
    last: dict[Frame | None, int] = {}
    for index, block in enumerate(blocks):
        if block.is_running_text:
            parent = block.frame.parent
            words[parent] = words.get(parent, 0) + block.words
            last[parent] = index
    return words, last


def find_declared(blocks: Sequence[TextBlock], body: str) -> list[tuple[int]]:
    """Return for each block whether it is in the article body that the page declares in its JSON-LD; -1 if unknown."""
    if count_words(body) < MIN_BODY_WORDS:
        return [UNKNOWN] * len(blocks)
    known = " ".join(unescape(TAGS.sub(" ", body)).split())
    return [(int(block.text[:BEGINNING] in known),) if block.words >= MIN_BLOCK_WORDS else UNKNOWN for block in blocks]
