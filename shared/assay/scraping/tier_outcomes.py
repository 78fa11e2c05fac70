"""Tiers, their outcomes, and the choice between them."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Literal, NamedTuple

from assay.errors import ToolError
from assay.net.guarded_client import Fetched
from assay.scraping import error_mapping, html_page, response_parser
from assay.scraping.error_mapping import Escalation, TierFailure
from assay.scraping.page import Page

type Mode = Literal["read", "raw"]


class TierOutcome(NamedTuple):
    """The result of one tier: a page or an error, and which tiers may still yield more."""

    tier: str
    page: Page | None = None
    error: ToolError | None = None
    hope: Escalation = "none"
    own: bool = True  # False for third-party tiers
    lacks: str = ""  # why a browser might show more


class ScrapeTier(NamedTuple):
    """A tier; it is tried only if the previous outcome has the hope `requires`."""

    name: str
    requires: Escalation
    read: Callable[[str, Mode], Awaitable[TierOutcome]]
    own: bool = True


def to_refusal(fetched: Fetched, tier: str) -> TierOutcome | None:
    """The outcome for an error status; a bot check takes precedence over the meaning of the status."""
    error = error_mapping.response_error(fetched, response_parser.get_retry_after(fetched))
    if error is None:
        return None
    hope = error_mapping.choose_escalation(error)
    if fetched.status in error_mapping.CHALLENGES and response_parser.is_wall(fetched):
        hope = "again"
        error = (
            error
            if fetched.status == 429
            else error_mapping.blocked_error(fetched.url, f"HTTP {fetched.status}, bot wall")
        )
    return TierOutcome(tier, error=error, hope=hope)


def to_third_party_outcome(tier: str, page: Page) -> TierOutcome:
    """The outcome of a third-party tier; further tiers are tried if it is short."""
    little = len(page.content) < html_page.MIN_LENGTH
    page.quality = "partial" if little else "complete"
    return TierOutcome(tier, page, hope="elsewhere" if little else "none", own=False)


def choose_best(outcomes: Sequence[TierOutcome], *, hurried: bool = False) -> Page:
    """Return a complete page, or else the best partial one. Raises the combined error if there is none.

    `hurried`: the deadline passed before all tiers were tried.
    """
    last = outcomes[-1]
    if last.page and last.hope == "none":
        return last.page
    failures = [TierFailure(each.tier, each.error, each.own) for each in outcomes if each.error]
    hurried = hurried or any(failure.error.out_of_time for failure in failures)
    pages = [each.page for each in outcomes if each.page]
    if not pages:
        error = error_mapping.combine_failures(failures)
        error.out_of_time = hurried
        raise error
    page = max(pages, key=_text_weight)
    page.hurried = hurried
    if failures:
        page.access_note = (
            f"{page.access_note or ''} Other ways failed: {error_mapping.describe_failures(failures)}.".strip()
        )
    return page


def choose_longer(static: TierOutcome, rendered: TierOutcome) -> Page:
    """Choose between the static and the rendered version of a page; the static one if rendering failed."""
    assert static.page is not None
    if rendered.page is not None:
        return max(rendered.page, static.page, key=_text_weight)
    assert rendered.error is not None
    static.page.quality = "partial"
    static.page.hurried = rendered.error.out_of_time
    static.page.access_note = f"{static.lacks} The browser failed: {error_mapping.describe_briefly(rendered.error)}."
    return static.page


def _text_weight(page: Page) -> float:
    """Size in bytes times the share of letters."""
    letters = sum(letter.isalpha() for letter in page.content)
    return len(page.content.encode()) * letters / max(1, len(page.content))
