"""Parser for RTF files (RTF Specification 1.9.1): paragraphs, tables and notes, without hidden or deleted text.

A parser of our own, because libraries for RTF (striprtf, pyth) return hidden text (`\\v`) as visible.
"""

import codecs
import re
from dataclasses import dataclass, replace

from assay.documents.document import TEXT_CHARS, Document, truncate_text
from assay.errors import UpstreamFailed
from assay.text.surrogates import replace_surrogates

TOKEN = re.compile(
    rb"\\'([0-9a-fA-F]{2})|\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\(.)|([{}])|[\r\n]+|([^\\{}\r\n]+)", re.DOTALL
)
SKIPPED = frozenset((
    *("fonttbl", "colortbl", "stylesheet", "listtable", "listoverridetable", "pict", "object", "objdata", "fldinst"),
    *("header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf", "themedata", "datastore"),
    *("bkmkstart", "bkmkend", "annotation", "atnid", "atnauthor", "xe", "tc", "rsidtbl", "generator", "listtext"),
    *("pntext", "revtbl", "filetbl", "latentstyles", "nonshppict", "template", "colorschememapping", "private", "info"),
))  # fmt: skip
TEXT_WORDS = {
    "par": "\n\n", "sect": "\n\n", "page": "\n\n", "line": "\n", "tab": " ", "cell": " | ", "nestcell": " | ",
    "row": "\n", "nestrow": "\n", "emdash": "—", "endash": "–", "emspace": " ", "enspace": " ", "qmspace": " ",
    "bullet": "•", "footnote": " ", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
}  # fmt: skip
SYMBOLS = {b"~": "\xa0", b"_": "\u2011", b"-": "", b"\n": "\n\n", b"\r": "\n\n", b"{": "{", b"}": "}", b"\\": "\\"}
CHARSETS = {
    77: "mac-roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "cp950", 161: "cp1253",
    162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
PROPERTIES = ("title", "author")
SWITCHES = {"v": "hidden", "deleted": "deleted"}
VALUES = {"cf": "colour", "f": "font", "uc": "bytes_after"} | dict.fromkeys(("cb", "highlight", "chcbpat"), "ground")
DEPTH = 1_000  # maximum nesting of groups
WHITE = 244  # minimum of each channel (0 to 255) of text that counts as white


type Group = bytes | None  # a group of a TOKEN match


@dataclass(frozen=True)
class RtfState:
    """Character properties and destination, which end with their group."""

    skips: bool = False
    hidden: bool = False
    deleted: bool = False
    colour: int = 0
    ground: int = 0
    font: int = 0
    fact: str = ""  # the document property (title, author) that the text belongs to
    bytes_after: int = 1  # fallback bytes after each Unicode character (`\\uc`)


def prepare() -> None:
    """Import nothing: this parser has no late imports."""


def parse(body: bytes, kind: str) -> Document:
    """Convert the document to text, with title and author. Raises UpstreamFailed for a malformed file."""
    reader = RtfReader()
    reader.read(body)
    text = re.sub(r"[ \t]+\n", "\n", reader.text())
    markdown, was_cut = truncate_text(re.sub(r"\n{3,}", "\n\n", text).strip())
    notes = (f"{reader.hidden} hidden piece(s) of text were left out.",) if reader.hidden else ()
    title, author = ("".join(reader.facts[name]).strip() for name in PROPERTIES)
    return Document(kind, markdown, title, author, truncated=was_cut or reader.is_cut, notes=notes)


class RtfReader:
    """Tokenises one file and collects its text; `hidden` counts pieces of hidden text."""

    def __init__(self) -> None:
        self.hidden = 0
        self.is_cut = False
        self.facts: dict[str, list[str]] = {name: [] for name in PROPERTIES}
        self._pieces: list[str] = []
        self._letters = 0
        self._state = RtfState()
        self._stack: list[RtfState] = []
        self._page = "cp1252"
        self._fonts: dict[int, str] = {}
        self._table_font = 0
        self._in_fonts = self._in_colours = False
        self._colours: list[list[int]] = [[]]
        self._starred = False
        self._skip = 0  # remaining fallback bytes of a Unicode character
        self._raw = bytearray()

    def text(self) -> str:
        return str(replace_surrogates("".join(self._pieces)))

    def read(self, body: bytes) -> None:
        place, end = 0, len(body)
        while place < end and not self.is_cut:
            found = TOKEN.match(body, place)
            if found is None:
                raise UpstreamFailed("The RTF document is broken: it ends within a control word.")
            place = found.end()
            if found[2] == b"bin":
                place += max(0, int(found[3] or 0))
            else:
                self._token(*found.groups())
        self._flush()

    def _token(self, code: Group, word: Group, number: Group, symbol: Group, brace: Group, text: Group) -> None:
        if code is not None:
            self._add_bytes(bytes.fromhex(code.decode()))
        elif text is not None:
            self._add_bytes(text)
        elif brace is not None:
            self._brace(brace)
        elif word is not None:
            self._word(word.decode(), None if number is None else int(number))
        elif symbol is not None:
            self._symbol(symbol)

    def _brace(self, brace: bytes) -> None:
        self._flush()
        self._skip, self._starred = 0, False
        if brace == b"{":
            if len(self._stack) >= DEPTH:
                raise UpstreamFailed("The RTF document is nested too deeply to be read.")
            self._stack.append(self._state)
        elif self._stack:
            self._state = self._stack.pop()
            self._in_fonts = self._in_fonts and self._state.skips
            self._in_colours = self._in_colours and self._state.skips

    def _symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            self._starred = True
        elif symbol in SYMBOLS:
            self._add(SYMBOLS[symbol])

    def _word(self, word: str, number: int | None) -> None:
        if self._starred and word not in (*PROPERTIES, "footnote"):
            self._change(skips=True)
        self._starred = False
        if self._skip and word != "u":
            self._skip -= 1
        if word in SKIPPED or word in PROPERTIES:
            self._change(skips=True, fact=word if word in PROPERTIES else "")
            self._in_fonts, self._in_colours = word == "fonttbl", word == "colortbl"
        elif word in TEXT_WORDS:
            self._add(TEXT_WORDS[word])
        elif word == "u":
            self._unicode(number or 0)
        elif self._in_fonts or self._in_colours:
            self._define(word, number or 0)
        else:
            self._format(word, number)

    def _define(self, word: str, number: int) -> None:
        """Handle a control word in the font or colour table."""
        if self._in_fonts and word == "f":
            self._table_font = number
        elif self._in_fonts and word == "fcharset":
            self._fonts[self._table_font] = CHARSETS.get(number, "")
        elif self._in_colours and word in ("red", "green", "blue"):
            self._colours[-1].append(number)

    def _format(self, word: str, number: int | None) -> None:
        """Handle a control word that changes formatting or the code page."""
        if word in SWITCHES:
            self._change(**{SWITCHES[word]: number != 0})
        elif word in VALUES:
            self._change(**{VALUES[word]: min(max(number or 0, 0), 100_000)})
        elif word == "plain":
            self._change(hidden=False, deleted=False, colour=0, ground=0)
        elif word == "ansicpg":
            self._page = _known_codec(f"cp{number}") or self._page

    def _change(self, **what: object) -> None:
        self._flush()
        self._state = replace(self._state, **what)  # type: ignore[arg-type]

    def _unicode(self, number: int) -> None:
        code = number + 0x10000 if number < 0 else number
        self._flush()
        self._add(chr(code) if 0 < code < 0x110000 else "\ufffd")
        self._skip = self._state.bytes_after

    def _add_bytes(self, raw: bytes) -> None:
        if self._skip:
            skipped = min(self._skip, len(raw))
            self._skip -= skipped
            raw = raw[skipped:]
        if self._in_colours and b";" in raw:
            self._colours += [[] for _ in range(raw.count(b";"))]
        self._raw += raw

    def _flush(self) -> None:
        """Decode the collected bytes with the charset of the current font."""
        if self._raw:
            codec = self._fonts.get(self._state.font) or self._page
            raw, self._raw = bytes(self._raw), bytearray()
            self._write(raw.decode(codec, "replace"))

    def _add(self, text: str) -> None:
        self._flush()
        self._write(text)

    def _write(self, text: str) -> None:
        state = self._state
        if state.fact:
            self.facts[state.fact].append(text)
        if state.skips:
            return
        if state.deleted or state.hidden or self._is_white(state):
            self.hidden += bool(text.strip())
            self._pieces.append("\n" if "\n" in text else "")
            return
        self._pieces.append(text)
        self._letters += len(text)
        self.is_cut = self._letters > TEXT_CHARS

    def _is_white(self, state: RtfState) -> bool:
        if state.ground or not 0 < state.colour < len(self._colours):
            return False
        colour = self._colours[state.colour]
        return len(colour) == 3 and min(colour) >= WHITE


def _known_codec(name: str) -> str:
    try:
        return codecs.lookup(name).name
    except (LookupError, OSError):  # in the sandbox, a codec that is not yet imported cannot be loaded
        return ""
