"""What to try when nothing was found: fewer filters first, then somebody else."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from assay.models.common import SuggestedAction, ZeroResultHints
from assay.search.fallback import SearchResult
from assay.search.router import Router

MOST = 3


class ListsResults(Protocol):
    """An answer that lists what was found."""

    hints: ZeroResultHints | None
    warnings: list[str] | None
    trust: Any


async def find_hints(
    router: Router,
    operation: str,
    found: SearchResult[Any],
    filters: Mapping[str, Any],
    *,
    instead: Mapping[str, SuggestedAction | None] | None = None,
    reason: str | None = None,
) -> ZeroResultHints:
    """Why there may be nothing.

    `filters` are the inputs that may have shut everything out, None where unset; `instead` has what to try where that
    is not to remove the filter, None where nothing is.
    """
    applied = {name: str(value) for name, value in filters.items() if value}
    plain = {name: SuggestedAction(action="remove_filter", parameter=name) for name in applied}
    lighter = [action for action in (plain | dict(instead or {})).values() if action]
    others = await router.others(operation, found.attempted)
    asking = [SuggestedAction(action="try_different_provider", parameter="provider", value=name) for name in others]
    room = MOST - 1 if asking else MOST
    return ZeroResultHints(
        reason=reason or ("filters_too_restrictive" if applied else "no_match"),
        providers_attempted=found.attempted,
        filters_applied=applied,
        suggested_actions=[*lighter[:room], *asking][:MOST],
    )


def format_hints(hints: ZeroResultHints | None) -> list[str]:
    """The hints as lines of text."""
    if hints is None:
        return []
    tries = [
        f"Try: {one.action} {one.parameter}{f'={one.value}' if one.value else ''}" for one in hints.suggested_actions
    ]
    return [f"{hints.reason}. {hints.epistemic_warning}", *tries]


def listing(lines: Iterable[str], answer: ListsResults, *last: str) -> str:
    """The text of an answer: its lines, what to try where there are none, warnings, and how far it is to be trusted."""
    warned = [f"Warning: {warning}" for warning in answer.warnings or ()]
    return "\n".join([*lines, *format_hints(answer.hints), *warned, *last, f"trust: {answer.trust}"])
