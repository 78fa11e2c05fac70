"""Detection of pages whose content is rendered by JavaScript."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.html.parser.html_element import HtmlElement, HtmlRoot

MUCH, LITTLE, SPARSE = 1_500, 200, 0.02  # visible characters; their share of the markup
UNSEEN = ("script", "style", "template", "noscript")
ROOTS = frozenset({"root", "app", "__next", "__nuxt", "svelte", "___gatsby"})  # ids of framework mount points


def explain_missing_content(tree: "HtmlRoot", markup: str, content: str, *, rendered: bool = False) -> str:
    """Return the reason why a browser would show more than `content`; "" if it would not.

    `rendered`: the site is known to render its pages by scripts.
    """
    if len(content) > MUCH:
        return ""
    from assay.html.reader.main_content import collect_blocks

    visible = sum(len(block.text) for block in collect_blocks(tree).blocks)
    if visible > MUCH:
        return ""
    if any(_is_root(element) and not _holds_text(element) for element in tree.iter()):
        return "The page is an empty shell that scripts fill."
    runs = any("json" not in (script.get("type") or "").lower() for script in tree.iter("script"))
    if runs and (rendered or visible < LITTLE):
        return f"The page shows {visible} characters and runs scripts."
    if visible < SPARSE * len(markup):
        return f"The page shows {visible} characters of {len(markup)} of markup."
    return ""


def _is_root(element: "HtmlElement") -> bool:
    return element.tag == "app-root" or element.get("id") in ROOTS


def _holds_text(element: "HtmlElement") -> bool:
    """Whether the element contains visible text; scripts and styles do not count."""
    if (element.text or "").strip() and element.tag not in UNSEEN:
        return True
    return any((inner.tail or "").strip() or _holds_text(inner) for inner in element)
