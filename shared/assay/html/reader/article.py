"""A page's article as plain text and as clean HTML, built of what a reader would see and of nothing else."""

from dataclasses import dataclass

from lxml.html import HtmlElement

from assay.html.css.visibility import VisibilityResolver
from assay.html.metadata import page_metadata
from assay.html.metadata.structured_data import collect_metas
from assay.html.parser.html_tree import parse
from assay.html.reader.block_builder import source_of
from assay.html.reader.block_selection import choose
from assay.html.reader.dom_walker import DomWalker
from assay.html.reader.html_sanitizer import Rewriter
from assay.html.reader.html_tables import holds_data
from assay.html.reader.long_page import body
from assay.html.reader.main_content import base_of, collect_blocks
from assay.html.reader.text_blocks import BlockPage, TextBlock
from assay.text.plain_text import plain
from assay.text.sanitize import sanitise

SMALL = 250  # blocks that may be weighed one by one; more are taken by the place they stand in
BY = ("by ", "von ", "par ", "por ", "di ", "door ")
NEAR = 6  # blocks among which the line that names the writer is looked for


@dataclass(frozen=True)
class Article:
    """All "" where a page has none. `html` holds a fixed set of tags, no scripts, styles or classes, absolute links."""

    title: str
    byline: str
    text: str
    html: str


def article(markup: str, url: str) -> Article:
    """The article of the page at `url`."""
    tree = parse(markup)
    page = collect_blocks(tree, _with_every_picture)
    byline = _byline(tree, url)
    kept = _without(byline, _choose_blocks(page, tree, url))
    rewriter = Rewriter(base_of(tree, url))
    return Article(_title(tree), byline, sanitise(_text(kept)), sanitise(rewriter.html(kept)))


class Pictures(DomWalker):
    """Notes pictures without words too."""

    def _image(self, element: HtmlElement) -> None:
        source = source_of(element)
        if source and self.pre is None:
            self.tokens.append(("img", " ".join((element.get("alt") or "").split()), source))


def _with_every_picture(body: HtmlElement, curtain: VisibilityResolver, with_noscript: bool = False) -> BlockPage:
    return Pictures(curtain, with_noscript).run(body)


def _choose_blocks(page: BlockPage, tree: HtmlElement, url: str) -> list[TextBlock]:
    return choose(page, tree, url)[0] if len(page.blocks) <= SMALL else body(page)


def _title(tree: HtmlElement) -> str:
    head = tree.find("head")
    found = next(tree.iter("title") if head is None else head.iter("title"), None)
    return "" if found is None else plain("".join(found.itertext()))


def _byline(tree: HtmlElement, url: str) -> str:
    writers = page_metadata.extract_facts(tree, url).authors
    if writers:
        return ", ".join(writers)
    named = collect_metas(tree)
    said = next((named[name][0] for name in ("author", "dc.creator") if name in named), "")
    return "" if said.startswith(("http://", "https://")) else plain(said)


def _without(byline: str, kept: list[TextBlock]) -> list[TextBlock]:
    """The blocks but the line that only names the writer."""
    if not byline:
        return kept
    names = {byline.lower(), *(word + byline.lower() for word in BY)}
    first = [block for block in kept[:NEAR] if block.text.lower().strip(" .:") not in names]
    return first + kept[NEAR:]


def _text(kept: list[TextBlock]) -> str:
    """The blocks one below the other; list items and table rows close together, the cells of a row on one line."""
    parts: list[str] = []
    before: TextBlock | None = None
    for block in kept:
        text = _lines(block)
        if not text:
            continue
        if before is not None:
            parts.append(_between(before, block))
        parts.append(text)
        before = block
    return "".join(parts)


def _lines(block: TextBlock) -> str:
    if block.kind == "pre":
        lines = "".join(token for token in block.tokens if isinstance(token, str)).rstrip().split("\n")
        return "\n".join(line.rstrip() for line in lines).strip("\n")
    if ("br",) not in block.tokens:
        return block.text
    broken = "".join(
        token if isinstance(token, str) else "\0" if token == ("br",) else "" for token in block.tokens
    ).split("\0")
    return "\n".join(line for part in broken if (line := " ".join(part.split())))


def _between(one: TextBlock, two: TextBlock) -> str:
    if one.frame.tag == two.frame.tag == "li":
        return "\n"
    table = one.frame.table
    if table is None or table is not two.frame.table or not holds_data(table):
        return "\n\n"
    are_cells = {one.frame.tag, two.frame.tag} <= {"td", "th"}
    return "\t" if are_cells and one.frame.place == two.frame.place else "\n"
