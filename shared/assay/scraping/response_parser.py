"""A fetched body becomes a page: document, markdown, or HTML, whatever its bytes say it is."""

import base64
import re
from typing import TYPE_CHECKING, Any

from assay.errors import ToolError, UnsupportedType
from assay.net.guarded_client import Fetched
from assay.net.retry import retry_after_seconds
from assay.scraping import error_mapping
from assay.scraping.page import Page, TierReading
from assay.scraping.parse_executor import INLINE, Readers
from assay.settings import Settings
from assay.state.ports import Rendered
from assay.text.url_parts import split_url

if TYPE_CHECKING:
    from lxml.html import HtmlElement

    from assay.documents import Document
    from assay.html.metadata.page_metadata import PageFacts

LEAST = 100  # characters: below it a tier has read nothing worth having
DOCUMENT_ENDINGS = (".pdf", ".docx", ".pptx", ".xlsx", ".xls", ".ods", ".odt", ".epub", ".rtf")
MEDIA_TYPE = re.compile(r"(?:image|audio|video|font|application|text|model)/[a-z0-9.+-]{1,60}")
MARKDOWN = frozenset({"text/markdown", "text/x-markdown"})
MARKUP = re.compile(r"\s*<(?:!doctype html|html|head|body)\b", re.IGNORECASE)
BIG, UNSURE = 100_000, 0.2  # a page of so many characters of HTML that is so little sure of its text hides it
SETTLE_SECONDS, SLOW_SECONDS = 0.5, 2.0
SLOW = {  # fill themselves by scripts that take their time
    *("go.dev", "patents.google.com", "scholar.google.com", "news.google.com", "trends.google.com", "youtube.com"),
    *("linkedin.com", "facebook.com", "instagram.com", "medium.com", "dev.to", "frontify.com", "bsky.app"),
    *("tiktok.com", "threads.net"),
}
SLOW_NAMES = ("brand.", "press.", "newsroom.", "brandbook.", "identity.", "app.", "portal.", "design.", "style.")

PAID = "Part of this page is behind a paywall; what is read here is what the site shows to everyone."
SHELL = "The page fills itself by JavaScript; this is what it holds without."
MISSING = "The page says that what was asked for is not there, though its server answers as if it were (a soft 404)."


def looks_like_document(url: str) -> bool:
    path = split_url(url).path.lower()
    return path.endswith(DOCUMENT_ENDINGS) or "/pdf/" in path


def is_document(fetched: Fetched) -> bool:
    from assay.documents import FILES

    return kind(fetched) in FILES


def kind(fetched: Fetched) -> str | None:
    """What kind of document the body is; None for a page."""
    from assay.documents import detect_kind

    if fetched.content_type in MARKDOWN:
        return None
    return detect_kind(fetched.body, fetched.content_type, fetched.url)


def retry_after(fetched: Fetched) -> int | None:
    return retry_after_seconds(fetched.headers)


def settle_seconds(url: str) -> float:
    """How long a rendered page must be quiet before it is read."""
    return SLOW_SECONDS if is_slow(url) else SETTLE_SECONDS


def of_rendered(rendered: Rendered) -> Fetched:
    """What a browser made of a page, as if a server had sent it."""
    headers = {**rendered.headers, "content-type": "text/html; charset=utf-8"}
    body = rendered.html.encode()
    return Fetched(rendered.url, rendered.status, headers, body, truncated=rendered.truncated, hops=0)


def is_slow(url: str) -> bool:
    """Whether the site is known to fill its pages by scripts."""
    from assay.evaluation import known_hosts

    host = known_hosts.host(url)
    return known_hosts.among(host, SLOW) or host.startswith(SLOW_NAMES)


def is_wall(fetched: Fetched) -> bool:
    """The page only asks for a proof of humanity."""
    from assay.scraping.access_walls import wall
    from assay.text.decode import decode

    if error_mapping.is_challenge(fetched.headers):
        return True
    text = decode(fetched.body[:20_000], fetched.charset)
    return wall(text, html_size=len(fetched.body), status=fetched.status, headers=fetched.headers, title="") == "bot"


def raw(fetched: Fetched, tier: str) -> Page:
    """The body as it came, text where it is text; `content_type` is the server's own header."""
    from assay.text.decode import decode

    said = fetched.headers.get("content-type", "")
    if describe_binary(fetched):
        content, encoding = base64.b64encode(fetched.body).decode(), True
    else:
        content, encoding = decode(fetched.body, fetched.charset), False
    return Page(
        url=fetched.url,
        content=content,
        content_type=said,
        tier=tier,
        encoding="base64" if encoding else None,
        file_size=len(fetched.body),
        truncated=fetched.truncated,
    )


def describe_binary(fetched: Fetched) -> str:
    """What a body that is neither text nor a document is, with its size; "" for what can be read."""
    from assay.documents import is_binary, name_file_type

    if not is_binary(fetched.body):
        return ""
    declared = fetched.content_type if MEDIA_TYPE.fullmatch(fetched.content_type) else ""
    name = name_file_type(fetched.body)
    label = f", declared as {declared}" if declared else ""
    return f"a {name or 'binary file of unknown type'} ({_size(fetched)}{label})"


def _size(fetched: Fetched) -> str:
    """The body's size, which the header tells where only its beginning was fetched."""
    declared = fetched.headers.get("content-length", "")
    is_known = not fetched.truncated or (declared.isdecimal() and "content-encoding" not in fetched.headers)
    size = int(declared) if fetched.truncated and is_known and len(declared) < 16 else len(fetched.body)
    return f"{'' if is_known else 'more than '}{size:,} bytes"


