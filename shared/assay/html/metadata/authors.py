"""Who wrote a page, from all that it says."""

from typing import Any

from lxml.etree import XPath
from lxml.html import HtmlElement

from assay.bibliography import person_names
from assay.html.metadata import byline, jsonld, page_titles, page_type
from assay.html.metadata.neighbouring_text import Piece, find_first_elements
from assay.html.metadata.structured_data import Metas
from assay.text import url_text
from assay.text.plain_text import plain

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


def authors(
    tree: HtmlElement, named: Metas, node: dict[str, Any], around: list[Piece], genre: str, url: str
) -> tuple[str, ...]:
    """The writers of the page: those it states for machines, else those its byline names; not the site itself."""
    if genre in page_type.IMPERSONAL:
        return ()
    forum = genre == "forum"
    said = _written_by(named, node, forum)
    persons = _persons(node)
    writers = [name for name in said if name in persons or not _is_site(name, named, url)]
    shown = byline.writer(around, forum) if not writers else ()
    if writers or shown:
        return tuple(writers) or shown
    return () if said else _marked_authors(tree, forum)


def _written_by(named: Metas, node: dict[str, Any], forum: bool) -> list[str]:
    """The authors stated for machines, from the first source that names any."""
    own = [*jsonld.texts(node.get("author")), *([] if node.get("author") else jsonld.texts(node.get("creator")))]
    for candidates in (own, *(named.get(name, []) for name in AUTHOR_METAS), _labelled_authors(named)):
        found = dict.fromkeys(name for text in candidates for name in byline.names(plain(text)))
        found = found if forum else {name: None for name in found if not byline.LOGIN.fullmatch(name)}
        if found:
            return list(found)
    return []


def _persons(node: dict[str, Any]) -> set[str]:
    """The authors that are said to be persons: some sites are called like their writer."""
    said = node.get("author")
    listed = said if isinstance(said, list) else [said]
    persons = [one for one in listed if isinstance(one, dict) and "person" in jsonld.types(one)]
    return {name for text in jsonld.texts(persons) for name in byline.names(plain(text))}


def _is_site(name: str, named: Metas, url: str) -> bool:
    """Whether this author is only the site again; a site that is called like a person is that person's."""
    said = "".join(page_titles.words(name))
    sites = [site for key in ("og:site_name", "application-name") for site in named.get(key, [])]
    place = url_text.place(url)
    labels = place.host.split(".") if place else []
    again = said in labels or any(said == "".join(page_titles.words(site)) for site in sites)
    return again and not person_names.name(name).given


def _labelled_authors(named: Metas) -> list[str]:
    """Twitter cards have numbered labels: `Written by`, then the name."""
    for number in ("1", "2"):
        label = " ".join(named.get(f"twitter:label{number}", [])).lower()
        if label in ("written by", "author", "by"):
            return named.get(f"twitter:data{number}", [])
    return []


MARKED = XPath(  # by way of the attributes: half the time of asking every element
    "//@class[contains(.,'author') or contains(.,'byline') or contains(.,'username')]/.."
    " | //@rel[.='author']/.. | //@itemprop[.='author']/.."
)


def _marked_authors(tree: HtmlElement, forum: bool) -> tuple[str, ...]:
    """The author marked as such anywhere; nobody where many are, outside forums: then it is a list of teasers."""
    found: dict[tuple[str, ...], None] = {}
    for element in find_first_elements(MARKED, tree, 40):
        if byline.is_author_marked(element, 1) and (forum or not byline.elsewhere(element)):
            text = " ".join(" ".join(element.itertext()).split())
            names = byline.names(text) if len(text) < 100 else ()
            if names and forum:
                return names
            found.update({names: None} if names else {})
    return next(iter(found), ()) if len(found) <= 3 else ()
