"""A page's article as plain text and as clean HTML, from its visible content only."""

from dataclasses import dataclass

from assay.html.css.visibility import VisibilityResolver
from assay.html.metadata import page_metadata
from assay.html.metadata.structured_data import collect_metas
from assay.html.parser.html_element import HtmlElement, HtmlRoot
from assay.html.parser.html_tree import open_html
from assay.html.reader.block_selection import select_blocks
from assay.html.reader.dom_walker import DomWalker
from assay.html.reader.html_sanitizer import HtmlWriter
from assay.html.reader.html_tables import holds_data
from assay.html.reader.long_page import find_body_blocks
from assay.html.reader.main_content import collect_blocks, find_base_url
from assay.html.reader.page_images import image_source
from assay.html.reader.text_blocks import BlockPage, TextBlock
from assay.text.plain_text import to_plain_text
from assay.text.sanitize import sanitise

MAX_CLASSIFIED_BLOCKS = 250  # number of blocks up to which each is classified; larger pages use `long_page`
BY = ("by ", "von ", "par ", "por ", "di ", "door ")
BYLINE_BLOCKS = 6  # blocks searched for the byline


@dataclass(frozen=True)
class Article:
    """An article; fields are "" if absent. `html` has a fixed set of tags, absolute links and no scripts or styles.

    `is_cut` says that a limit left out a part of the page.
    """

    title: str
    byline: str
    text: str
    html: str
    is_cut: bool = False


def extract_article(markup: str, url: str) -> Article:
    """Return the article of the page at `url`."""
    with open_html(markup) as tree:
        page = collect_blocks(tree, _walk_with_images)
        byline = _find_byline(tree, url)
        blocks = _without_byline(byline, _choose_blocks(page, tree, url))
        rewriter = HtmlWriter(find_base_url(tree, url))
        text, html = sanitise(_text(blocks)), sanitise(rewriter.html(blocks))
        return Article(_find_title(tree), byline, text, html, page.is_cut)


class ImageWalker(DomWalker):
    """A DOM walk that also records images without alternative text."""

    def _image(self, element: HtmlElement) -> None:
        source = image_source(element)
        if source and self.preformatted is None:
            self.tokens.append(("img", " ".join((element.get("alt") or "").split()), source))


def _walk_with_images(body: HtmlElement, resolver: VisibilityResolver, with_noscript: bool = False) -> BlockPage:
    return ImageWalker(resolver, with_noscript).run(body)


def _choose_blocks(page: BlockPage, tree: HtmlRoot, url: str) -> list[TextBlock]:
    return select_blocks(page, tree, url)[0] if len(page.blocks) <= MAX_CLASSIFIED_BLOCKS else find_body_blocks(page)


def _find_title(tree: HtmlRoot) -> str:
    head = tree.find("head")
    element = next(tree.iter("title") if head is None else head.iter("title"), None)
    return "" if element is None else to_plain_text("".join(element.itertext()))


def _find_byline(tree: HtmlRoot, url: str) -> str:
    writers = page_metadata.extract_facts(tree, url).authors
    if writers:
        return ", ".join(writers)
    meta_values = collect_metas(tree)
    declared = next((meta_values[name][0] for name in ("author", "dc.creator") if name in meta_values), "")
    return "" if declared.startswith(("http://", "https://")) else to_plain_text(declared)


def _without_byline(byline: str, kept: list[TextBlock]) -> list[TextBlock]:
    """Return the blocks without the line that contains only the byline."""
    if not byline:
        return kept
    names = {byline.lower(), *(word + byline.lower() for word in BY)}
    first = [block for block in kept[:BYLINE_BLOCKS] if block.text.lower().strip(" .:") not in names]
    return first + kept[BYLINE_BLOCKS:]


def _text(kept: list[TextBlock]) -> str:
    """Return the blocks separated by blank lines; list items by line feeds, the cells of a data row by tabs."""
    parts: list[str] = []
    before: TextBlock | None = None
    for block in kept:
        text = _block_lines(block)
        if not text:
            continue
        if before is not None:
            parts.append(_separator(before, block))
        parts.append(text)
        before = block
    return "".join(parts)


def _block_lines(block: TextBlock) -> str:
    if block.kind == "pre":
        lines = "".join(token for token in block.tokens if isinstance(token, str)).rstrip().split("\n")
        return "\n".join(line.rstrip() for line in lines).strip("\n")
    if ("br",) not in block.tokens:
        return block.text
    broken = "".join(
        token if isinstance(token, str) else "\0" if token == ("br",) else "" for token in block.tokens
    ).split("\0")
    return "\n".join(line for part in broken if (line := " ".join(part.split())))


def _separator(one: TextBlock, two: TextBlock) -> str:
    if one.frame.tag == two.frame.tag == "li":
        return "\n"
    table = one.frame.table
    if table is None or table is not two.frame.table or not holds_data(table):
        return "\n\n"
    are_cells = {one.frame.tag, two.frame.tag} <= {"td", "th"}
    return "\t" if are_cells and one.frame.place == two.frame.place else "\n"
