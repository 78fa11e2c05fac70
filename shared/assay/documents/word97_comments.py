"""Comments in Word 97 files ([MS-DOC] 2.8.5 and 2.9.8): who wrote them, where they stand, and what they are about."""

from typing import NamedTuple

from assay.documents.little_endian import read_number
from assay.documents.word97_file import Story, Word97File, Word97Part, read_places

MARK, AUTHOR, BOOKMARK = 30, 20, 26  # bytes of a mark; where it names its author and its words
BEGIN = 4  # bytes that say where words that begin end
NO_BOOKMARK = 0xFFFFFFFF
STRINGS, TAG = 6, 2  # bytes before a table of strings; where data behind a string has its tag

type Places = tuple[int, int]


class Word97Comment(NamedTuple):
    """A comment at a character: the places of its text, and of the words that it is about."""

    place: int
    text: Places
    author: str
    words: Places


def list_comments(file: Word97File) -> list[Word97Comment]:
    """The comments in the order of the text."""
    places, marks = read_places(file.read_part(Word97Part.COMMENT_MARKS), MARK)
    starts, _ = read_places(file.read_part(Word97Part.COMMENT_TEXTS), 0)
    authors = _list_authors(file.read_part(Word97Part.COMMENT_AUTHORS))
    words = _find_words(file)
    first, end = file.find_story(Story.COMMENTS)
    comments = []
    for place, mark, start, stop in zip(places, marks, starts, starts[1:], strict=False):
        number, tag = read_number(mark, AUTHOR, 2), read_number(mark, BOOKMARK, 4)
        author = authors[number] if number < len(authors) else ""
        comments.append(Word97Comment(place, (first + start, min(first + stop, end)), author, words.get(tag, (0, 0))))
    return comments


def _list_authors(data: bytes) -> list[str]:
    authors, place = [], 0
    while place + 2 <= len(data):
        end = place + 2 + 2 * read_number(data, place, 2)
        authors.append(data[place + 2 : end].decode("utf-16-le", "replace"))
        place = end
    return authors


def _find_words(file: Word97File) -> dict[int, Places]:
    """The places of the words that comments are about, by the tags of their bookmarks."""
    starts, begun = read_places(file.read_part(Word97Part.COMMENT_BEGINS), BEGIN)
    ends, _ = read_places(file.read_part(Word97Part.COMMENT_ENDS), 0)
    data, place = file.read_part(Word97Part.COMMENT_BOOKMARKS), STRINGS
    extra = read_number(data, STRINGS - 2, 2)
    words: dict[int, Places] = {}
    for start, begin in zip(starts, begun, strict=False):
        place += 2 + 2 * read_number(data, place, 2)
        number, tag = read_number(begin, 0, 2), read_number(data, place + TAG, 4)
        if place < len(data) and tag != NO_BOOKMARK and number < len(ends):
            words[tag] = start, ends[number]
        place += extra
    return words
