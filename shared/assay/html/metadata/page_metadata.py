"""Metadata of a page: title, authors, dates, site, canonical URL, language and whether it is free to read."""

import re
from dataclasses import dataclass
from itertools import chain
from typing import Any

from assay.html.metadata import (
    archive_urls,
    authors,
    byline,
    dateline,
    jsonld,
    neighbouring_text,
    page_titles,
    page_type,
)
from assay.html.metadata.structured_data import Metas, StructuredData, bound_structured_data, collect_metas
from assay.html.parser.html_element import HtmlElement, HtmlRoot
from assay.text import stated_dates, url_text
from assay.text.plain_text import to_plain_text
from assay.text.url_parts import join_url
from assay.text.user_info import remove_url_user_info

ARTICLES = {
    *("article", "newsarticle", "blogposting", "techarticle", "scholarlyarticle", "medicalscholarlyarticle", "report"),
    *(
        "reportagenewsarticle",
        "analysisnewsarticle",
        "opinionnewsarticle",
        "reviewnewsarticle",
        "backgroundnewsarticle",
    ),
    *(
        "liveblogposting",
        "socialmediaposting",
        "discussionforumposting",
        "question",
        "recipe",
        "howto",
        "review",
        "book",
    ),
    *("advertisercontentarticle", "satiricalarticle", "apireference", "videoobject", "podcastepisode", "dataset"),
}
DATE_METAS = (
    *("article:published_time", "og:published_time", "citation_publication_date", "citation_online_date"),
    *(
        "citation_date",
        "dc.date.issued",
        "dcterms.issued",
        "dcterms.created",
        "dc.date.created",
        "datepublished",
        "parsely-pub-date",
    ),
    *(
        "sailthru.date",
        "publish-date",
        "publish_date",
        "publication_date",
        "pubdate",
        "published_date",
        "date.published",
    ),
    *(
        "article.published",
        "publishdate",
        "originalpublicationdate",
        "cxenseparse:recs:publishtime",
        "dc.date",
        "dcterms.date",
    ),
    *(
        "date",
        "article:published",
        "og:article:published_time",
        "published",
        "datecreated",
        "displaydate",
        "rnews:datepublished",
    ),
)
MODIFIED_METAS = (
    *(
        "article:modified_time",
        "og:updated_time",
        "og:modified_time",
        "datemodified",
        "dcterms.modified",
        "dc.date.modified",
    ),
    *("last-modified", "lastmod", "revised"),
)
DATE_PROPERTIES = frozenset(("datePublished", "dateCreated"))
MAX_TYPES = 32
LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")


@dataclass(frozen=True)
class PageFacts:
    """Metadata of a page; "" or empty where unknown. Dates are ISO 8601, `canonical` is an absolute URL."""

    title: str = ""
    authors: tuple[str, ...] = ()
    site: str = ""
    published: str = ""
    modified: str = ""
    description: str = ""
    canonical: str = ""
    language: str = ""
    types: tuple[str, ...] = ()  # JSON-LD types, lower case
    doi: str = ""  # citation_doi, as written
    access_free: bool | None = None  # isAccessibleForFree or article:content_tier; None if neither is present
    structured: StructuredData | None = None


def extract_facts(tree: HtmlRoot, url: str) -> PageFacts:
    """Return the metadata of the page at `url`, from JSON-LD, meta elements, microdata and the text around its
    heading. An archived copy has those of the page.
    """
    named = collect_metas(tree)
    if archive_urls.is_stamped(url):
        named = {name: values for name, values in named.items() if name not in archive_urls.STAMPS}
    own_url = archive_urls.find_original_url(url)
    blocks = jsonld.find_blocks(tree)
    nodes = jsonld.collect_nodes(blocks)
    language = _language(tree, named)
    heading = page_titles.find_main_heading(tree, named)
    node = _subject(nodes, own_url)
    genre = page_type.classify_page(named, nodes, own_url)
    around = _pieces_around(heading, genre, archive_urls.find_capture_day(url))
    american = language.lower() in ("", "en", "en-us")
    visible = dateline.find_dates(around, american, genre == "forum")
    published, modified = _dates(tree, named, node, visible, url)
    if not published and page_type.is_authored(genre, own_url):
        published = _only_date(tree, american)
    return PageFacts(
        title=page_titles.find_title(tree, heading, named, node),
        authors=authors.find_authors(tree, named, node, around, genre, own_url),
        site=_site(named, nodes),
        published=published,
        modified=modified,
        description=_first_meta(named, "og:description", "description", "twitter:description", "dc.description"),
        canonical=_canonical(tree, named, url),
        language=language,
        types=tuple(dict.fromkeys(kind[:60] for one in nodes for kind in jsonld.node_types(one)))[:MAX_TYPES],
        doi=_first_meta(named, "citation_doi", "dc.identifier.doi", "prism.doi"),
        access_free=_is_free(nodes, named),
        structured=bound_structured_data(blocks, named),
    )


def _first_meta(named: Metas, *wanted: str) -> str:
    return next((text for name in wanted for value in named.get(name, ()) if (text := to_plain_text(value))), "")


