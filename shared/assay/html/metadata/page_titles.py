"""The title of a page: its main heading or declared title, without the site's name."""

import re
from itertools import islice
from typing import Any

from assay.html.metadata import jsonld
from assay.html.metadata.structured_data import Metas
from assay.html.parser.html_element import HtmlElement, HtmlRoot
from assay.html.reader.navigation_marks import is_permalink, without_permalink
from assay.text.plain_text import to_plain_text

SEPARATOR = re.compile(r"\s+[|\-–—·•»«:~/]+\s+|\s*[|»]\s*|\s+::\s+|:\s+(?=\S+$)")
# Names of sections and of the site, which pages in scripts without spaces add with low lines.
SECTIONS = re.compile(r"(?<=.)(?:(?<=[\u2e80-\U0003ffff])_|_(?=[\u2e80-\U0003ffff])).*", re.DOTALL)
TOPIC = re.compile(r".{0,120}\bView topic\s+-\s+(?=\S)", re.IGNORECASE)  # of phpBB, after the name of the forum
WORD = re.compile(r"\w+")
# The title that social networks share for a post or account: "Ann Lee (@ann) on X".
ACCOUNT = re.compile(r"(\S.{0,80}?)\s+\(@[\w.@-]{1,80}\)(?:\s+(?:on|[•·|])\s.{1,40})?")
MAX_TITLE = 300
MAX_BUTTONS = 4  # in a heading, which are no part of the title
FILE_NAME = re.compile(r"\S+\.(?:xml|x?html?|pdf|docx?|rtf|odt|indd|qxd)", re.IGNORECASE)  # in place of a title
TITLE_CLASS = re.compile(r"(?<![^\s-])(?:main-?title|doc-ti(?:tle)?)(?!\S)")  # as in the Official Journal of the EU
H1_BONUS = 0.15  # margin by which a lower heading must be more similar to the title than an h1
# Elements that hold the title on pages where no heading does, the elements that are examined, and the least characters.
TITLE_HOLDERS = ("h4", "h5", "h6", "div", "p", "td", "strong", "b", "span", "font")
MAX_HOLDERS, MIN_HELD_TITLE = 2_000, 8


def split_words(text: str) -> list[str]:
    return WORD.findall(text.casefold())


def find_main_heading(tree: HtmlElement, named: Metas) -> HtmlElement | None:
    """Return the main heading: the h1 most similar to a declared title, or a lower heading that nearly equals one."""
    declared = [set(split_words(text)) for text in _list_declared_titles(tree, named)]
    h1s = list(islice(tree.iter("h1"), 12))
    scored = [(score + H1_BONUS, one) for one in h1s if (score := _measure_similarity(one, declared)) > 0]
    if declared and max((score for score, _ in scored), default=0.0) < 1:  # else no lower heading scores higher
        lower_headings = islice(tree.iter("h2", "h3"), 8)
        scored += [(score, one) for one in lower_headings if (score := _measure_similarity(one, declared)) > 0.8]
    if scored:
        return max(scored, key=lambda pair: pair[0])[1]
    return _find_title_holder(tree, named) or next(iter(h1s), None)


def _find_title_holder(tree: HtmlElement, named: Metas) -> HtmlElement | None:
    """Return the first element whose whole text is a declared title, or most of one, before the names of its site."""
    whole = (get_title_element_text(tree), *named.get("og:title", [])[:1])
    declared = [title for text in whole if (title := TOPIC.sub("", to_plain_text(text, MAX_TITLE)))]
    for element in islice(tree.iter(*TITLE_HOLDERS), MAX_HOLDERS) if declared else ():
        text = " ".join((element.text or "").split()) if element.first is None else ""
        if len(text) >= MIN_HELD_TITLE and any(_is_held(title, text, named) for title in declared):
            return element
    return None


def _is_held(title: str, text: str, named: Metas) -> bool:
    """Return whether the text is the title without a name at its end, which may be unknown."""
    if text == title:
        return strip_site_name(title, named) == title
    return title.startswith(text) and len(text) * 2 > len(title) and not title[len(text) :].lstrip()[:1].isalnum()


def _list_declared_titles(tree: HtmlElement, named: Metas) -> list[str]:
    """Return the titles declared in the document's head, without the site's name."""
    whole = [
        to_plain_text(text, MAX_TITLE)
        for text in (get_title_element_text(tree), *named.get("og:title", [])[:1])
        if text
    ]
    return [strip_site_name(text, named) for text in whole]


