"""Suggestions for a search without results: remove filters first, then try another provider."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from assay.models.common import SuggestedAction, ZeroResultHints
from assay.search.fallback import SearchResult
from assay.search.router import Router

MAX_ACTIONS = 3


class ListsResults(Protocol):
    """A tool output that lists results."""

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
    """Hints for a search without results.

    `filters` are the inputs that may have excluded every result, None where unset. `instead` replaces the suggestion
    to remove a filter; None there suggests nothing for that filter.
    """
    applied = {name: str(value) for name, value in filters.items() if value}
    removals = {name: SuggestedAction(action="remove_filter", parameter=name) for name in applied}
    filter_actions = [action for action in (removals | dict(instead or {})).values() if action]
    others = await router.others(operation, found.attempted)
    provider_actions = [
        SuggestedAction(action="try_different_provider", parameter="provider", value=name) for name in others
    ]
    limit = MAX_ACTIONS - 1 if provider_actions else MAX_ACTIONS
    return ZeroResultHints(
        reason=reason or ("filters_too_restrictive" if applied else "no_match"),
        providers_attempted=found.attempted,
        filters_applied=applied,
        suggested_actions=[*filter_actions[:limit], *provider_actions][:MAX_ACTIONS],
    )


def format_hints(hints: ZeroResultHints | None) -> list[str]:
    """The hints as lines of text."""
    if hints is None:
        return []
    actions = [
        f"Try: {one.action} {one.parameter}{f'={one.value}' if one.value else ''}" for one in hints.suggested_actions
    ]
    return [f"{hints.reason}. {hints.epistemic_warning}", *actions]


def format_listing(lines: Iterable[str], answer: ListsResults, *last: str) -> str:
    """The text of an answer: its lines, hints if it has no results, warnings, and its trust marker."""
    warned = [f"Warning: {warning}" for warning in answer.warnings or ()]
    return "\n".join([*lines, *format_hints(answer.hints), *warned, *last, f"trust: {answer.trust}"])
