"""Markdown of HTML that a document or an answer holds or that is made of it, all of whose visible text is content."""


def prepare() -> None:
    """Import what `render_html` needs, before the sandbox forbids opening files."""
    from assay.html.parser import html_tree  # noqa: F401
    from assay.html.reader import main_content, markdown_renderer  # noqa: F401


def render_html(html: str, url: str = "") -> tuple[str, bool]:
    """Return the visible text as markdown, and whether a limit left out a part of it; links are relative to `url`."""
    from assay.html.parser.html_tree import open_html
    from assay.html.reader.main_content import collect_blocks
    from assay.html.reader.markdown_renderer import MarkdownRenderer

    with open_html(html) as tree:
        page = collect_blocks(tree)
        renderer = MarkdownRenderer(page, url)
        text = renderer.render(page.blocks).strip()
        return text, renderer.is_cut