def refuse_binary(fetched: Fetched) -> None:
    """Raises UnsupportedType for a body that is neither text nor a document that is read."""
    if found := describe_binary(fetched):
        from assay.documents import READABLE

        raise UnsupportedType(
            f"UNSUPPORTED_TYPE: {fetched.url} leads to {found}, which holds no text. What can be read: {READABLE}.",
            field="url",
        )


async def read(
    fetched: Fetched, tier: str, settings: Settings, readers: Readers = INLINE, *, links: bool = False
) -> TierReading:
    """The page in the fetched body, with its `links` if they are wanted; empty where it holds nothing. Raises Blocked
    or LoginRequired for walls, UnsupportedType for what is not text, and what `documents.read` raises.
    """
    found = kind(fetched)
    if found is not None:
        return await _document(fetched, found, settings)
    refuse_binary(fetched)
    return await readers(_text, fetched, tier, links, size=len(fetched.body))


async def _document(fetched: Fetched, kind: str, settings: Settings) -> TierReading:
    from assay import documents

    return TierReading(
        _of_document(fetched, await documents.read(fetched.body, kind, max_bytes=settings.max_document_bytes))
    )


def _of_document(fetched: Fetched, document: "Document") -> Page:
    return Page(
        url=fetched.url,
        content=document.markdown,
        content_type=document.kind,
        access_note=" ".join(document.notes) or None,
        title=document.title,
        authors=[document.author] if document.author else [],
        published=document.created,
        created=document.created,
        page_count=document.page_count,
        file_size=document.file_size,
        truncated=document.truncated or fetched.truncated,
    )


def _text(fetched: Fetched, tier: str, links: bool = False) -> TierReading:
    from assay.text.decode import decode

    text = decode(fetched.body, fetched.charset)
    if fetched.content_type in MARKDOWN and not MARKUP.match(text):
        return _markdown(fetched, text)
    return _html(fetched, text, tier, links)


def _markdown(fetched: Fetched, text: str) -> TierReading:
    from assay.text.markdown_comments import without_comments
    from assay.text.sanitize import sanitise

    content = without_comments(sanitise(text)).strip()
    heading = next((line[2:].strip() for line in content.splitlines()[:20] if line.startswith("# ")), "")
    page = Page(url=fetched.url, content=content, content_type="markdown", tier="markdown", title=heading)
    return TierReading(page, enough=bool(content))


def _html(fetched: Fetched, html: str, tier: str, links: bool) -> TierReading:
    from assay.html.metadata.page_metadata import extract_facts
    from assay.html.parser.html_tree import parse
    from assay.html.reader.main_content import find_base_url
    from assay.html.reader.main_content import read_main_content as read_main
    from assay.scraping import iframes
    from assay.scraping.access_walls import wall
    from assay.scraping.missing_pages import says_missing
    from assay.scraping.page_links import links_of
    from assay.scraping.render_detection import lack

    tree = parse(html)
    known = extract_facts(tree, fetched.url)
    reading = read_main(tree, fetched.url)
    page = of_html(fetched, reading.markdown, known, tier)
    stands = wall(page.content, html_size=len(html), status=fetched.status, headers=fetched.headers, title=known.title)
    if len(page.content) < LEAST and stands not in ("bot", "login"):  # a form is no text, and says what stands there
        stands = wall(html, html_size=len(html), status=fetched.status, title=known.title) or stands
    if (error := _to_refusal(stands, fetched.url)) is not None:
        raise error
    if signals := _forum(tree, fetched.url):
        page.extras["forumSignals"] = signals
    hides = stands == "shell" or (len(html) > BIG and reading.confidence < UNSURE)
    enough = _assess_page(page, hides=hides, paid=stands == "paywall" or known.access_free is False)
    if fetched.status < 400 and says_missing(tree, page.content):
        page.missing, page.quality, page.access_note, enough = True, "partial", MISSING, True
    is_short = len(page.content) < 5 * LEAST
    base = find_base_url(tree, fetched.url) if is_short or links or not enough else ""
    onward = iframes.onward(tree, base, fetched.url) if is_short else ""
    inside = () if enough else iframes.sources(tree, base, fetched.url)
    lacks = lack(tree, html, page.content, drawn=is_slow(fetched.url)) if enough and tier == "html" else ""
    return TierReading(page, enough, inside, onward, links_of(tree, base) if links else (), lacks)


def _assess_page(page: Page, *, hides: bool, paid: bool) -> bool:
    """Write on the page what it lacks; whether another tier has nothing to add."""
    thin = len(page.content) < LEAST
    if paid:
        page.quality, page.access_note = "partial", PAID
        return not thin  # what is for subscribers is not to be had by asking otherwise
    if hides or thin:
        page.quality = "partial"
        page.access_note = SHELL if hides else f"The page holds {len(page.content)} characters of text."
        return False
    return True


def _forum(tree: "HtmlElement", url: str) -> dict[str, Any] | None:
    from assay.html.reader.forum_posts import extract_forum_signals

    found = extract_forum_signals(tree, url)
    return found.wire() if found else None


def _to_refusal(stands: str | None, url: str) -> ToolError | None:
    if stands == "bot":
        return error_mapping.blocked_error(url)
    if stands == "login":
        return error_mapping.login_required(url)
    return None


def of_html(fetched: Fetched, content: str, known: "PageFacts", tier: str) -> Page:
    return Page(
        url=fetched.url,
        content=content,
        content_type="html",
        tier=tier,
        title=known.title,
        authors=list(known.authors),
        site=known.site,
        published=known.published,
        modified=known.modified,
        description=known.description,
        canonical=known.canonical,
        language=known.language,
        doi=known.doi or None,
        types=list(known.types),
        structured=known.structured.wire() if known.structured else None,
        truncated=fetched.truncated,
    )
