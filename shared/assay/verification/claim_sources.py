"""Checks a claim against the text of its cited source."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from assay.context import Context
from assay.errors import ToolError
from assay.models.entailment import Relation
from assay.models.papers import Paper
from assay.text.word_count import count_words
from assay.verification import claim_coverage, language_detection
from assay.verification.claim_coverage import Support
from assay.verification.claim_tiers import AskedTiers, ask_tiers
from assay.verification.tier_answer import Tier

if TYPE_CHECKING:
    from assay.scraping.page import Page

SPARSE_WORDS = 150  # words
MAX_COPIES = 4  # copies
CLAIM_BYTES = 2_000
MAX_QUOTE_CHARS = 700  # characters of a quoted sentence
NO_ADDRESS = "No address is known at which the source can be read."
LANGUAGES_DIFFER = "The claim and the source are in different languages, so their words cannot be compared."
SECONDS, TIME_SHARE = 20.0, 0.8  # for all copies of one source; share of the remaining time that they may take


class ClaimCheck(NamedTuple):
    """The result of a claim check. `skipped` says why nothing was measured; `words` counts the words that were read.

    `tier` is the one that spoke, `relation` and `probability` what a model says. `trials` are the supported claims that
    the threshold of this tier flags on development data, and their number; only for a result that speaks against the
    citation. `unanswered` says why higher tiers did not speak. `share` is the weighted part of the claim's words that
    neighbouring sentences of the source have.
    """

    support: Support
    evidence: tuple[str, ...] = ()
    source_url: str | None = None
    contrast: bool = False
    skipped: str | None = None
    fetch_error: str | None = None
    words: int | None = None
    sparsity_note: str | None = None
    tier: Tier | None = None
    relation: Relation | None = None
    probability: float | None = None
    trials: tuple[int, int] | None = None
    unanswered: str | None = None
    share: float | None = None

    @property
    def is_contradicted(self) -> bool:
        """Whether a model says that the source contradicts the claim; the contrast of words says no such thing."""
        return self.relation == "contradiction"


class ReadableSource(NamedTuple):
    """The text of a source. `words` counts its words."""

    url: str
    text: str
    words: int
    partial: str | None  # why the text is incomplete, or None


async def check_claim(
    ctx: Context, claim: str, urls: Sequence[str], *, abstract: Paper | None = None, highest: Tier | None = None
) -> ClaimCheck:
    """Check the claim against the first readable URL of `urls`; fall back to the abstract.

    `highest` is the highest tier to ask, any by default. `not_addressed` is only reported for a source that was read
    completely.
    """
    read, failures = await read_best_copy(ctx, urls)
    if read is None and abstract is not None and abstract.abstract:
        read = ReadableSource(
            abstract.url, abstract.abstract, count_words(abstract.abstract), "Only the abstract was read."
        )
    error = " ".join(failures) or None
    if read is None:
        return ClaimCheck("source_unavailable", skipped=None if urls else NO_ADDRESS, fetch_error=error)
    by_words = await asyncio.to_thread(_measure_claim, claim, read, error)  # a book takes seconds
    return _combine(by_words, await ask_tiers(ctx, claim, read.text, highest))


def _combine(by_words: ClaimCheck, asked: AskedTiers) -> ClaimCheck:
    """Put a model's answer above that of the words; a neutral one leaves what the words say."""
    unanswered = " ".join(asked.failures) or None
    answer = asked.answer
    if answer is None:
        return by_words._replace(unanswered=unanswered)
    support, skipped, passage = by_words.support, by_words.skipped, answer.passage
    if answer.relation != "neutral":
        support, skipped = "addressed", None
    elif skipped == LANGUAGES_DIFFER:
        support, skipped = "partially_addressed", None
    accuses = answer.relation == "contradiction" or support == "not_addressed"
    shown = dict.fromkeys([passage[:MAX_QUOTE_CHARS], *by_words.evidence] if passage else by_words.evidence)
    return by_words._replace(
        support=support,
        evidence=tuple(shown),
        contrast=answer.relation == "contradiction",
        skipped=skipped,
        tier=answer.tier,
        relation=answer.relation,
        probability=round(answer.probability, 3),
        trials=(by_words.trials if support == "not_addressed" else answer.trials) if accuses else None,
        unanswered=unanswered,
    )


def _measure_claim(claim: str, read: ReadableSource, error: str | None) -> ClaimCheck:
    if language_detection.languages_differ(claim, read.text):
        return ClaimCheck("source_unavailable", source_url=read.url, skipped=LANGUAGES_DIFFER, words=read.words)
    result = claim_coverage.measure_coverage(claim, read.text)
    sparse = f"Only {read.words} words were read." if read.words < SPARSE_WORDS else None
    if result.coverage == "not_addressed" and read.partial:
        return ClaimCheck(
            "source_unavailable", source_url=read.url, skipped=read.partial, fetch_error=error, words=read.words
        )
    shown = tuple(sentence[:MAX_QUOTE_CHARS] for sentence in result.sentences)
    is_absent = result.coverage == "not_addressed"
    return ClaimCheck(
        result.coverage,
        () if is_absent else shown,
        read.url,
        result.contrast and not is_absent,
        words=read.words,
        sparsity_note=" ".join(filter(None, [read.partial, sparse])) or None,
        tier="words",
        trials=(claim_coverage.FALSELY_ABSENT, claim_coverage.SUPPORTED_CLAIMS) if is_absent else None,
        share=result.share,
    )


async def read_best_copy(ctx: Context, urls: Sequence[str]) -> tuple[ReadableSource | None, list[str]]:
    """Return the first copy with enough text, else the longest one, and the failures of the others."""
    failures: list[str] = []
    best: ReadableSource | None = None
    until = asyncio.get_running_loop().time() + min(SECONDS, ctx.time_left() * TIME_SHARE)
    for url in list(dict.fromkeys(urls))[:MAX_COPIES]:
        try:
            async with asyncio.timeout_at(until):
                page = await ctx.child().page(url)
        except TimeoutError:
            failures.append(f"The time ran out before {url} was read.")
            break
        except ToolError as failure:
            failures.append(failure.sentence())
            continue
        if page.missing:
            failures.append(f"{page.url}: {page.access_note}")
            continue
        read = ReadableSource(page.url, page.content, count_words(page.content), _partial_reason(page))
        if best is None or read.words > best.words:
            best = read
        if read.words >= SPARSE_WORDS and not read.partial:
            return read, failures
    return best, failures


def _partial_reason(page: "Page") -> str | None:
    if page.quality == "partial":
        return page.access_note or "Only part of the source could be read."
    return "The source is longer than the part that was read." if page.truncated else None


async def open_copies(ctx: Context, doi: str) -> list[str]:
    """Return the URLs of all open-access copies that Unpaywall lists, PDFs first; empty if it is not available."""
    from assay.providers.unpaywall import Unpaywall

    if not Unpaywall.is_configured(ctx.services.settings):
        return []
    unpaywall = Unpaywall(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)
    try:
        known = await unpaywall.readable(unpaywall.copies(doi))
    except ToolError:  # the caller then tries the work's own addresses
        return []
    return [copy.url for copy in sorted(known.copies, key=lambda copy: copy.pdf_url is None)]
