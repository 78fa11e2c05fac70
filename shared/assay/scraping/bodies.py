"""A fetched body becomes a page: document, markdown, or HTML, whatever its bytes say it is."""

import asyncio
import base64
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from assay.errors import ToolError
from assay.net.retry import retry_after_seconds
from assay.net.web import Fetched
from assay.scraping import verdicts
from assay.scraping.page import Page
from assay.settings import Settings

if TYPE_CHECKING:
    from assay.documents import Document
    from assay.text.metadata import PageFacts

LEAST = 100  # characters: below it a tier has read nothing worth having
IN_PLACE = 96 * 1024  # bytes up to which a page is read on the loop itself; a thread's hand-over costs more
DOCUMENT_ENDINGS = (".pdf", ".docx", ".pptx")
MARKDOWN = frozenset({"text/markdown", "text/x-markdown"})
SETTLE_SECONDS = 0.5


def looks_like_document(url: str) -> bool:
    path = urlsplit(url).path.lower()
    return path.endswith(DOCUMENT_ENDINGS) or "/pdf/" in path


def is_document(fetched: Fetched) -> bool:
    from assay.documents import kind_of

    return kind_of(fetched.body, fetched.content_type, fetched.url) in ("pdf", "docx", "pptx")


def retry_after(fetched: Fetched) -> int | None:
    return retry_after_seconds(fetched.headers)


def settle_seconds(_: str) -> float:
    return SETTLE_SECONDS


def is_wall(fetched: Fetched) -> bool:
    """The page only asks for a proof of humanity."""
    from assay.text.decode import decode
    from assay.text.walls import wall

    if verdicts.challenged(fetched.headers):
        return True
    text = decode(fetched.body[:20_000], fetched.charset)
    return wall(text, html_size=len(fetched.body), status=fetched.status, headers=fetched.headers, title="") == "bot"


def raw(fetched: Fetched, tier: str) -> Page:
    """The body as it came, text where it is text; `content_type` is the server's own header."""
    from assay.text.decode import decode

    said = fetched.headers.get("content-type", "")
    if _is_binary(fetched):
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


def _is_binary(fetched: Fetched) -> bool:
    kind, _, rest = fetched.content_type.partition("/")
    if kind in ("image", "audio", "video", "font") and rest != "svg+xml":
        return True
    wide = fetched.body[:4] in (b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff") or fetched.body[:2] in (
        b"\xff\xfe",
        b"\xfe\xff",
    )
    return b"\x00" in fetched.body[:1024] and not wide


async def read(fetched: Fetched, tier: str, settings: Settings) -> Page:
    """The page in the fetched body. Raises ContentEmpty, Blocked or LoginRequired where there is none."""
    from assay.documents import kind_of

    kind = kind_of(fetched.body, fetched.content_type, fetched.url)
    if kind is not None and fetched.content_type not in MARKDOWN:
        return await _document(fetched, kind, settings)
    if len(fetched.body) <= IN_PLACE:
        return _text(fetched, tier)
    return await asyncio.to_thread(_text, fetched, tier)


async def _document(fetched: Fetched, kind: str, settings: Settings) -> Page:
    from assay import documents

    document = await documents.read(fetched.body, kind, max_bytes=settings.max_document_bytes)
    if not document.markdown.strip():
        raise verdicts.empty(fetched.url)
    return _of_document(fetched, document)


def _of_document(fetched: Fetched, document: "Document") -> Page:
    return Page(
        url=fetched.url,
        content=document.markdown,
        content_type=document.kind,
        title=document.title,
        authors=[document.author] if document.author else [],
        published=document.created,
        created=document.created,
        page_count=document.page_count,
        file_size=document.file_size,
        truncated=document.truncated or fetched.truncated,
    )


def _text(fetched: Fetched, tier: str) -> Page:
    from assay.text.decode import decode

    text = decode(fetched.body, fetched.charset)
    if fetched.content_type in MARKDOWN:
        return _markdown(fetched, text)
    return _html(fetched, text, tier)


def _markdown(fetched: Fetched, text: str) -> Page:
    from assay.text.sanitise import sanitise

    content = sanitise(text).strip()
    if not content:
        raise verdicts.empty(fetched.url)
    heading = next((line[2:].strip() for line in content.splitlines()[:20] if line.startswith("# ")), "")
    return Page(url=fetched.url, content=content, content_type="markdown", tier="markdown", title=heading)


def _html(fetched: Fetched, html: str, tier: str) -> Page:
    from assay.text.metadata import facts
    from assay.text.reading import read as read_main
    from assay.text.tree import parse
    from assay.text.walls import wall

    tree = parse(html)
    known = facts(tree, fetched.url)
    content = read_main(tree, fetched.url).markdown
    stands = wall(content, html_size=len(html), status=fetched.status, headers=fetched.headers, title=known.title)
    page = _of_html(fetched, content, known, tier)
    if (error := _refused(stands, fetched.url)) is not None:
        raise error
    if stands == "paywall" or known.access_free is False:
        page.access_note = (
            "Part of this page is behind a paywall; what is read here is what the site shows to everyone."
        )
        page.quality = "partial"
    if stands == "shell":
        page.quality = "partial"
        page.access_note = "The page fills itself by JavaScript; this is what it holds without."
    if len(content) < LEAST:
        page.quality = "partial"
    if not content.strip():
        raise verdicts.empty(fetched.url)
    return page


def _refused(stands: str | None, url: str) -> ToolError | None:
    if stands == "bot":
        return verdicts.blocked(url)
    if stands == "login":
        return verdicts.login_required(url)
    return None


def _of_html(fetched: Fetched, content: str, known: "PageFacts", tier: str) -> Page:
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
