"""A claim held against the source that it is cited for: which copy was read, and what stands there."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from assay.context import Context
from assay.errors import ToolError
from assay.models.papers import Paper
from assay.text.word_count import count
from assay.verification import claim_coverage, language_detection
from assay.verification.claim_coverage import Support

if TYPE_CHECKING:
    from assay.scraping.page import Page

SPARSE = 150  # words
TRIED = 4  # copies
CLAIM_BYTES = 2_000
EVIDENCE = 700  # characters of a sentence that are shown
SECONDS, PATIENCE = 20.0, 0.8  # for all copies of one source, and the part of the time left that they may take


class Checked(NamedTuple):
    """What became of a claim. `skipped` says why it was not measured; `words` is how much was read."""

    support: Support
    evidence: tuple[str, ...] = ()
    source_url: str | None = None
    contrast: bool = False
    skipped: str | None = None
    fetch_error: str | None = None
    words: int | None = None
    sparsity_note: str | None = None


class _Readable(NamedTuple):
    url: str
    text: str
    words: int
    partial: str | None  # why this is not all of the source


async def check_claim(ctx: Context, claim: str, urls: Sequence[str], *, abstract: Paper | None = None) -> Checked:
    """The claim against the first of `urls` that can be read; an abstract is read where nothing else can be.

    Only what was read whole can be said not to address a claim.
    """
    read, failures = await _first(ctx, urls)
    if read is None and abstract is not None and abstract.abstract:
        read = _Readable(abstract.url, abstract.abstract, count(abstract.abstract), "Only the abstract was read.")
    error = " ".join(failures) or None
    if read is None:
        return Checked("source_unavailable", skipped=None if urls else "The source has no address.", fetch_error=error)
    return await asyncio.to_thread(_measure_claim, claim, read, error)  # seconds for a book


def _measure_claim(claim: str, read: _Readable, error: str | None) -> Checked:
    if language_detection.differ(claim, read.text):
        skipped = "The claim and the source are in different languages, which words cannot be compared across."
        return Checked("source_unavailable", source_url=read.url, skipped=skipped, words=read.words)
    found = claim_coverage.measure(claim, read.text)
    note = f"Only {read.words} words were read." if read.words < SPARSE else None
    if found.coverage == "not_addressed" and read.partial:
        return Checked(
            "source_unavailable", source_url=read.url, skipped=read.partial, fetch_error=error, words=read.words
        )
    shown = tuple(sentence[:EVIDENCE] for sentence in found.sentences)
    return Checked(
        found.coverage,
        () if found.coverage == "not_addressed" else shown,
        read.url,
        found.contrast and found.coverage != "not_addressed",
        None,
        None,
        read.words,
        note,
    )


async def _first(ctx: Context, urls: Sequence[str]) -> tuple[_Readable | None, list[str]]:
    """The first copy that says enough, else the one that says most; and why the others could not be read."""
    failures: list[str] = []
    best: _Readable | None = None
    until = asyncio.get_running_loop().time() + min(SECONDS, ctx.time_left() * PATIENCE)
    for url in list(dict.fromkeys(urls))[:TRIED]:
        try:
            async with asyncio.timeout_at(until):
                page = await ctx.child().page(url)
        except TimeoutError:
            failures.append(f"No time was left to read {url}.")
            break
        except ToolError as failure:
            failures.append(failure.sentence())
            continue
        if page.missing:
            failures.append(f"{page.url}: {page.access_note}")
            continue
        read = _Readable(page.url, page.content, count(page.content), _partial(page))
        if best is None or read.words > best.words:
            best = read
        if read.words >= SPARSE and not read.partial:
            return read, failures
    return best, failures


def _partial(page: "Page") -> str | None:
    if page.quality == "partial":
        return page.access_note or "Only a part of the source could be read."
    return "The source was longer than what was read of it." if page.truncated else None


async def open_copies(ctx: Context, doi: str) -> list[str]:
    """The addresses of all open-access copies that Unpaywall knows, PDFs first; none where it cannot be asked."""
    from assay.providers.unpaywall import Unpaywall

    if not Unpaywall.is_configured(ctx.services.settings):
        return []
    unpaywall = Unpaywall(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)
    try:
        known = await unpaywall.readable(unpaywall.copies(doi))
    except ToolError:  # then the work's own addresses are tried
        return []
    return [copy.url for copy in sorted(known.copies, key=lambda copy: copy.pdf_url is None)]
