"""The text of a work, from the first open copy of it that can be read whole."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from assay.bibliography.identifiers import Identifier, doi_url, identify
from assay.errors import ContentEmpty, InvalidInput, Network, NotFound, ToolError, UpstreamFailed
from assay.models.papers import Paper
from assay.providers.unpaywall import OpenCopies, Unpaywall
from assay.scholarship import deduplication, enrichment, paper_lookup
from assay.scholarship.provider_call import call_provider
from assay.scraping.page import Page
from assay.search.router import Router
from assay.settings import Settings
from assay.text.url_text import place, same
from assay.text.word_count import count

TRIES = 5  # copies that are read
WHOLE = 1_000  # words from which a page is more than an abstract with its surroundings
WHOLE_PDF = 400
FRONT = 10_000  # characters of a text in which its title should stand

type Read = Callable[[str], Awaitable[Page]]


class FullTextLocation(NamedTuple):
    """Where a work may be read, and who says so."""

    url: str
    source: str  # openalex, semanticscholar, unpaywall, …; direct-url for the address that was asked for


@dataclass
class Text:
    """What was read, where, and what is known of the work."""

    page: Page
    copy: FullTextLocation
    paper: Paper | None
    is_whole: bool
    warnings: list[str] = field(default_factory=list)


@dataclass
class KnownWork:
    """What is known of a work before it is read."""

    name: Identifier | None
    address: str | None  # that was asked for
    paper: Paper | None = None
    copies: OpenCopies | None = None
    warnings: list[str] = field(default_factory=list)

    @property
    def doi(self) -> str | None:
        return (self.paper.doi if self.paper else None) or (self.name.doi if self.name else None)


async def text(router: Router, settings: Settings, identifier: str, read: Read) -> Text:
    """The text of the work. `read` reads a page.

    Raises InvalidInput for what names no work, ContentEmpty where no copy can be read, and the failure where all did.
    """
    known = await _known(router, settings, identifier)
    best: Text | None = None
    failures: list[ToolError] = []
    for copy in _copies(known)[:TRIES]:
        try:
            page = await read(copy.url)
        except ToolError as failure:
            failures.append(failure)
            known.warnings.append(f"{copy.url} could not be read ({failure.kind}).")
            continue
        found = Text(page, copy, known.paper, is_whole(page), known.warnings)
        if found.is_whole:
            return _with_title_warning(found)
        if best is None or count(page.content) > count(best.page.content):
            best = found
    if best is None:
        raise _nothing(identifier, failures)
    known.warnings.append("No open copy could be read whole: this is what its page shows, such as the abstract.")
    return _with_title_warning(best)


def is_whole(page: Page) -> bool:
    """Whether this is likely the text itself and not the page in front of it."""
    least = WHOLE_PDF if page.content_type == "pdf" else WHOLE
    return page.quality == "complete" and count(page.content) >= least


async def _known(router: Router, settings: Settings, identifier: str) -> KnownWork:
    name = identify(identifier)
    at = place(identifier)
    if name is None and at is None:
        raise InvalidInput(
            "identifier names no work: send a DOI, an arXiv id, PMID:…, PMC…, a Semantic Scholar id or an address. "
            "academic_search finds the DOI of a title.",
            field="identifier",
        )
    known = KnownWork(name, at.href if at else None)
    if name is None:
        return known
    if name.kind == "doi":  # Unpaywall need not wait for the record
        await asyncio.gather(_look_up(router, settings, known), _look_for_copies(router, settings, known, name.doi))
    else:
        await _look_up(router, settings, known)
        await _look_for_copies(router, settings, known, known.doi)
    if known.paper and known.copies:
        enrichment.add_facts(known.paper, "unpaywall", pdf_url=known.copies.pdf_url, open_access=known.copies.is_open)
    return known


async def _look_up(router: Router, settings: Settings, known: KnownWork) -> None:
    """The work's record; without it the text may still be found."""
    assert known.name
    try:
        found = await paper_lookup.record(router, settings, known.name)
    except ToolError as failure:
        known.warnings.append(
            f"{failure.provider or 'the indexes'} could not be asked for the record ({failure.kind})."
        )
        return
    known.paper = found.hits[0] if found.hits else None
    known.warnings += found.warnings
    if known.paper and "crossref" not in found.attempted:
        known.warnings += await enrichment.with_integrity(router, [known.paper])


async def _look_for_copies(router: Router, settings: Settings, known: KnownWork, doi: str | None) -> None:
    if not doi or doi.startswith("10.48550/") or not Unpaywall.is_configured(settings):
        return
    try:
        known.copies = await call_provider(router, Unpaywall, lambda unpaywall: unpaywall.copies(doi))
    except NotFound:
        return
    except ToolError as failure:
        known.warnings.append(f"unpaywall could not be asked for open copies ({failure.kind}).")


def _copies(known: KnownWork) -> list[FullTextLocation]:
    """Where the work may be read: open archives and PDFs first, then the pages in front of them."""
    seen: set[str] = set()
    copies = []
    for copy in _all_copies(known):
        if same(copy.url) not in seen:
            seen.add(same(copy.url))
            copies.append(copy)
    return copies


def _all_copies(known: KnownWork) -> Iterator[FullTextLocation]:
    paper, found = known.paper, known.copies.copies if known.copies else []
    if known.name is None and known.address:
        yield FullTextLocation(known.address, "direct-url")
    if arxiv := (known.name if known.name and known.name.kind == "arxiv" else None) or _arxiv(paper):
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
        yield FullTextLocation(doi_url(known.doi), "direct-url")
    if paper:
        yield FullTextLocation(paper.url, paper.source)


def _arxiv(paper: Paper | None) -> Identifier | None:
    return Identifier("arxiv", paper.arxiv_id) if paper and paper.arxiv_id else None


def _with_title_warning(found: Text) -> Text:
    """With a warning where the work's title does not stand in what was read: it may be another work."""
    if found.paper:
        title = deduplication.title_key(found.paper.title)
        front = deduplication.title_key(f"{found.page.title} {found.page.content[:FRONT]}")
        if title not in front and title.replace(" ", "") not in front.replace(" ", ""):
            found.warnings.append("The work's title does not stand in the text; it may be another work's.")
    return found


def _nothing(identifier: str, failures: Iterable[ToolError]) -> ToolError:
    """Why there is no text: nothing known to read, or nothing that could be."""
    told = list(failures)
    if told and all(isinstance(failure, Network | UpstreamFailed) for failure in told):
        return told[0]
    if told and identify(identifier) is None and isinstance(told[0], InvalidInput):  # the caller's own address
        return InvalidInput(told[0].message, field="identifier")
    if not told:
        return NotFound(f"No copy of {identifier[:200]} is known that anyone may read.")
    reasons = ", ".join(dict.fromkeys(failure.kind for failure in told))
    return ContentEmpty(
        f"No copy of {identifier[:200]} could be read ({len(told)} tried: {reasons}). It may not be open to all; "
        "academic_search tells its abstract.",
        action="inform_user",
    )
