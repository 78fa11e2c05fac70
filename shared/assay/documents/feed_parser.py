"""Feed parser: RSS 0.9 to 2.0, RDF Site Summary 1.0, Atom 0.3 and 1.0 (RFC 4287), JSON Feed 1.1."""

import html
import html.entities
import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Literal

from assay.errors import UpstreamFailed
from assay.text.dates import is_impossible
from assay.text.decode import decode
from assay.text.safe_xml import DECLARATION, Element, local_name, parse_xml
from assay.text.url_parts import join_url
from assay.text.user_info import remove_url_user_info

ROOTS = {"rss", "RDF", "feed"}
CORE = {  # namespaces of the formats themselves; others are extensions
    "",
    "http://www.w3.org/2005/Atom",
    "http://purl.org/atom/ns#",
    "http://purl.org/rss/1.0/",
    "http://my.netscape.com/rdf/simple/0.9/",
    "http://channel.netscape.com/rdf/simple/0.9/",
    "http://backend.userland.com/rss2",
    "http://backend.userland.com/RSS2",
    "http://blogs.law.harvard.edu/tech/rss",
}
ADDED = {
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://purl.org/dc/terms/": "dc",
    "http://purl.org/rss/1.0/modules/content/": "content",
}
BASE = "{http://www.w3.org/XML/1998/namespace}base"
ABOUT = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"
HTML_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,60}")
DOCTYPE = re.compile(r"<!DOCTYPE\s+(?:rss|rdf|rdf:RDF|feed)\b[^\[<>]*>", re.IGNORECASE)  # without an internal subset
ENTITY = re.compile(  # CDATA, a named reference, or a bare ampersand
    r"<!\[CDATA\[.*?(?:\]\]>|\Z)|&([A-Za-z][A-Za-z0-9]{1,31});|&(?!#(?:\d{1,7}|[xX][0-9A-Fa-f]{1,6});)", re.DOTALL
)
OWN_ENTITIES = {"amp", "lt", "gt", "quot", "apos"}


@dataclass
class FeedItem:
    """An entry, or the feed's own metadata. `summary`, `content` (HTML or text) and the dates are as in the source."""

    title: str = ""
    link: str = ""
    published: str = ""
    updated: str = ""
    summary: str = ""
    content: str = ""
    author: str = ""


@dataclass
class ParsedFeed:
    """A feed: its metadata, its entries in source order, and its format."""

    head: FeedItem = field(default_factory=FeedItem)
    items: list[FeedItem] = field(default_factory=list)
    dialect: Literal["rss", "atom", "json"] = "rss"


def parse_feed(body: bytes, charset: str | None = None, base: str = "") -> ParsedFeed:
    """Parse the feed in `body`.

    `charset` is that of the Content-Type header, `base` the URL of the feed. Raises UpstreamFailed if it is not a feed.
    """
    text = decode(body, charset).lstrip("\ufeff \t\r\n\0")
    if text.startswith("{"):
        return _parse_json(text, base)
    text = DECLARATION.sub("", text[max(text.find("<"), 0) :], count=1)
    text = DOCTYPE.sub("", ENTITY.sub(_replace_entity, text), count=1)
    root = parse_xml(text.encode(errors="replace"), "feed", lenient=True)
    if local_name(root) not in ROOTS:
        raise UpstreamFailed("The XML is not a feed: its root element is none of rss, RDF and feed.")
    channel = next((part for part in root if local_name(part) == "channel"), root)
    items = [
        part for part in root.iter() if local_name(part) in {"item", "entry"} and _read_name(part) in {"item", "entry"}
    ]
    dialect: Literal["rss", "atom"] = "atom" if local_name(root) == "feed" else "rss"
    return ParsedFeed(_read_item(channel, base), [_read_item(item, base) for item in items], dialect)


def _replace_entity(match: re.Match[str]) -> str:
    """Replace an HTML entity, which XML does not define, by its character; escape an unknown one and a bare `&`."""
    name = match[1]
    if match[0] == "&":
        return "&amp;"
    if name is None or name in OWN_ENTITIES:
        return match[0]
    return html.unescape(match[0]) if f"{name};" in html.entities.html5 else f"&amp;{name};"


def _read_name(element: Element) -> str:
    """The name with a standard prefix (`title`, `dc:date`, `content:encoded`); "" in an unsupported namespace."""
    tag = element.tag if isinstance(element.tag, str) else ""
    namespace, _, name = tag.removeprefix("{").rpartition("}")
    if not namespace and ":" in name:  # an undeclared prefix
        prefix, _, name = name.partition(":")
        return f"{prefix}:{name}" if prefix in ADDED.values() else ""
    if namespace in ADDED:
        return f"{ADDED[namespace]}:{name}"
    is_own = namespace in CORE or namespace == _read_namespace(element.getroottree().getroot())
    return name if is_own else ""


def _read_namespace(element: Element) -> str:
    return str(element.tag).removeprefix("{").rpartition("}")[0]


