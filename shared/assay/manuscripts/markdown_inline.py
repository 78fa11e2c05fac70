"""Reads the inline marks of Markdown: links, notes, citation keys of pandoc, emphasis and code."""

import re
from collections.abc import Callable, Mapping, Sequence

from assay.html.reader.markdown_escapes import unescape_markdown
from assay.manuscripts.manuscript import CitationStyle
from assay.manuscripts.manuscript_draft import Block, BlockKind, Label, Marker
from assay.text.url_text import find_url

KEY = r"@(?:\{[^{}\s]{1,200}\}|[\w](?:[\w:.#$%&+?<>~/-]{0,198}\w)?)"
KEYS = re.compile(rf"(?<![\w@])-?({KEY})")
CROSS_REFERENCE = re.compile(r"@\{?(?:fig|tbl|eq|sec|lst|thm|lem|def|tab|exm|exr|fn)[:-]", re.IGNORECASE)
TOKEN = re.compile(
    r"(?P<code>`+)"
    r"|\ue000(?P<field>\d{1,6})\ue001(?P<result>[^\ue000-\ue002]{0,2000})\ue002"
    r"|(?P<escape>\\[!-/:-@\[-`{-~])"
    r"|(?P<note>\[\^(?P<name>[^\]\s\[]{1,100})\](?!:))"
    r"|(?P<inline_note>\^\[(?P<noted>[^\[\]]{1,2000})\])"
    r"|(?P<link>!?\[(?P<text>(?:\\.|[^\[\]\\]|\[(?:\\.|[^\[\]\\]){0,60}\]){0,500})\]\(\s{0,3}<?(?P<url>[^()\s<>]{0,2000}(?:\([^()\s]{0,200}\)[^()\s<>]{0,500}){0,2})>?(?:\s+[\"'][^\"'\n]{0,300}[\"'])?\s{0,3}\))"
    r"|(?P<defined>\[(?P<shown>[^\[\]]{1,500})\](?:\[(?P<target>[^\[\]]{0,200})\]))"
    rf"|(?P<keys>\[(?P<listed>[^\[\]@]{{0,300}}-?{KEY}[^\[\]]{{0,2000}})\])"
    rf"|(?P<key>(?<![\w@/.])-?{KEY}(?:[ ]?\[(?P<locator>[^\[\]@]{{1,60}})\])?)"
    r"|(?P<bare><?(?P<address>https?://[^\s<>\"]{4,2000})>?)"
    r"|(?P<mark>\*{1,3}|(?<!\w)_{1,3}(?=\w)|(?<=[\w.,;:!?)\"”])_{1,3}(?!\w))"
    r"|(?P<tag></?[A-Za-z][^<>]{0,500}>)"
)
RAISED = re.compile(r"<sup>\s*([^<>]{1,40}?)\s*</sup>", re.IGNORECASE)
MARKS = re.compile(r"[\\*]")
NUMBERS = re.compile(r"[\[\]()^\s\d,;–—-]+")
SPACES = re.compile(r"\s+")
NESTED = re.compile(r"(?<!\\)[\[\]*_`]")


