"""A page that was read: what every tier and every site's route makes, and what the cache keeps."""

from typing import Any, Literal, NamedTuple

from pydantic import BaseModel

from assay.models.common import RetractionStatus

type Quality = Literal["complete", "partial"]


class Page(BaseModel):
    """Clean text with all that its source says of it. Dates are ISO 8601 or empty."""

    url: str  # where it was found at last
    content: str  # markdown, or the body as it came when `raw`
    content_type: str  # html, markdown, pdf, docx, pptx, youtube, …; the server's own when raw
    tier: str | None = None
    quality: Quality = "complete"
    access_note: str | None = None
    left_https: bool = False  # a redirect led from https to http
    hurried: bool = False  # the caller's deadline ended the reading early; more time may show more
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
    truncated: bool = False  # a cap ended the body before its end
    missing: bool = False  # it says that what was asked for is not there, whatever its status
    extras: dict[str, Any] = {}  # what only one site has: forumSignals, highlights, …
    detected_doi: str | None = None  # of a scholarly page
    retraction: RetractionStatus | None = None  # as it was when the page was read


class TierReading(NamedTuple):
    """A page as one tier read it. `enough` is false where another tier may find more."""

    page: Page
    enough: bool = True
    frames: tuple[str, ...] = ()  # where its text may stand instead
    onward: str = ""  # where it sends its reader
    links: tuple[str, ...] = ()  # where it leads, for whoever asked
    lacks: str = ""  # why a browser might show more of it all the same