def _measure_similarity(heading: HtmlElement, declared: list[set[str]]) -> float:
    """Return the highest F1 score of shared words between the heading and a declared title; 0 without common words."""
    heading_words = set(split_words(_extract_text(heading))) if declared else set()
    return max(
        (2 * len(heading_words & one) / (len(heading_words) + len(one)) for one in declared if heading_words and one),
        default=0.0,
    )


def get_title_element_text(tree: HtmlElement) -> str:
    """Return the text of the document's title element, but for the name of a file; titles inside SVG do not count."""
    for one in tree.iter("title"):
        parent = one.getparent()
        if parent is None or parent.tag not in ("svg", "g", "symbol"):
            text = to_plain_text("".join(one.itertext()), MAX_TITLE)
            return "" if FILE_NAME.fullmatch(text) else text
    return ""


def find_title(tree: HtmlRoot, heading: HtmlElement | None, named: Metas, node: dict[str, Any]) -> str:
    """Return the page's title, "" if it has none."""
    title_text = get_title_element_text(tree)
    cited = named.get("citation_title") or named.get("dc.title") or []
    if cited:
        return to_plain_text(cited[0], MAX_TITLE)
    og_title = to_plain_text(next(iter(named.get("og:title", [])), ""), MAX_TITLE)
    if title_text and find_account(named):
        og_title = ""  # the other one has the words of the post
    headline = to_plain_text(next(iter(jsonld.extract_names(node.get("headline") or node.get("name"))), ""), MAX_TITLE)
    heading_text = _extract_text(heading) if heading is not None else ""
    if heading_text and _is_confirmed(heading_text, [text for text in (title_text, og_title, headline) if text], named):
        return heading_text
    return strip_site_name(headline or og_title or title_text, named) or heading_text or _find_marked_title(tree)


def find_account(named: Metas) -> str:
    """Return the name of the account that the shared title of a page is; "" for other titles."""
    found = ACCOUNT.fullmatch(to_plain_text(next(iter(named.get("og:title", [])), ""), MAX_TITLE))
    return found[1] if found else ""


def _find_marked_title(tree: HtmlRoot) -> str:
    """Return the text of the first element that a class marks as the title."""
    marked = tree.list_matching({"class": tree.find_classes(TITLE_CLASS)})
    return _extract_text(marked[0]) if marked else ""


def _is_confirmed(heading: str, declared: list[str], named: Metas) -> bool:
    """Return whether the heading names the page rather than the site: most of its words occur in a declared title."""
    heading_words = split_words(heading)
    stated_words = {word for text in declared for word in split_words(text)}
    if not declared:
        return True
    if not heading_words or sum(word in stated_words for word in heading_words) / len(heading_words) < 0.6:
        return False
    page_words = {word for text in declared for word in split_words(strip_site_name(text, named))}
    return not page_words or bool(page_words.intersection(heading_words))


def strip_site_name(text: str, named: Metas) -> str:
    """Return the title without the site's name at either end."""
    if "view topic" in text.lower():
        text = TOPIC.sub("", text)
    if "_" in text:
        text = SECTIONS.sub("", text)
    pieces = [piece.strip() for piece in SEPARATOR.split(text) if piece.strip()]
    if len(pieces) < 2:
        return text
    site = split_words(" ".join(named.get("og:site_name", [])[:1]))
    for end in (-1, 0):
        if site and split_words(pieces[end]) == site:
            return _remove_end(text, pieces[end], end)
    if len(split_words(pieces[-1])) <= 4 and split_words(pieces[0]):
        rest = _remove_end(text, pieces[-1], -1)
        return rest if any(map(str.isalpha, rest)) else text  # not the number of a report without its subject
    return text


def _remove_end(text: str, piece: str, end: int) -> str:
    rest = text[: text.rindex(piece)] if end else text[text.index(piece) + len(piece) :]
    return rest.strip(" |-–—·•»«:~/\t")


def _extract_text(element: HtmlElement) -> str:
    whole = " ".join(text for text in element.itertext() if not is_permalink(text))
    text = whole
    for button in islice(element.iter("button"), MAX_BUTTONS):
        if said := " ".join(button.itertext()):
            text = " ".join(text.rsplit(said, 1))
    return without_permalink(to_plain_text(text if text.strip() else whole, MAX_TITLE))
