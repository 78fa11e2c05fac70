"""Parsing of a fetched response into a page: document, Markdown or HTML, detected by content."""

import base64
import re

from assay.errors import UnsupportedType
from assay.net.guarded_client import Fetched
from assay.net.retry import retry_after_seconds
from assay.net.urls import parse_url
from assay.scraping import error_mapping
from assay.scraping.document_page import build_document_page
from assay.scraping.html_page import parse_html_page
from assay.scraping.page import Page, TierReading
from assay.scraping.parse_executor import INLINE, ParseExecutor
from assay.settings import Settings
from assay.state.ports import Rendered

DOCUMENT_ENDINGS = (".pdf", ".docx", ".doc", ".pptx", ".ppt", ".xlsx", ".xls", ".ods", ".odt", ".odp", ".epub", ".rtf")
MEDIA_TYPE = re.compile(r"(?:image|audio|video|font|application|text|model)/[a-z0-9.+-]{1,60}")
MARKDOWN = frozenset({"text/markdown", "text/x-markdown"})
MARKUP = re.compile(r"\s*<(?:!doctype html|html|head|body)\b", re.IGNORECASE)


def looks_like_document(url: str) -> bool:
    """Whether the canonical URL's path suggests a document such as a PDF."""
    path = parse_url(url).target.partition("?")[0].lower()
    return path.endswith(DOCUMENT_ENDINGS) or "/pdf/" in path


def is_document(fetched: Fetched) -> bool:
    """Whether the body is a binary document format."""
    from assay.documents import FILES

    return detect_kind(fetched) in FILES


def detect_kind(fetched: Fetched) -> str | None:
    """The kind of document in the body; None for a web page."""
    from assay import documents

    if fetched.content_type in MARKDOWN:
        return None
    return documents.detect_kind(fetched.body, fetched.content_type, fetched.url)


def get_retry_after(fetched: Fetched) -> int | None:
    """The Retry-After header in seconds; None without one."""
    return retry_after_seconds(fetched.headers)


def to_fetched(rendered: Rendered) -> Fetched:
    """Convert a rendered page to a fetched response."""
    headers = {**rendered.headers, "content-type": "text/html; charset=utf-8"}
    body = rendered.html.encode()
    return Fetched(rendered.url, rendered.status, headers, body, truncated=rendered.truncated, hops=0)


def is_wall(fetched: Fetched) -> bool:
    """Whether the response is a bot check."""
    from assay.scraping.access_walls import detect_wall
    from assay.text.decode import decode

    if error_mapping.is_challenge(fetched.headers):
        return True
    text = decode(fetched.body[:20_000], fetched.charset)
    return (
        detect_wall(text, html_size=len(fetched.body), status=fetched.status, headers=fetched.headers, title="")
        == "bot"
    )


def build_raw_page(fetched: Fetched, tier: str) -> Page:
    """The unchanged body, as text or base64; `content_type` is the Content-Type header."""
    from assay.text.decode import decode

    content_type = fetched.headers.get("content-type", "")
    if describe_binary(fetched):
        content, encoding = base64.b64encode(fetched.body).decode(), True
    else:
        content, encoding = decode(fetched.body, fetched.charset), False
    return Page(
        url=fetched.url,
        content=content,
        content_type=content_type,
        tier=tier,
        encoding="base64" if encoding else None,
        file_size=len(fetched.body),
        truncated=fetched.truncated,
    )


def describe_binary(fetched: Fetched) -> str:
    """Describe the type and size of a binary body; "" for text and supported documents."""
    from assay.documents import is_binary, name_file_type

    if not is_binary(fetched.body):
        return ""
    declared = fetched.content_type if MEDIA_TYPE.fullmatch(fetched.content_type) else ""
    name = name_file_type(fetched.body)
    label = f", declared as {declared}" if declared else ""
    return f"a {name or 'binary file of unknown type'} ({_describe_size(fetched)}{label})"


def _describe_size(fetched: Fetched) -> str:
    """The size of the body; that of the Content-Length header if the body was truncated."""
    declared = fetched.headers.get("content-length", "")
    is_known = not fetched.truncated or (declared.isdecimal() and "content-encoding" not in fetched.headers)
    size = int(declared) if fetched.truncated and is_known and len(declared) < 16 else len(fetched.body)
    return f"{'' if is_known else 'more than '}{size:,} bytes"


def refuse_binary(fetched: Fetched) -> None:
    """Raise UnsupportedType for a body that is neither text nor a supported document."""
    if found := describe_binary(fetched):
        from assay.documents import READABLE

        raise UnsupportedType(
            f"UNSUPPORTED_TYPE: {fetched.url} leads to {found}, which contains no text. Supported types: {READABLE}.",
            field="url",
        )


async def read(
    fetched: Fetched, tier: str, settings: Settings, executor: ParseExecutor = INLINE, *, links: bool = False
) -> TierReading:
    """Parse the fetched body into a page, with its links if `links`; the content may be empty.

    Raises Blocked or LoginRequired for access walls, UnsupportedType for binary content, and the errors of
    `documents.read`.
    """
    found = detect_kind(fetched)
    if found is not None:
        return await _read_document(fetched, found, settings)
    refuse_binary(fetched)
    return await executor(_parse_text, fetched, tier, links, size=len(fetched.body))


async def _read_document(fetched: Fetched, kind: str, settings: Settings) -> TierReading:
    from assay import documents

    document = await documents.read(fetched.body, kind, max_bytes=settings.max_document_bytes)
    return TierReading(build_document_page(fetched.url, document, is_cut=fetched.truncated))


def _parse_text(fetched: Fetched, tier: str, links: bool = False) -> TierReading:
    from assay.text.decode import decode

    text = decode(fetched.body, fetched.charset)
    if fetched.content_type in MARKDOWN and not MARKUP.match(text):
        return _parse_markdown(fetched, text)
    return parse_html_page(fetched, text, tier, links)


def _parse_markdown(fetched: Fetched, text: str) -> TierReading:
    from assay.text.markdown_comments import without_comments
    from assay.text.sanitize import sanitise
    from assay.text.user_info import remove_link_user_info

    content = remove_link_user_info(without_comments(sanitise(text))).strip()
    heading = next((line[2:].strip() for line in content.splitlines()[:20] if line.startswith("# ")), "")
    page = Page(url=fetched.url, content=content, content_type="markdown", tier="markdown", title=heading)
    return TierReading(page, enough=bool(content))
