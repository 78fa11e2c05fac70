"""Links that Word and RTF files write as fields (ECMA-376 part 1 clauses 17.16.18 and 17.16.5.25).

While a paragraph is read, the result of such a field stands between control characters, which XML cannot contain: a
field may begin and end in any run. One that ends in another paragraph makes no link.
"""

import re
from dataclasses import dataclass, field

from assay.documents.office_emphasis import LINK, LINK_END, TARGET
from assay.documents.ooxml import escape_target

OPEN, CLOSE, END = LINK, TARGET, LINK_END  # OPEN text CLOSE target END
WITHIN = f"([^{OPEN}{CLOSE}{END}]*)"  # no mark, so that searching stays linear
MARKED = re.compile(f"{OPEN}{WITHIN}{CLOSE}{WITHIN}{END}")
UNPAIRED = re.compile(f"{OPEN}|{CLOSE}{WITHIN}{END}")
HYPERLINK = re.compile(r'\s*HYPERLINK\s+(?:"([^"]*)"|(\S+))', re.IGNORECASE)
PLACE = re.compile(r'\\l\s+"([^"]*)"', re.IGNORECASE)  # in the file that the link leads to
# Characters with small ones above them, which tell how to read them.
RUBY = re.compile(r"\s*EQ\b[^()]*+\(\\s\\up ?\d+\([^()]*+\)\s*[,;]([^()]*+)\)", re.IGNORECASE)
MAX_CODE, MAX_OPEN = 5_000, 1_000  # characters of the code of a field that are read; open fields


def find_link_target(code: str) -> str:
    """Return the external address that the code of a field links to, escaped for Markdown; "" for other fields."""
    code = code[:MAX_CODE]
    found = HYPERLINK.match(code)
    if found is None:
        return ""
    place = PLACE.search(code, found.end())
    return escape_target((found[1] or found[2] or "") + (f"#{place[1]}" if place else ""))


def mark_link(text: str, target: str) -> str:
    """Return the text of a link between control characters; the text alone without a target."""
    return f"{OPEN}{text}{CLOSE}{target}{END}" if target else text


def is_field_mark(text: str) -> bool:
    """Return whether the text begins with a mark of a field, which runs hold alone."""
    return text[:1] in (OPEN, CLOSE)


@dataclass
class ComplexField:
    """A field of which the beginning was read."""

    code: str = ""
    target: str = ""  # of the link that is being read
    has_result: bool = False


@dataclass
class ComplexFields:
    """The fields between `w:fldChar` elements that are open at a place of a Word file."""

    _open: list[ComplexField] = field(default_factory=list)
    _ignored: int = 0  # open fields beyond the limit

    @property
    def code(self) -> str:
        """The code so far of the innermost field."""
        return self._open[-1].code if self._open and not self._ignored else ""

    def add_code(self, text: str) -> None:
        if self._open and not self._ignored and len(self._open[-1].code) < MAX_CODE:
            self._open[-1].code += text

    def read_character(self, kind: str) -> str:
        """Return the mark to write at the beginning or end of a field, or between its code and its result."""
        if kind == "begin":
            self._begin()
        elif kind == "separate" and self._open and not self._ignored and not self._open[-1].has_result:
            self._open[-1].has_result = True
            self._open[-1].target = find_link_target(self._open[-1].code)
            return OPEN if self._open[-1].target else ""
        elif kind == "end":
            return self._end()
        return ""

    def _begin(self) -> None:
        if len(self._open) < MAX_OPEN:
            self._open.append(ComplexField())
        else:
            self._ignored += 1

    def _end(self) -> str:
        if self._ignored:
            self._ignored -= 1
            return ""
        closed = self._open.pop() if self._open else ComplexField()
        if not closed.has_result:
            return _read_ruby(closed.code)
        return f"{CLOSE}{closed.target}{END}" if closed.target else ""


def _read_ruby(code: str) -> str:
    """Return the characters that a field draws without a result, below small ones; "" for other fields."""
    found = RUBY.match(code[:MAX_CODE])
    return found[1] if found else ""