def _subject(nodes: list[dict[str, Any]], url: str) -> dict[str, Any]:
    """Return the JSON-LD node that describes this page; empty if there is none or several are equally likely."""
    articles = [node for node in nodes if ARTICLES.intersection(jsonld.node_types(node))]
    if len(articles) > 1:
        own = [node for node in articles if _is_about(node, url)]
        articles = own or (
            [articles[0]] if len({str(node.get("headline")) for node in articles}) == 1 else articles[:1]
        )
    return articles[0] if articles else {}


def _is_about(node: dict[str, Any], url: str) -> bool:
    identifiers = [node.get("url"), node.get("@id"), node.get("mainEntityOfPage")]
    links = [one.get("@id") if isinstance(one, dict) else one for one in identifiers]
    page_key = url_text.url_key(url)
    return any(isinstance(link, str) and url_text.url_key(link) == page_key for link in links)


def _pieces_around(heading: HtmlElement | None, genre: str, capture: str) -> list[neighbouring_text.Piece]:
    """Return the pieces of text around the heading, without what an archive writes above about the day of `capture`."""
    if heading is None or genre in page_type.IMPERSONAL:
        return []
    limit = neighbouring_text.PIECES_AFTER_IN_FORUM if genre == "forum" else neighbouring_text.PIECES_AFTER
    before = neighbouring_text.collect_pieces_before(heading)
    if capture:
        before = [piece for piece in before if dateline.find_piece_date(piece, american=False)[:10] != capture]
    return neighbouring_text.collect_pieces_after(heading, limit) + before


DATED_NAMES = re.compile("[dD]ate|publish|posted")
MAX_DATED = 60  # elements that may be marked as a date


def _list_possible_dates(tree: HtmlRoot) -> list[HtmlElement]:
    """Return the first elements that may be marked as a date."""
    return tree.list_matching({"class": tree.find_classes(DATED_NAMES)}, "time")[:MAX_DATED]


def _only_date(tree: HtmlRoot, american: bool) -> str:
    """Return the date marked as one in the document, if it has exactly one."""
    marked = [one for one in _list_possible_dates(tree) if not byline.is_secondary_content(one)]
    pieces = [neighbouring_text.Piece(one, " ".join("".join(one.itertext()).split())) for one in marked]
    own = [piece for piece in pieces if not dateline.OTHER_DATE_LABEL.search(piece.text)]
    days = {day for piece in own if (day := dateline.find_piece_date(piece, american)[:10])}
    return days.pop() if len(days) == 1 else ""


def _dates(
    tree: HtmlRoot, named: Metas, node: dict[str, Any], visible: dateline.PageDates, url: str
) -> tuple[str, str]:
    """Return the publication and modification dates, from the most reliable source; the URL's date comes last."""
    published = stated_dates.parse_stated_date(node.get("datePublished")) or stated_dates.parse_stated_date(
        node.get("dateCreated")
    )
    modified = stated_dates.parse_stated_date(node.get("dateModified")) or _date(named, MODIFIED_METAS)
    published = published or _date(named, DATE_METAS)
    if not published and not archive_urls.is_stamped(url):
        one = next(iter(tree.list_matching({"itemprop": DATE_PROPERTIES})), None)
        if one is not None:
            published = stated_dates.parse_stated_date(
                one.get("datetime") or one.get("content") or "".join(one.itertext())
            )
    published = published or visible.published or visible.modified or stated_dates.find_url_date(url)
    return published, modified or visible.modified


def _date(named: Metas, wanted: tuple[str, ...]) -> str:
    return next(
        (day for name in wanted for value in named.get(name, ()) if (day := stated_dates.parse_stated_date(value))), ""
    )


def _site(named: Metas, nodes: list[dict[str, Any]]) -> str:
    site_name = _first_meta(
        named, "og:site_name", "citation_journal_title", "application-name", "dc.publisher", "al:ios:app_name"
    )
    if site_name:
        return site_name
    for node in nodes:
        for name in ("publisher", "isPartOf"):
            if names := jsonld.extract_names(node.get(name)):
                return to_plain_text(names[0])
        if "website" in jsonld.node_types(node) and (names := jsonld.extract_names(node)):
            return to_plain_text(names[0])
    return ""


def _canonical(tree: HtmlElement, named: Metas, url: str) -> str:
    links = (link.get("href") for link in tree.iter("link") if "canonical" in (link.get("rel") or "").lower().split())
    for link in chain(links, named.get("og:url", ())):
        target = url_text.parse_http_url(remove_url_user_info(_join_url(url, link or "")))
        if target and link:
            return target.href
    return ""


def _join_url(url: str, link: str) -> str:
    try:
        return join_url(url, link.strip())
    except ValueError:
        return ""


def _language(tree: HtmlElement, named: Metas) -> str:
    declared = (
        tree.get("lang") or tree.get("xml:lang") or _first_meta(named, "content-language", "og:locale", "dc.language")
    )
    tag = LANGUAGE.match(declared.strip())
    return tag[0].replace("_", "-") if tag else ""


def _is_free(nodes: list[dict[str, Any]], named: Metas) -> bool | None:
    for node in nodes:
        declared = node.get("isAccessibleForFree")
        if declared is not None:
            return str(declared).strip().lower() in ("true", "1", "https://schema.org/true", "http://schema.org/true")
    tier = _first_meta(named, "article:content_tier").lower()
    return {"free": True, "metered": False, "locked": False}.get(tier)
