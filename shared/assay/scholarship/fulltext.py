"""Full text of a work, from the first open copy that contains the whole text."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from assay.bibliography.identifiers import Identifier, build_doi_url, identify
from assay.errors import ContentEmpty, InvalidInput, Network, NotFound, ToolError, UpstreamFailed
from assay.models.papers import Paper
from assay.providers.unpaywall import OpenCopies, Unpaywall
from assay.scholarship import deduplication, enrichment, paper_lookup
from assay.scholarship.provider_call import call_provider
from assay.scraping.page import Page
from assay.search.router import Router
from assay.settings import Settings
from assay.text.url_text import parse_http_url, url_key
from assay.text.word_count import count_words

MAX_COPIES_READ = 5
MIN_WORDS = 1_000  # a web page with fewer words is probably only the abstract
MIN_WORDS_PDF = 400
TITLE_CHARS = 10_000  # the title should occur within the first characters of the text

type Read = Callable[[str], Awaitable[Page]]


class FullTextLocation(NamedTuple):
    """Where a work can be read, and the source of that information."""

    url: str
    source: str  # openalex, semanticscholar, unpaywall, …; direct-url for the caller's own URL


@dataclass
class FullText:
    """The page that was read, its location, and the record of the work."""

    page: Page
    copy: FullTextLocation
    paper: Paper | None
    is_whole: bool
    warnings: list[str] = field(default_factory=list)


@dataclass
class KnownWork:
    """The metadata of a work, collected before its text is fetched."""

    name: Identifier | None
    address: str | None  # the caller's own URL
    paper: Paper | None = None
    copies: OpenCopies | None = None
    warnings: list[str] = field(default_factory=list)

    @property
    def doi(self) -> str | None:
        return (self.paper.doi if self.paper else None) or (self.name.doi if self.name else None)


async def fetch_fulltext(router: Router, settings: Settings, identifier: str, read: Read) -> FullText:
    """The text of the work. `read` fetches and extracts a page.

    Raises InvalidInput if the identifier is not recognised, NotFound if no copy is known, ContentEmpty if no copy
    can be read, and the first failure if every copy failed with a network or upstream error.
    """
    known = await _collect_metadata(router, settings, identifier)
    best: FullText | None = None
    failures: list[ToolError] = []
    for copy in _list_copies(known)[:MAX_COPIES_READ]:
        try:
            page = await read(copy.url)
        except ToolError as failure:
            failures.append(failure)
            known.warnings.append(f"{copy.url} could not be read ({failure.kind}).")
            continue
        found = FullText(page, copy, known.paper, is_whole(page), known.warnings)
        if found.is_whole:
            return _with_title_warning(found)
        if best is None or count_words(page.content) > count_words(best.page.content):
            best = found
    if best is None:
        raise _build_no_text_error(identifier, failures)
    known.warnings.append("No open copy has the full text; this is what its page shows, such as the abstract.")
    return _with_title_warning(best)


def is_whole(page: Page) -> bool:
    """Whether the page probably contains the full text and is not just a landing page."""
    min_words = MIN_WORDS_PDF if page.content_type == "pdf" else MIN_WORDS
    return page.quality == "complete" and count_words(page.content) >= min_words


async def _collect_metadata(router: Router, settings: Settings, identifier: str) -> KnownWork:
    name = identify(identifier)
    at = parse_http_url(identifier)
    if name is None and at is None:
        raise InvalidInput(
            "identifier is not recognised: send a DOI, an arXiv id, PMID:…, PMC…, a Semantic Scholar id or a URL. "
            "academic_search finds the DOI of a title.",
            field="identifier",
        )
    known = KnownWork(name, at.href if at else None)
    if name is None:
        return known
    if name.kind == "doi":  # the DOI suffices for Unpaywall, so both lookups run concurrently
        await asyncio.gather(_look_up(router, settings, known), _look_for_copies(router, settings, known, name.doi))
    else:
        await _look_up(router, settings, known)
        await _look_for_copies(router, settings, known, known.doi)
    if known.paper and known.copies:
        enrichment.add_facts(known.paper, "unpaywall", pdf_url=known.copies.pdf_url, open_access=known.copies.is_open)
    return known


async def _look_up(router: Router, settings: Settings, known: KnownWork) -> None:
    """Add the work's record. A failure is only a warning, since the text may be found without the record."""
    assert known.name
    try:
        found = await paper_lookup.fetch_record(router, settings, known.name)
    except ToolError as failure:
        known.warnings.append(
            f"The record could not be fetched from {failure.provider or 'the indexes'} ({failure.kind})."
        )
        return
    known.paper = found.hits[0] if found.hits else None
    known.warnings += found.warnings
    if known.paper and "crossref" not in found.attempted:
        known.warnings += await enrichment.add_retractions(router, [known.paper])


