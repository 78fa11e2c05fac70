"""Reads the body of a LaTeX document into blocks of plain text with markers; macros are never expanded."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from assay.bibliography.latex import latex_to_text
from assay.bibliography.work import CitedWork
from assay.manuscripts.latex_source import LatexGroups
from assay.manuscripts.manuscript import CitationStyle
from assay.manuscripts.manuscript_draft import Block, BlockKind, Marker

HEADINGS = r"(?:part|chapter|(?:sub){0,2}section|(?:sub)?paragraph|addsec|addchap)"
DROPPED = (
    "label ref eqref cref Cref autoref pageref nameref vspace hspace includegraphics bibliographystyle pagestyle "
    "graphicspath thispagestyle usepackage documentclass newcommand renewcommand providecommand newenvironment "
    "setlength setcounter addtocounter index thanks input include bibliography addbibresource printbibliography "
    "hypersetup DeclareMathOperator newtheorem tableofcontents color definecolor resizebox title author orcid email "
    "address affiliation institute date"
)
QUOTES = "quote|quotation|displayquote|blockquote|displaycquote|verse"
DISPLAYS = "equation|align|gather|multline|eqnarray|displaymath|math|flalign|alignat"
TOKEN = re.compile(
    r"(?P<gap>\n[ \t]*\n\s*|\\par\b|\\item\b(?:\[[^\]\n]{0,200}\])?|"
    r"\\\\(?:\[[^\]\n]{0,20}\])?|\\(?:maketitle|newpage|clearpage)\b)"
    r"|\\(?P<cite>[A-Za-z]*[cC]ite[A-Za-z]*)\*?(?![A-Za-z])"
    rf"|\\(?P<heading>{HEADINGS})\*?(?![A-Za-z])"
    r"|\\(?P<note>footnote|footnotetext|endnote|thanksnote)(?![A-Za-z])"
    r"|\\(?P<quoted>enquote\*?|textquote|foreignquote|blockquote|textcquote|blockcquote)(?![A-Za-z])"
    r"|\\(?P<raised>textsuperscript)(?![A-Za-z])"
    r"|\\(?P<link>href|url|nolinkurl|doi)(?![A-Za-z])"
    rf"|\\(?P<dropped>{'|'.join(DROPPED.split())})\*?(?![A-Za-z])"
    rf"|\\begin\{{(?P<quote>{QUOTES})\*?\}}|\\end\{{(?P<unquote>{QUOTES})\*?\}}"
    rf"|\\begin\{{(?P<display>(?:{DISPLAYS})\*?)\}}|(?P<formula>\\\[|\$\$)"
    r"|\\begin\{(?P<abstract>abstract)\}"
    r"|\\(?:begin|end)\{(?P<environment>[A-Za-z*]{1,40})\}"
)
TEXTUAL = re.compile(r"(?:text|[cC]itet|author|[aA]citet|[cC]iteauthor|smart|^[cC]itet)", re.IGNORECASE)
ONLY_DATA = re.compile(r"(?:setup|^nocite|reset|style|alias|def|field|list|settings|citation|citestyle)", re.IGNORECASE)
SPACES = re.compile(r"\s+")
MOST_OPEN = 50  # groups within each other that are read as such


@dataclass
class OpenText:
    """The text of a block that is being read, up to the offset `end`; behind it, `suffix` is printed."""

    end: int
    kind: BlockKind
    label: str = ""
    suffix: str = ""
    pieces: list[str] = field(default_factory=list)
    markers: list[Marker] = field(default_factory=list)
    length: int = 0
    url: str = ""
    start: int = 0  # offset of a link's text in its block
    is_inline: bool = False  # part of the block around it

    def add(self, text: str) -> None:
        text = SPACES.sub(" ", text)
        if text[:1] == " " and (not self.pieces or self.pieces[-1].endswith(" ")):
            text = text[1:]
        if text:
            self.pieces.append(text)
            self.length += len(text)

    def mark(self, text: str, style: CitationStyle, labels: tuple[str, ...]) -> None:
        start = self.length
        self.add(text)
        if self.length > start:
            self.markers.append(Marker(start, self.length, style, labels))


class LatexBlockReader:
    """Reads the text between two offsets. `works` are the known works by key, whose authors stand for keys."""

    def __init__(self, text: str, groups: LatexGroups, works: Mapping[str, CitedWork]) -> None:
        self._text, self._groups, self._works = text, groups, works
        self.blocks: list[Block] = []
        self.links: list[str] = []
        self._open: list[OpenText] = []
        self._unclosed: set[str] = set()
        self._notes = 0

    def read(self, start: int, end: int) -> None:
        """Read all blocks between the offsets into `blocks`."""
        self._open = [OpenText(end, "paragraph")]
        place = start
        while self._open:
            limit = self._open[-1].end
            token = TOKEN.search(self._text, place, limit)
            self._add_text(place, token.start() if token else limit)
            place = min(max(token.end(), self._read_token(token)), limit) if token else self._close()

    def _add_text(self, start: int, end: int) -> None:
        if start < end:
            self._block.add(latex_to_text(self._text[start:end]))

    @property
    def _block(self) -> OpenText:
        """The block that text is added to."""
        return next(each for each in reversed(self._open) if not each.is_inline)

    def _close(self) -> int:
        """End the innermost text; return the offset behind its group."""
        inner = self._open.pop()
        if inner.is_inline:
            block = self._block
            block.add(inner.suffix)
            if inner.url and block.length > inner.start:
                block.markers.append(Marker(inner.start, block.length, "link", (inner.url,)))
        else:
            self._emit(inner)
        return inner.end + 1

    def _emit(self, block: OpenText) -> None:
        text = "".join(block.pieces).rstrip()
        if text:
            markers = tuple(sorted(marker for marker in block.markers if marker.end <= len(text)))
            self.blocks.append(Block(block.kind, text, markers, label=block.label))

    def _break(self, kind: BlockKind | None = None) -> None:
        """Begin a new block, of the same kind unless another is given."""
        block = self._block
        if block.kind == "note" or len(self._open) > 1:
            block.add(" ")
            return
        self._emit(block)
        self._open[0] = OpenText(block.end, kind or block.kind)

    def _push(self, place: int, kind: BlockKind, **details: str | bool | int) -> int:
        """Read the group at `place` as text of this kind; return the offset of its content."""
        group = self._groups.find_group(self._groups.skip_options(place))
        if group is None or len(self._open) >= MOST_OPEN or group[1] > self._open[-1].end:
            return place
        self._open.append(OpenText(group[1], kind, **details))  # type: ignore[arg-type]
        return group[0]

    def _read_token(self, token: re.Match[str]) -> int:
        """Read a token; return the offset behind what belongs to it."""
        name = next(name for name in READERS if token[name] is not None)
        return READERS[name](self, token)

    def read_gap(self, token: re.Match[str]) -> int:
        if token[0].startswith("\\\\"):
            self._block.add(" ")
        else:
            self._break()
        return token.end()

    def read_heading(self, token: re.Match[str]) -> int:
        self._break()
        return self._push(token.end(), "heading")

    def read_note(self, token: re.Match[str]) -> int:
        if self._block.kind == "note":
            return token.end()
        self._notes += 1
        label = str(self._notes)
        block = self._block
        content = self._push(token.end(), "note", label=label)
        if content != token.end():
            block.mark(f"[^{label}]", "footnote", (label,))
        return content

    def read_quoted(self, token: re.Match[str]) -> int:
        place = token.end()
        if "cquote" in token["quoted"]:
            place = self._read_keys(self._groups.skip_options(place), "parencite", add=False)
        block, before = self._block, len(self._open)
        content = self._push(place, "paragraph", suffix="”", is_inline=True)
        if len(self._open) > before:
            block.add("“")
        return content

    def read_raised(self, token: re.Match[str]) -> int:
        group = self._groups.find_group(token.end())
        if group is None or group[1] - group[0] > 40:
            return token.end()
        self._block.add(f"^{latex_to_text(self._text[group[0] : group[1]])}^")
        return group[1] + 1

    def read_link(self, token: re.Match[str]) -> int:
        group = self._groups.find_group(token.end())
        if group is None:
            return token.end()
        url = re.sub(r"\\([%#&_~])", r"\1", self._text[group[0] : min(group[1], group[0] + 2_000)]).strip()
        url = f"https://doi.org/{url}" if token["link"] == "doi" and not url.startswith("http") else url
        if url.startswith(("http://", "https://")):
            self.links.append(url)
        if token["link"] != "href":
            self._block.mark(url, "link", (url,))
            return group[1] + 1
        return self._push(group[1] + 1, "paragraph", url=url, start=self._block.length, is_inline=True)

    def read_dropped(self, token: re.Match[str]) -> int:
        place = token.end()
        for _, end in self._groups.list_groups(place):
            place = end + 1
            if token["dropped"] not in ("newcommand", "renewcommand", "providecommand", "newenvironment", "setlength"):
                break
        return min(place, self._open[-1].end)

    def read_quote(self, token: re.Match[str]) -> int:
        self._break("quote")
        return self._groups.skip_options(token.end())

    def read_unquote(self, token: re.Match[str]) -> int:
        self._break("paragraph")
        return token.end()

    def read_abstract(self, token: re.Match[str]) -> int:
        self._break()
        self.blocks.append(Block("heading", "Abstract"))
        return token.end()

    def read_environment(self, token: re.Match[str]) -> int:
        self._break()
        place = self._groups.skip_options(token.end())
        if token["environment"].startswith(("tabular", "longtable", "minipage", "multicols", "adjustbox")):
            group = self._groups.find_group(place)
            place = group[1] + 1 if group else place
        return min(place, self._open[-1].end)

    def read_display(self, token: re.Match[str]) -> int:
        """Leave out a displayed formula."""
        endings = {"\\[": "\\]", "$$": "$$"}
        ending = endings.get(token[0]) or f"\\end{{{token['display']}}}"
        end = -1 if ending in self._unclosed else self._text.find(ending, token.end(), self._open[-1].end)
        if end < 0:
            self._unclosed.add(ending)
            return token.end()
        self._block.add(" … ")
        return end + len(ending)

    def read_cite(self, token: re.Match[str]) -> int:
        if ONLY_DATA.search(token["cite"]):
            group = self._groups.find_group(self._groups.skip_options(token.end()))
            return group[1] + 1 if group else token.end()
        return self._read_keys(token.end(), token["cite"])

    def _read_keys(self, place: int, command: str, *, add: bool = True) -> int:
        """Mark the citation whose keys, behind options, are in one group; several if the command ends in "s"."""
        keys: list[str] = []
        place = self._groups.skip_notes(place) if command.endswith("s") else place
        options = self._groups.read_options(place)
        for start, end in self._groups.list_groups(place):
            if end > self._open[-1].end:
                break
            keys += [key.strip() for key in self._text[start : min(end, start + 20_000)].split(",") if key.strip()]
            place = end + 1
            if not command.endswith("s"):
                break
        if keys:
            locator = latex_to_text(options[-1]).strip() if options and add else ""
            text = format_citation([(key, self._works.get(key)) for key in keys], command, locator)
            self._block.mark(text, "key", tuple(dict.fromkeys(keys)))
        return place


READERS: Mapping[str, Callable[[LatexBlockReader, re.Match[str]], int]] = {
    "gap": LatexBlockReader.read_gap,
    "cite": LatexBlockReader.read_cite,
    "heading": LatexBlockReader.read_heading,
    "note": LatexBlockReader.read_note,
    "quoted": LatexBlockReader.read_quoted,
    "raised": LatexBlockReader.read_raised,
    "link": LatexBlockReader.read_link,
    "dropped": LatexBlockReader.read_dropped,
    "quote": LatexBlockReader.read_quote,
    "unquote": LatexBlockReader.read_unquote,
    "display": LatexBlockReader.read_display,
    "formula": LatexBlockReader.read_display,
    "abstract": LatexBlockReader.read_abstract,
    "environment": LatexBlockReader.read_environment,
}


def format_citation(cited: list[tuple[str, CitedWork | None]], command: str, locator: str) -> str:
    """Format a citation as readers see it, such as `Smith et al. (2020)` or `[Doe, 2019, p. 3]`; unknown keys stay."""
    is_textual = bool(TEXTUAL.search(command))
    parts = []
    for key, work in cited:
        names = format_short_names(work) if work else ""
        year = work.date[:4] if work else ""
        if not names:
            parts.append(key)
        elif is_textual:
            parts.append(f"{names} ({year})" if year else names)
        else:
            parts.append(f"{names}, {year}" if year else names)
    if is_textual and all(work for _, work in cited):
        return " and ".join(parts)
    return f"[{'; '.join(parts)}{', ' + locator if locator else ''}]"


def format_short_names(work: CitedWork) -> str:
    families = [name.family for name in work.authors[:3]]
    if len(work.authors) > 2 or (work.is_author_list_cut and families):
        return f"{families[0]} et al."
    return " and ".join(families)