class InlineReader:
    """Turns the text of one block into plain text with markers; collects links and inline notes."""

    def __init__(
        self, definitions: Mapping[str, str], *, is_plain: bool, fields: Sequence[tuple[int, ...]] = ()
    ) -> None:
        self._fields = fields
        self._definitions = definitions
        self._is_plain = is_plain
        self.links: list[str] = []
        self.notes: list[Block] = []  # that stand in the text
        self._pieces: list[str] = []
        self._length = 0
        self._markers: list[Marker] = []
        self._unclosed: set[str] = set()  # runs of backticks of this block that nothing closes

    def read(self, kind: BlockKind, text: str, label: str = "") -> Block:
        """Read a block of this kind."""
        self._pieces, self._length, self._markers, self._unclosed = [], 0, [], set()
        text = RAISED.sub(r"^\1^", text)
        place = 0
        while found := TOKEN.search(text, place):
            self._add(text[place : found.start()])
            place = self._read_code(text, found) if found["code"] else self._read_token(found)
        self._add(text[place:])
        return Block(kind, "".join(self._pieces), tuple(self._markers), label=label)

    def _add(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)

    def _mark(self, text: str, style: CitationStyle, labels: tuple[Label, ...], *, is_certain: bool = True) -> None:
        start = self._length
        self._add(text)
        self._markers.append(Marker(start, self._length, style, labels, is_certain=is_certain))

    def _read_code(self, text: str, found: re.Match[str]) -> int:
        """Leave out a code span; marks without an end are printed."""
        end = -1 if self._is_plain or found["code"] in self._unclosed else text.find(found["code"], found.end())
        if end < 0:
            self._unclosed.add(found["code"])
            self._add(found["code"])
            return found.end()
        self._add("…")
        return end + len(found["code"])

    def _read_token(self, found: re.Match[str]) -> int:
        HANDLERS[next(name for name in HANDLERS if found[name] is not None)](self, found)
        return found.end()

    def read_field(self, found: re.Match[str]) -> None:
        """Read what a citation field of a word processor shows; the places of its works are known."""
        number = int(found["field"])
        places = self._fields[number] if number < len(self._fields) else ()
        text = MARKS.sub("", found["result"])
        if places and text.strip():
            is_numeric = NUMBERS.fullmatch(text.strip()) is not None
            self._mark(text, "numeric" if is_numeric else "author-year", places)
        else:
            self._add(text)

    def read_escape(self, found: re.Match[str]) -> None:
        self._add(found[0] if self._is_plain else found[0][1])

    def read_note(self, found: re.Match[str]) -> None:
        self._mark(found[0], "footnote", (found["name"],))

    def read_inline_note(self, found: re.Match[str]) -> None:
        label = f"inline {len(self.notes) + 1}"
        self.notes.append(Block("note", found["noted"], label=label))
        self._mark(f"[^{len(self.notes)}]", "footnote", (label,))

    def read_link(self, found: re.Match[str]) -> None:
        if found[0].startswith("!"):
            return
        self._add_link(found["text"], found["url"])

    def read_defined(self, found: re.Match[str]) -> None:
        address = self._definitions.get((found["target"] or found["shown"]).casefold(), "")
        if address:
            self._add_link(found["shown"], address)
        else:
            self._add(found[0])

    def _add_link(self, text: str, url: str) -> None:
        shown = SPACES.sub(" ", unescape_markdown(NESTED.sub("", text))).strip()
        if not url.startswith(("http://", "https://")):
            self._add(text)
            return
        self.links.append(url)
        if shown:
            self._mark(shown, "link", (url,))

    def read_keys(self, found: re.Match[str]) -> None:
        keys = tuple(
            dict.fromkeys(clean_key(key) for key in KEYS.findall(found["listed"]) if not CROSS_REFERENCE.match(key))
        )
        if keys:
            self._mark(found[0], "key", keys)
        else:
            self._add(found[0])

    def read_key(self, found: re.Match[str]) -> None:
        key = found["key"].lstrip("-").partition(" [")[0].partition("[")[0]
        if CROSS_REFERENCE.match(key) or self._is_plain:
            self._add(found[0])
        else:
            is_certain = bool(found["locator"]) or any(map(str.isdigit, key))
            self._mark(found[0], "key", (clean_key(key),), is_certain=is_certain)

    def read_bare(self, found: re.Match[str]) -> None:
        url = find_url(found["address"].rstrip("_")) or found["address"]
        self.links.append(url)
        self._mark(found[0], "link", (url,))

    def read_mark(self, found: re.Match[str]) -> None:
        if self._is_plain:
            self._add(found[0])

    def read_tag(self, found: re.Match[str]) -> None:
        if self._is_plain:
            self._add(found[0])


HANDLERS: Mapping[str, Callable[[InlineReader, re.Match[str]], None]] = {
    "field": InlineReader.read_field,
    "escape": InlineReader.read_escape,
    "note": InlineReader.read_note,
    "inline_note": InlineReader.read_inline_note,
    "link": InlineReader.read_link,
    "defined": InlineReader.read_defined,
    "keys": InlineReader.read_keys,
    "key": InlineReader.read_key,
    "bare": InlineReader.read_bare,
    "mark": InlineReader.read_mark,
    "tag": InlineReader.read_tag,
}


def clean_key(key: str) -> str:
    """Return a key of pandoc without its mark and braces."""
    return key.lstrip("-").removeprefix("@").strip("{}")