def _read_item(element: Element, base: str) -> FeedItem:
    parts: dict[str, Element] = {}
    for part in element:
        name = _read_name(part)
        if name and (name not in parts or not _read_text(parts[name])):
            parts[name] = part

    def first(*names: str, read: Callable[[Element], str] = _read_text) -> str:
        return next((text for name in names if name in parts and (text := read(parts[name]))), "")

    return FeedItem(
        title=first("title", "dc:title", read=_read_title),
        link=_find_link(element, _join_bases(element, base)),
        published=first("pubDate", "published", "issued", "dc:date", "dc:issued", "dc:created", read=_read_date),
        updated=first("updated", "modified", "lastBuildDate", "dc:modified", read=_read_date),
        summary=first("summary", "description", "tagline", "subtitle", "dc:description", read=_read_markup),
        content=first("content:encoded", "content", read=_read_markup),
        author=first("author", "dc:creator", "managingEditor", read=_read_author),
    )


def _join_bases(element: Element, base: str) -> str:
    """The base of relative URLs in an element: `base` with the `xml:base` of its ancestors and itself (RFC 3986)."""
    for outer in (*reversed(list(element.iterancestors())), element):
        base = _join_url(base, outer.get(BASE) or "")
    return base


def _read_text(element: Element) -> str:
    return "".join(element.itertext()).strip()


def _read_date(element: Element) -> str:
    return _valid_date(_read_text(element))


def _valid_date(date: str) -> str:
    """The date as in the source; "" if it is not a calendar date."""
    return "" if is_impossible(date) else date


def _read_title(element: Element) -> str:
    """The text of a title, unescaped if its Atom `type` is html (RFC 4287 section 3.1.1)."""
    text = _read_text(element)
    return html.unescape(text) if element.get("type") in {"html", "text/html"} else text


def _read_markup(element: Element) -> str:
    """The HTML content: escaped text (RSS, Atom html) or child elements (Atom xhtml, RFC 4287 section 3.1.1.3)."""
    if element.get("type") not in {"xhtml", "application/xhtml+xml"} or not len(element):
        return _read_text(element)
    from lxml import etree

    for part in element.iter():
        if isinstance(part.tag, str):
            name = local_name(part)
            part.tag = name if HTML_NAME.fullmatch(name) else "span"  # lenient parsing keeps invalid names
    inside = element[0] if len(element) == 1 and local_name(element[0]) == "div" else element
    parts = [html.escape(inside.text or "", quote=False)]
    for part in inside:
        alone = deepcopy(part)  # without the namespace declarations of its ancestors
        etree.cleanup_namespaces(alone)
        parts.append(etree.tostring(alone, encoding="unicode"))
    return "".join(parts).strip()


def _read_author(element: Element) -> str:
    return _read_text(next((part for part in element if local_name(part) == "name"), element))


def _find_link(element: Element, base: str) -> str:
    """The entry's page: the Atom alternate link, the RSS link, a permalink guid, or else any link."""
    last = ""
    for part in element:
        if local_name(part) != "link":
            continue
        address = _to_address(part.get("href") or part.text or "", base)
        is_own = _read_name(part) == "link" and not (part.get("href") and _is_rss(element))
        if address and is_own and part.get("rel", "alternate") == "alternate":
            return address
        last = last or (address if is_own else "")
    guid = next((part for part in element if _read_name(part) == "guid" and part.get("isPermaLink") != "false"), None)
    permanent = "" if guid is None else _to_address(guid.text or "", "")
    return permanent or last or _to_address(element.get(ABOUT) or "", "")


def _is_rss(element: Element) -> bool:
    return local_name(element) in {"channel", "item"}


def _to_address(text: str, base: str) -> str:
    """The absolute http(s) URL without user name and password; "" for any other scheme."""
    text = "".join(text.split())
    address = _join_url(base, text) if text else ""
    return remove_url_user_info(address) if address.lower().startswith(("http://", "https://")) else ""


def _join_url(base: str, text: str) -> str:
    try:
        return join_url(base, text)
    except ValueError:  # an invalid IPv6 literal
        return ""


def _parse_json(text: str, base: str) -> ParsedFeed:
    try:
        feed = json.loads(text)
    except (ValueError, RecursionError) as failure:
        raise UpstreamFailed(f"The feed is not valid JSON: {failure}") from failure
    if not isinstance(feed, dict) or not isinstance(feed.get("items"), list):
        raise UpstreamFailed("The JSON feed has no list of items.")
    items = [_read_json_item(item, base) for item in feed["items"] if isinstance(item, dict)]
    return ParsedFeed(_read_json_item(feed, base), items, "json")


def _read_json_item(item: dict[str, Any], base: str) -> FeedItem:
    def first(*names: str) -> str:
        return next((str(item[name]) for name in names if isinstance(item.get(name), str) and item[name]), "").strip()

    return FeedItem(
        title=first("title"),
        link=_to_address(first("url", "external_url", "home_page_url"), base),
        published=_valid_date(first("date_published")),
        updated=_valid_date(first("date_modified")),
        summary=first("summary", "description"),
        content=first("content_html", "content_text"),
        author=", ".join(_iterate_json_authors(item)),
    )


def _iterate_json_authors(item: dict[str, Any]) -> Iterator[str]:
    authors = item.get("authors") or [item.get("author")]
    for author in authors if isinstance(authors, list) else []:
        if isinstance(author, dict) and isinstance(author.get("name"), str):
            yield author["name"]
