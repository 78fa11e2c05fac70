"""Prepares LaTeX for reading: comments and verbatim text are left out, matching braces are found; linear time."""

import re
from array import array
from collections.abc import Iterator
from typing import NamedTuple

LEFT_OUT = ("verbatim", "verbatim*", "Verbatim", "lstlisting", "minted", "comment", "tikzpicture", "algorithmic")
START = re.compile(
    r"\\(?:url|href|path|nolinkurl)\s{0,5}\{[^{}\n]{0,2000}\}|\\[\\%]|(?P<comment>%[^\n]*(?:\n[ \t]*)?)"
    r"|(?P<false>\\iffalse\b)"
    r"|\\begin\{(?P<file>filecontents\*?)\}(?:\[[^\]\n]{0,80}\])?\{(?P<name>[^{}\n]{1,200})\}"
    rf"|\\begin\{{(?P<environment>{'|'.join(map(re.escape, LEFT_OUT))})\}}"
    r"|\\(?:verb|lstinline)\*?(?P<mark>[|!+/#@=])"
)
BRACES = re.compile(r"\\.|[{}]", re.DOTALL)
OPTION = re.compile(r"\s{0,20}\[((?:[^\[\]\n]|\n(?![ \t]{0,80}\n)){0,2000})\]")
NOTES = re.compile(r"(?:\s{0,20}\([^()\n]{0,2000}\)){1,2}(?=\s{0,20}[\[{])")  # of several citations in one command
OPENING = re.compile(r"\s{0,20}\{")


class CleanedLatex(NamedTuple):
    """LaTeX without comments and verbatim text, and the files that it contains (`filecontents`) by name."""

    text: str
    files: dict[str, str]


def clean_latex(text: str) -> CleanedLatex:
    """Remove comments and verbatim text; files within the document are returned apart."""
    pieces: list[str] = []
    files: dict[str, str] = {}
    unclosed: set[str] = set()
    done = place = 0
    while found := START.search(text, place):
        place = found.end()
        ending = _find_ending(found)
        if found["comment"] is not None:
            pieces.append(text[done : found.start()])
            done = place
        elif ending and ending not in unclosed:
            end = text.find(ending, place)
            if end < 0:
                unclosed.add(ending)
                continue
            if found["file"]:
                files[found["name"]] = text[place:end]
            pieces.append(text[done : found.start()])
            done = place = end + len(ending)
    return CleanedLatex("".join([*pieces, text[done:]]), files)


def _find_ending(found: re.Match[str]) -> str:
    """Return what ends the text that begins here; "" if nothing begins."""
    name = found["environment"] or found["file"]
    if name:
        return f"\\end{{{name}}}"
    return "\\fi" if found["false"] else found["mark"] or ""


class LatexGroups:
    """The groups in braces of a LaTeX text, so that the end of each is known without another search."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._closing = array("l", [0]) * len(text)
        opened = array("l")
        for found in BRACES.finditer(text):
            if found[0] == "{":
                opened.append(found.start())
            elif found[0] == "}" and opened:
                self._closing[opened.pop()] = found.start()

    def find_group(self, place: int) -> tuple[int, int] | None:
        """Return where the content of the group that begins at `place`, behind spaces, starts and ends."""
        opening = OPENING.match(self._text, place)
        end = self._closing[opening.end() - 1] if opening else 0
        return (opening.end(), end) if opening and end else None

    def skip_options(self, place: int) -> int:
        """Return the offset behind the optional arguments at `place`."""
        while option := OPTION.match(self._text, place):
            place = option.end()
        return place

    def skip_notes(self, place: int) -> int:
        """Return the offset behind the notes in parentheses at `place`, such as `(see)()`."""
        notes = NOTES.match(self._text, place)
        return notes.end() if notes else place

    def read_options(self, place: int) -> list[str]:
        options = []
        while option := OPTION.match(self._text, place):
            options.append(option[1])
            place = option.end()
        return options

    def list_groups(self, place: int) -> Iterator[tuple[int, int]]:
        """Yield the groups that follow each other from `place`, each behind its options."""
        while group := self.find_group(self.skip_options(place)):
            yield group
            place = group[1] + 1
