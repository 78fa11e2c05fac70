"""The result of reading a page, as produced by tiers and site readers and stored in the cache."""

from typing import Any, Literal, NamedTuple

from pydantic import BaseModel

from assay.models.common import RetractionStatus

type Quality = Literal["complete", "partial"]

CUT = "The page is larger than what is read of one page: a part of its text is missing."


class Page(BaseModel):
    """Sanitised text with the metadata of its source. Dates are ISO 8601 or empty."""

    url: str  # after redirects
    content: str  # Markdown, or the unchanged body in raw mode
    content_type: str  # html, markdown, pdf, docx, pptx, youtube, …; the Content-Type header in raw mode
    tier: str | None = None
    quality: Quality = "complete"
    access_note: str | None = None
    left_https: bool = False  # a redirect led from https to http
    hurried: bool = False  # the deadline cut the reading short; more time may yield more
    title: str = ""
    authors: list[str] = []
    site: str = ""
    published: str = ""
    modified: str = ""
    description: str = ""
    canonical: str = ""
    language: str = ""
    doi: str | None = None
    types: list[str] = []  # of JSON-LD
    structured: dict[str, Any] | None = None
    page_count: int | None = None
    file_size: int | None = None
    created: str = ""
    encoding: Literal["base64"] | None = None  # of a raw body that is not text
    truncated: bool = False  # a size limit cut the body
    missing: bool = False  # a soft 404
    extras: dict[str, Any] = {}  # site-specific fields: forumSignals, highlights, …
    detected_doi: str | None = None  # of a scholarly page
    retraction: RetractionStatus | None = None  # at the time of reading


class TierReading(NamedTuple):
    """A page as read by one tier. `enough` is False if another tier may yield more."""

    page: Page
    enough: bool = True
    frames: tuple[str, ...] = ()  # URLs of frames that may contain the text
    onward: str = ""  # target of an immediate refresh
    links: tuple[str, ...] | None = ()  # outgoing links, if requested; None if the page forbids to follow them
    lacks: str = ""  # why a browser might show more
