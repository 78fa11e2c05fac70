"""Markdown of others as safe HTML: no raw HTML, links to the web and to mail alone, images through the proxy."""

from collections.abc import Callable, MutableMapping, Sequence
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup

from assay.text.url_parts import split_url

SCHEMES = frozenset({"http", "https", "mailto"})
LONGEST_LINK = 4_000
LONGEST_TEXT = 50_000  # characters; what is longer is cut: hostile ones take 12 microseconds each
DEEPEST = 20  # of quotations and lists
HEADINGS_ABOVE = 2  # levels of headings of the pages around it
RELATIONS = "noopener noreferrer nofollow"
IMAGES = "images"  # where the environment of a rendering has the function that gives an image its address

type FindImage = Callable[[str], str | None]  # the address of a proxied image; None for one that is not shown


def get_safe_link(url: str) -> str | None:
    """The address, if it is one of the web or of mail."""
    if len(url) > LONGEST_LINK or any(character <= " " or character == "\x7f" for character in url):
        return None
    try:
        parts = split_url(url)
    except ValueError:
        return None
    is_whole = parts.scheme.lower() == "mailto" or bool(parts.hostname)
    return url if parts.scheme.lower() in SCHEMES and is_whole else None


@cache
def build_parser() -> MarkdownIt:
    """The parser. It escapes raw HTML, and leaves links with other schemes as text."""
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": DEEPEST}).enable(["table", "strikethrough"])
    parser.validateLink = lambda url: get_safe_link(url) is not None  # type: ignore[method-assign]
    parser.add_render_rule("link_open", open_link)
    parser.add_render_rule("image", write_image)
    parser.add_render_rule("heading_open", lower_heading)
    parser.add_render_rule("heading_close", lower_heading)
    return parser


def render_markdown(text: object, find_image: FindImage | None = None) -> Markup:
    """The text as HTML. Images are shown where `find_image` gives them an address, else as links."""
    whole = str(text)
    html = build_parser().render(whole[:LONGEST_TEXT], {IMAGES: find_image})
    if len(whole) > LONGEST_TEXT:
        html += f"<p><small>… the first {LONGEST_TEXT:,} of {len(whole):,} characters</small></p>"
    return Markup('<div class="markdown" dir="auto">{}</div>').format(Markup(html))  # noqa: S704  # markdown-it escapes


def open_link(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: MutableMapping[str, Any]
) -> str:
    token = tokens[index]
    if get_safe_link(str(token.attrGet("href") or "")) is None:  # an empty one, which the parser does not check
        token.attrs.pop("href", None)
    token.attrSet("rel", RELATIONS)
    return renderer.renderToken(tokens, index, options, env)


def lower_heading(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: MutableMapping[str, Any]
) -> str:
    token = tokens[index]
    token.tag = f"h{min(6, int(token.tag[1]) + HEADINGS_ABOVE)}"
    return renderer.renderToken(tokens, index, options, env)


def write_image(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: Any, env: MutableMapping[str, Any]
) -> str:
    """An image of the proxy, else a link to where it is."""
    token = tokens[index]
    url = str(token.attrGet("src") or "")
    alternative = renderer.renderInlineAsText(token.children, options, env)
    find_image = env.get(IMAGES)
    proxied = find_image(url) if find_image else None
    if proxied:
        return Markup('<img src="{}" alt="{}" loading="lazy">').format(proxied, alternative)
    if get_safe_link(url) is None:
        return Markup("{}").format(alternative)
    return Markup('<a href="{}" rel="{}">{}</a>').format(url, RELATIONS, alternative or "image")
