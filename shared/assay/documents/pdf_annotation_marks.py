"""Finds the words of links and form fields of a PDF in the parts of its text, and writes them there.

A part has not the text of the page: lines are joined, hyphens, spaces and signs restored. So the words are found by
their letters and digits, and by those around them.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from assay.documents.office_emphasis import MARKUP, NO_MARKS
from assay.documents.office_fields import mark_link
from assay.documents.paragraph_markdown import format_paragraph
from assay.documents.pdf_annotations import PdfAnnotation, keep_letters
from assay.html.reader.markdown_escapes import unescape_markdown

LETTERS = re.compile(r"<br>|&#?\w{1,20};|([^\W_]+)")  # and what stands for other signs in markdown
CONTEXTS = (24, 24), (8, 8), (8, 0), (0, 8), (0, 0)  # letters before and after, the more certain first
CERTAIN = 8  # letters of a text that is found without those around it
MOST_PLACES = 100  # of the same letters that are looked at
FLOATS = 9  # parts before those of a page, of which one may go on there
NOT_LINKED = re.compile(rf"[{MARKUP}|\n]|<br>|\\\Z")  # more than words of one paragraph or cell
COLON = re.compile(r"[:.)*?]{1,3}(?=\s|\Z)")  # behind the last word of a label

type Found = tuple[int, int, PdfAnnotation]  # where its words begin and end in the text of a part


@dataclass
class AnnotatedText:
    """A text that begins on a page (its place, from 0)."""

    page: int
    text: str
    is_markdown: bool = False


class TextRange(NamedTuple):
    """Where the words of an annotation begin and end in the text of a part."""

    part: int
    start: int
    end: int


class AnnotationFinder:
    """Searches the texts of parts, which begin on these pages, for the words of annotations."""

    def __init__(self, texts: Sequence[str], pages: Sequence[int]) -> None:
        self._texts, self._pages = texts, pages
        self._firsts: list[int] = []  # where the letters of each part begin
        self._words: list[tuple[int, int, int]] = []  # where a word begins in all letters, its part, its place there
        pieces, count = list[str](), 0
        for part, text in enumerate(texts):
            self._firsts.append(count)
            for found in LETTERS.finditer(text):
                if word := found[1]:
                    self._words.append((count, part, found.start()))
                    pieces.append(word)
                    count += len(word)
        self._letters = "".join(pieces)
        self._taken: set[int] = set()  # where the letters of links begin

    def find(self, wanted: PdfAnnotation, page: int) -> TextRange | None:
        """Find the words of an annotation of this page, of a link those that no link before it has."""
        text, before, after = (keep_letters(each) for each in (wanted.text, wanted.before, wanted.after))
        if not text or not self._words:
            return None
        first = max(0, bisect_left(self._pages, page) - FLOATS)
        end = bisect_right(self._pages, page)
        bounds = self._firsts[first], self._firsts[end] if end < len(self._firsts) else len(self._letters)
        for left, right in CONTEXTS:
            lead = before[-left:] if left else ""
            key = lead + text + after[:right]
            if len(key) >= CERTAIN or (left and right):
                at = self._find_free(key, len(lead), bounds, self._taken if wanted.target else set())
                place = self._locate(at, at + len(text)) if at >= 0 else None
                if place is not None:
                    if wanted.target:
                        self._taken.add(at)
                    return self._add_signs(place, wanted.text)
        return None

    def _find_free(self, key: str, lead: int, bounds: tuple[int, int], taken: Set[int]) -> int:
        """Return where the text behind `lead` letters of a key begins, none of `taken`; -1 if it is not there."""
        at, end = bounds
        for _ in range(MOST_PLACES):
            at = self._letters.find(key, at, end)
            if at < 0 or at + lead not in taken:
                return at + lead if at >= 0 else -1
            at += 1
        return -1

    def _locate(self, start: int, end: int) -> TextRange | None:
        """Return the place of these letters; None if they are in several parts."""
        (first, part, place), (last, other_part, other) = self._get_word(start), self._get_word(end - 1)
        return TextRange(part, place + start - first, other + end - last) if part == other_part else None

    def _add_signs(self, place: TextRange, words: str) -> TextRange:
        """Return the place with the signs that the text has before and behind its letters."""
        (part, start, end), text = place, self._texts[place.part]
        letters = [at for at, sign in enumerate(words) if sign.isalnum()]
        before, behind = words[: letters[0]][::-1], words[letters[-1] + 1 :]
        start -= _count_common(before, text[max(0, start - len(before)) : start][::-1])
        end += _count_common(behind, text[end : end + len(behind)])
        return TextRange(part, start, end)

    def _get_word(self, at: int) -> tuple[int, int, int]:
        return self._words[bisect_right(self._words, at, key=lambda word: word[0]) - 1]


def write_annotations(
    texts: Sequence[AnnotatedText], annotations: Sequence[Sequence[PdfAnnotation]]
) -> list[list[PdfAnnotation]]:
    """Write the annotations of each page into the texts in which their words are; return those without a place.

    Links are marked where a text is not markdown yet.
    """
    if not any(annotations):
        return []
    finder = AnnotationFinder([text.text for text in texts], [text.page for text in texts])
    found: list[list[Found]] = [[] for _ in texts]
    missed: list[list[PdfAnnotation]] = [[] for _ in annotations]
    for page, listed in enumerate(annotations):
        for annotation in listed:
            place = finder.find(annotation, page)
            if place is None:
                missed[page].append(annotation)
            else:
                found[place.part].append((place.start, place.end, annotation))
    for text, ones in zip(texts, found, strict=True):
        if ones:
            text.text = _write(text.text, ones, is_markdown=text.is_markdown)
    return missed


def list_unlabelled(missed: Sequence[PdfAnnotation]) -> list[str]:
    """Return what form fields show that have no label; an option says nothing without one."""
    return [each.shown for each in missed if any(map(str.isalnum, each.shown))]


def _write(text: str, annotations: Sequence[Found], *, is_markdown: bool) -> str:
    pieces, done = list[str](), 0
    for start, end, annotation in sorted(annotations, key=_get_place):
        if not annotation.target:
            shown = annotation.shown.translate(NO_MARKS)
            shown = format_paragraph(shown).replace("|", "\\|") if is_markdown else shown
            colon = COLON.match(text, end)
            place = max(done, start if annotation.leads else colon.end() if colon else end)
            pieces += [text[done:place], f"{shown} " if annotation.leads else f" {shown}"]
            done = place
        elif start >= done:
            pieces += [text[done:start], _write_link(text, start, end, annotation.target, is_markdown=is_markdown)]
            done = end
    return "".join([*pieces, text[done:]])


def _count_common(one: str, other: str) -> int:
    """The number of characters with which both texts begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _get_place(found: Found) -> tuple[int, int]:
    """The place of a link, or that at which the text of a field is written."""
    start, end, annotation = found
    return (start, end) if annotation.target or annotation.leads else (end, end)


def _write_link(text: str, start: int, end: int, target: str, *, is_markdown: bool) -> str:
    words = text[start:end]
    if NOT_LINKED.search(words) or words.count("[") != words.count("]") or text[max(0, start - 1) : start] == "!":
        return words
    bare, address = "".join(words.split()), target.removeprefix("mailto:").rstrip("/")
    if unescape_markdown(bare).rstrip("/.,;") == address:
        return bare
    if address in unescape_markdown(words):
        return words
    words = bare if unescape_markdown(bare) in target else words  # a part of an address, maybe on several lines
    return f"[{words}]({target})" if is_markdown else mark_link(words, target)
