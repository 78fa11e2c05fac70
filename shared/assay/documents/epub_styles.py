"""Style sheets of EPUB books: chapters link to them, and their rules hide text and emphasise it."""

import html
import posixpath
import re
from collections.abc import Iterator
from itertools import islice
from urllib.parse import unquote

from assay.documents.epub_emphasis import ClassEmphasis, mark_emphasis, read_emphasis
from assay.documents.safe_zip import OfficeArchive

LINK = re.compile(r"<link\b[^>]{0,2000}>", re.IGNORECASE)
ATTRIBUTE = re.compile(r"""\b(rel|href|media)\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
IMPORT = re.compile(r"""@import\s+(?:url\(\s*)?["']?([^"')\s;]{1,500})""", re.IGNORECASE)
OWN = re.compile(r"<style(?:\s[^<>]{0,500})?>", re.IGNORECASE)
SHEETS = 20  # that a chapter links to, and that one imports


class BookStyles:
    """Reads the style sheets of a book, each once."""

    def __init__(self, archive: OfficeArchive) -> None:
        self._archive = archive
        self._rules: dict[str, str] = {}  # by the name of the file, with those that it imports
        self._emphasis: dict[str, ClassEmphasis] = {}  # of the same

    def embed(self, chapter: str, name: str) -> str:
        """Return the HTML of a chapter, whose file has this name, with style sheets in place of the links to them, and
        with the emphasis that they give to the classes of its text.
        """
        pieces: list[str] = []
        emphasis: list[ClassEmphasis] = []
        done = 0
        for link in islice(LINK.finditer(chapter), SHEETS):
            found = {key.lower(): html.unescape(one or two) for key, one, two in ATTRIBUTE.findall(link[0])}
            if {"stylesheet", "alternate"} & set(found.get("rel", "").lower().split()) == {"stylesheet"}:
                sheet = _resolve(name, found.get("href", ""))
                rules = self._read_rules(sheet)
                media = html.escape(found.get("media", ""))
                if media.strip().lower() in ("", "all", "screen"):
                    emphasis.append(self._emphasis[sheet])
                pieces += [chapter[done : link.start()], f'<style media="{media}">{rules}</style>']
                done = link.end()
        emphasis += [read_emphasis(rules) for rules in islice(_list_own_rules(chapter), SHEETS)]
        return "".join([*pieces, mark_emphasis(chapter[done:], emphasis)])

    def _read_rules(self, name: str) -> str:
        if name not in self._rules:
            self._rules[name] = "".join(reversed(self._list_sheets(name)))
            self._emphasis[name] = read_emphasis(self._rules[name])
        return self._rules[name]

    def _list_sheets(self, name: str) -> list[str]:
        """A style sheet, followed by those that it imports, which come before it."""
        names, sheets = [name], []
        for place in range(SHEETS):
            if place == len(names):
                break
            body = self._archive.read(names[place]) if names[place] in self._archive else b""
            rules = body.decode("utf-8", "replace")
            names += [found for each in IMPORT.findall(rules) if (found := _resolve(names[place], each)) not in names]
            sheets.append("" if "</style" in rules.lower() else rules)  # which would end the element
        return sheets


def _list_own_rules(chapter: str) -> Iterator[str]:
    """The rules of the style elements of a chapter."""
    place = 0
    while (start := OWN.search(chapter, place)) is not None:
        place = chapter.find("</style", start.end())
        if place < 0:
            return
        yield chapter[start.end() : place]


def _resolve(name: str, address: str) -> str:
    """The name of the file that an address in another one leads to."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(address.partition("#")[0])))