async def _look_for_copies(router: Router, settings: Settings, known: KnownWork, doi: str | None) -> None:
    if not doi or doi.startswith("10.48550/") or not Unpaywall.is_configured(settings):
        return
    try:
        known.copies = await call_provider(router, Unpaywall, lambda unpaywall: unpaywall.copies(doi))
    except NotFound:
        return
    except ToolError as failure:
        known.warnings.append(f"Open copies could not be looked up at unpaywall ({failure.kind}).")


def _list_copies(known: KnownWork) -> list[FullTextLocation]:
    """The locations to try, without duplicates: open archives and PDFs first, then landing pages."""
    seen: set[str] = set()
    copies = []
    for copy in _list_all_copies(known):
        if url_key(copy.url) not in seen:
            seen.add(url_key(copy.url))
            copies.append(copy)
    return copies


def _list_all_copies(known: KnownWork) -> Iterator[FullTextLocation]:
    paper, found = known.paper, known.copies.copies if known.copies else []
    if known.name is None and known.address:
        yield FullTextLocation(known.address, "direct-url")
    if arxiv := (known.name if known.name and known.name.kind == "arxiv" else None) or _build_arxiv_copy(paper):
        yield FullTextLocation(arxiv.pdf_url or "", "arxiv")
    if paper and paper.pdf_url:
        yield FullTextLocation(paper.pdf_url, (paper.fact_sources or {}).get("pdfUrl", paper.source))
    yield from (FullTextLocation(copy.pdf_url, "unpaywall") for copy in found if copy.pdf_url)
    pmcid = known.name.value if known.name and known.name.kind == "pmcid" else paper.pmcid if paper else None
    if pmcid:
        yield FullTextLocation(f"https://pmc.ncbi.nlm.nih.gov/articles/{pmcid}/", "pubmed")
    if known.address:
        yield FullTextLocation(known.address, "direct-url")
    yield from (FullTextLocation(copy.url, "unpaywall") for copy in found if not copy.pdf_url)
    if known.doi:
        yield FullTextLocation(build_doi_url(known.doi), "direct-url")
    if paper:
        yield FullTextLocation(paper.url, paper.source)


def _build_arxiv_copy(paper: Paper | None) -> Identifier | None:
    return Identifier("arxiv", paper.arxiv_id) if paper and paper.arxiv_id else None


def _with_title_warning(found: FullText) -> FullText:
    """Add a warning if the text does not contain the work's title, since it may be another work."""
    if found.paper:
        title = deduplication.build_title_key(found.paper.title)
        front = deduplication.build_title_key(f"{found.page.title} {found.page.content[:TITLE_CHARS]}")
        if title not in front and title.replace(" ", "") not in front.replace(" ", ""):
            found.warnings.append("The text does not contain the work's title; it may be another work.")
    return found


def _build_no_text_error(identifier: str, failures: Iterable[ToolError]) -> ToolError:
    """The error for a work without text: no copy is known, or none could be read."""
    failures = list(failures)
    if failures and all(isinstance(failure, Network | UpstreamFailed) for failure in failures):
        return failures[0]
    if failures and identify(identifier) is None and isinstance(failures[0], InvalidInput):  # the caller's own address
        return InvalidInput(failures[0].message, field="identifier")
    if not failures:
        return NotFound(f"No open copy of {identifier[:200]} is known.")
    reasons = ", ".join(dict.fromkeys(failure.kind for failure in failures))
    return ContentEmpty(
        f"No copy of {identifier[:200]} could be read ({len(failures)} tried: {reasons}). It may not be open access; "
        "academic_search returns its abstract.",
        action="inform_user",
    )
