"""Feeds as they are written: RSS 0.9 to 2.0, RDF, Atom 0.3 and 1.0, JSON Feed."""

import html
import html.entities
import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Literal

from assay.documents.safe_xml import DECLARATION, Element, local, root_of
from assay.errors import UpstreamFailed
from assay.text.dates import is_impossible
from assay.text.decode import decode
from assay.text.url_parts import join_url

ROOTS = {"rss", "RDF", "feed"}
CORE = {  # the dialects' own namespaces; elements of any other are somebody's addition
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
DOCTYPE = re.compile(r"<!DOCTYPE\s+(?:rss|rdf|rdf:RDF|feed)\b[^\[<>]*>", re.IGNORECASE)  # none has entities of its own
ENTITY = re.compile(r"<!\[CDATA\[.*?(?:\]\]>|\Z)|&([A-Za-z][A-Za-z0-9]{1,31});", re.DOTALL)
OWN_ENTITIES = {"amp", "lt", "gt", "quot", "apos"}


@dataclass
class FeedItem:
    """An entry, or the feed itself. `summary` and `content` are HTML or text as written; dates are as written too."""

    title: str = ""
    link: str = ""
    published: str = ""
    updated: str = ""
    summary: str = ""
    content: str = ""
    author: str = ""


@dataclass
class ParsedFeed:
    head: FeedItem = field(default_factory=FeedItem)
    items: list[FeedItem] = field(default_factory=list)
    dialect: Literal["rss", "atom", "json"] = "rss"


def feed_of(body: bytes, charset: str | None = None, base: str = "") -> ParsedFeed:
    """The feed in `body`. `charset` is what its server says, `base` where it was found. UpstreamFailed for no feed."""
    text = decode(body, charset).lstrip("\ufeff \t\r\n\0")
    if text.startswith("{"):
        return _json(text, base)
    text = DECLARATION.sub("", text[max(text.find("<"), 0) :], count=1)
    text = DOCTYPE.sub("", ENTITY.sub(_replace_entity, text), count=1)
    root = root_of(text.encode(errors="replace"), "feed", lenient=True)
    if local(root) not in ROOTS:
        raise UpstreamFailed("The root of the XML is none of a feed: neither rss, nor RDF, nor feed.")
    channel = next((part for part in root if local(part) == "channel"), root)
    items = [part for part in root.iter() if local(part) in {"item", "entry"} and _name(part) in {"item", "entry"}]
    dialect: Literal["rss", "atom"] = "atom" if local(root) == "feed" else "rss"
    return ParsedFeed(_item(channel, base), [_item(item, base) for item in items], dialect)


def _replace_entity(found: re.Match[str]) -> str:
    """HTML's entities, which XML does not know, as the characters they are."""
    name = found[1]
    if name is None or name in OWN_ENTITIES:
        return found[0]
    return html.unescape(found[0]) if f"{name};" in html.entities.html5 else f"&amp;{name};"


def _name(element: Element) -> str:
    """`title`, `dc:date`, `content:encoded`; "" for an element of a namespace that is not read."""
    tag = element.tag if isinstance(element.tag, str) else ""
    namespace, _, name = tag.removeprefix("{").rpartition("}")
    if not namespace and ":" in name:  # a prefix that was never declared
        prefix, _, name = name.partition(":")
        return f"{prefix}:{name}" if prefix in ADDED.values() else ""
    if namespace in ADDED:
        return f"{ADDED[namespace]}:{name}"
    own = namespace in CORE or namespace == _namespace(element.getroottree().getroot())
    return name if own else ""


def _namespace(element: Element) -> str:
    return str(element.tag).removeprefix("{").rpartition("}")[0]


def _item(element: Element, base: str) -> FeedItem:
    found: dict[str, Element] = {}
    for part in element:
        name = _name(part)
        if name and (name not in found or not _text(found[name])):
            found[name] = part

    def first(*names: str, read: Callable[[Element], str] = _text) -> str:
        return next((text for name in names if name in found and (text := read(found[name]))), "")

    return FeedItem(
        title=first("title", "dc:title", read=_words),
        link=_link(element, _join_url(base, element.get(BASE) or "")),
        published=first("pubDate", "published", "issued", "dc:date", "dc:issued", "dc:created", read=_date),
        updated=first("updated", "modified", "lastBuildDate", "dc:modified", read=_date),
        summary=first("summary", "description", "tagline", "subtitle", "dc:description", read=_markup),
        content=first("content:encoded", "content", read=_markup),
        author=first("author", "dc:creator", "managingEditor", read=_author),
    )


def _text(element: Element) -> str:
    return "".join(element.itertext()).strip()


def _date(element: Element) -> str:
    return _possible(_text(element))


def _possible(date: str) -> str:
    """A date as it is written; "" where no calendar has it."""
    return "" if is_impossible(date) else date


def _words(element: Element) -> str:
    """A title: Atom says when it holds escaped HTML."""
    text = _text(element)
    return html.unescape(text) if element.get("type") in {"html", "text/html"} else text


def _markup(element: Element) -> str:
    """The HTML inside: escaped, as RSS has it, or as elements of their own, as Atom may."""
    if element.get("type") not in {"xhtml", "application/xhtml+xml"} or not len(element):
        return _text(element)
    from lxml import etree

    for part in element.iter():
        if isinstance(part.tag, str):
            name = local(part)
            part.tag = name if HTML_NAME.fullmatch(name) else "span"  # a forgiving parser keeps names nobody may give
    inside = element[0] if len(element) == 1 and local(element[0]) == "div" else element
    parts = [html.escape(inside.text or "", quote=False)]
    for part in inside:
        alone = deepcopy(part)  # what is above it declares namespaces that HTML does not know
        etree.cleanup_namespaces(alone)
        parts.append(etree.tostring(alone, encoding="unicode"))
    return "".join(parts).strip()


def _author(element: Element) -> str:
    return _text(next((part for part in element if local(part) == "name"), element))


def _link(element: Element, base: str) -> str:
    """The page an entry is about: Atom's alternate link, RSS's link, a guid that is an address, else any link."""
    last = ""
    for part in element:
        if local(part) != "link":
            continue
        address = _address(part.get("href") or part.text or "", base)
        own = _name(part) == "link" and not (part.get("href") and _is_rss(element))
        if address and own and part.get("rel", "alternate") == "alternate":
            return address
        last = last or (address if own else "")
    guid = next((part for part in element if _name(part) == "guid" and part.get("isPermaLink") != "false"), None)
    permanent = "" if guid is None else _address(guid.text or "", "")
    return permanent or last or _address(element.get(ABOUT) or "", "")


def _is_rss(element: Element) -> bool:
    return local(element) in {"channel", "item"}


def _address(text: str, base: str) -> str:
    """A web address; "" for any other scheme."""
    text = "".join(text.split())
    found = _join_url(base, text) if text else ""
    return found if found.lower().startswith(("http://", "https://")) else ""


def _join_url(base: str, text: str) -> str:
    try:
        return join_url(base, text)
    except ValueError:  # brackets that hold no address
        return ""


def _json(text: str, base: str) -> ParsedFeed:
    try:
        told = json.loads(text)
    except (ValueError, RecursionError) as wrong:
        raise UpstreamFailed(f"The feed is not valid JSON: {wrong}") from wrong
    if not isinstance(told, dict) or not isinstance(told.get("items"), list):
        raise UpstreamFailed("The JSON feed has no list of items.")
    items = [_json_item(item, base) for item in told["items"] if isinstance(item, dict)]
    return ParsedFeed(_json_item(told, base), items, "json")


def _json_item(item: dict[str, Any], base: str) -> FeedItem:
    def first(*names: str) -> str:
        return next((str(item[name]) for name in names if isinstance(item.get(name), str) and item[name]), "").strip()

    return FeedItem(
        title=first("title"),
        link=_address(first("url", "external_url", "home_page_url"), base),
        published=_possible(first("date_published")),
        updated=_possible(first("date_modified")),
        summary=first("summary", "description"),
        content=first("content_html", "content_text"),
        author=", ".join(_json_authors(item)),
    )


def _json_authors(item: dict[str, Any]) -> Iterator[str]:
    authors = item.get("authors") or [item.get("author")]
    for author in authors if isinstance(authors, list) else []:
        if isinstance(author, dict) and isinstance(author.get("name"), str):
            yield author["name"]
