"""Authors of a page, from its meta elements, JSON-LD and bylines."""

import re
from typing import Any

from assay.bibliography import person_names
from assay.html.metadata import byline, jsonld, page_titles, page_type
from assay.html.metadata.mail_heads import find_sender
from assay.html.metadata.neighbouring_text import Piece
from assay.html.metadata.structured_data import Metas
from assay.html.parser.html_element import HtmlElement, HtmlRoot
from assay.text import url_text
from assay.text.plain_text import to_plain_text

AUTHOR_METAS = (
    *("citation_author", "citation_authors", "author", "article:author", "article:author_name", "dc.creator"),
    *(
        "dcterms.creator",
        "dc.creator.personalname",
        "parsely-author",
        "sailthru.author",
        "byl",
        "og:author",
        "book:author",
    ),
)


def find_authors(
    tree: HtmlRoot, named: Metas, node: dict[str, Any], around: list[Piece], genre: str, url: str
) -> tuple[str, ...]:
    """Return the names of the page's authors, without the site's own name.

    Machine-readable statements come first, then the byline near the heading, then elements marked as author.
    """
    if genre in page_type.IMPERSONAL:
        return ()
    forum = genre == "forum"
    declared = _find_declared_authors(named, node, forum)
    persons = _find_person_names(node)
    writers = [name for name in declared if name in persons or not _is_site(name, named, url)]
    senders = byline.parse_byline(find_sender(around)) if not writers else ()
    byline_names = senders or (byline.find_byline_authors(around, forum) if not writers else ())
    if writers or byline_names:
        return tuple(writers) or byline_names
    if account := page_titles.find_account(named):
        return (account,)
    return () if declared else _find_marked_authors(tree, forum)


def _find_declared_authors(named: Metas, node: dict[str, Any], forum: bool) -> list[str]:
    """Return the authors of the first machine-readable source that names any."""
    node_authors = [
        *jsonld.extract_names(node.get("author")),
        *([] if node.get("author") else jsonld.extract_names(node.get("creator"))),
    ]
    for candidates in (node_authors, *(named.get(name, []) for name in AUTHOR_METAS), _find_labelled_authors(named)):
        names = dict.fromkeys(name for text in candidates for name in byline.parse_byline(to_plain_text(text)))
        names = names if forum else {name: None for name in names if not byline.LOGIN_NAME.fullmatch(name)}
        if names:
            return list(names)
    return []


def _find_person_names(node: dict[str, Any]) -> set[str]:
    """Return the authors typed as Person, because some sites have their author's name."""
    author = node.get("author")
    listed = author if isinstance(author, list) else [author]
    persons = [one for one in listed if isinstance(one, dict) and "person" in jsonld.node_types(one)]
    return {name for text in jsonld.extract_names(persons) for name in byline.parse_byline(to_plain_text(text))}


def _is_site(name: str, named: Metas, url: str) -> bool:
    """Return whether the author is only the site's name; a site with a person's name counts as that person."""
    compact_name = "".join(page_titles.split_words(name))
    sites = [site for key in ("og:site_name", "application-name") for site in named.get(key, [])]
    place = url_text.parse_http_url(url)
    labels = place.host.split(".") if place else []
    repeats_site = compact_name in labels or any(
        compact_name == "".join(page_titles.split_words(site)) for site in sites
    )
    return repeats_site and not person_names.parse_name(name).given


def _find_labelled_authors(named: Metas) -> list[str]:
    """Return the author from the numbered labels of a Twitter card: `Written by`, then the name."""
    for number in ("1", "2"):
        label = " ".join(named.get(f"twitter:label{number}", [])).lower()
        if label in ("written by", "author", "by"):
            return named.get(f"twitter:data{number}", [])
    return []


AUTHOR_NAMES = re.compile("author|byline|username")
MAX_MARKED = 40  # elements that may be marked as an author


def _list_possible_marks(tree: HtmlRoot) -> list[HtmlElement]:
    """Return the first elements that may be marked as an author."""
    named, author = tree.find_classes(AUTHOR_NAMES), ("author",)
    return tree.list_matching({"class": named, "rel": author, "itemprop": author})[:MAX_MARKED]


def _find_marked_authors(tree: HtmlRoot, forum: bool) -> tuple[str, ...]:
    """Return the author marked in the document; none if there are many outside forums, which means a list of
    teasers.
    """
    candidates: dict[tuple[str, ...], None] = {}
    for element in _list_possible_marks(tree):
        if byline.is_author_marked(element, 1) and (forum or not byline.is_secondary_content(element)):
            text = " ".join(" ".join(element.itertext()).split())
            names = byline.parse_byline(text) if len(text) < 100 else ()
            if names and forum:
                return names
            candidates.update({names: None} if names else {})
    return next(iter(candidates), ()) if len(candidates) <= 3 else ()
