"""Outcomes of a session's calls: the last two hundred, and recurring failures."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.errors import ToolError
from assay.state.json_documents import Document, encode
from assay.state.ports import TableStore
from assay.state.table_rows import query_all

MAX_OUTCOMES, MIN_REPEATS, MAX_URLS = 200, 3, 5
ADVICE: Mapping[str, str] = {
    "auth_required": "Consider open_access=true or target preprint servers (arxiv, biorxiv).",
    "blocked": "These sites refuse automated readers; look for the same facts on other hosts, or use search snippets.",
    "rate_limited": "Slow down: wait for retryAfterSeconds, request less, or name another provider.",
    "browser_unavailable": "These pages need a browser, which this server lacks; prefer pages that come as plain HTML.",
    "network": "Several hosts do not answer; check the addresses, and come back to them later.",
    "not_found": "Several addresses lead nowhere; take addresses from search results instead of composing them.",
    "content_empty": "Several pages have no text to read; look for a print version, a PDF or another source.",
    "upstream_unavailable": "A provider keeps failing; name another one with the provider field.",
    "validation": "Several calls were malformed; read the tool's schema and the message of the last error.",
    "config": "The call needs a provider or key that is not configured here; call without naming a provider.",
    "payment_required": "A provider requires payment; name another one, or continue without it.",
}
OTHERWISE = "The same failure repeats; change the approach instead of retrying."


async def put(table: TableStore, key: str, outcomes: Sequence[Document], *, until: float) -> None:
    """Store the outcomes of calls; only the last two hundred are kept."""
    for outcome in outcomes[-MAX_OUTCOMES:]:
        number = await table.add(key, "outcomes", until=until)
        row = f"outcome/{number % MAX_OUTCOMES:03}"
        await table.put(key, row, encode({**outcome, "number": number}), until=until)


async def read(table: TableStore, key: str) -> list[Document]:
    """Return the outcomes in order."""
    found: list[Document] = [json.loads(item.value) for item in await query_all(table, key, "outcome/")]
    return sorted(found, key=lambda outcome: (outcome["at"], outcome["number"]))


def find_patterns(outcomes: Iterable[Document]) -> list[Document]:
    """Return failures of one kind that occurred at least three times.

    Each has kind, count, affectedUrls, suggestion and lastSeen (epoch seconds).
    """
    by_kind: dict[str, list[Document]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.get("kind"):
            by_kind[outcome["kind"]].append(outcome)
    often = [(kind, failed) for kind, failed in by_kind.items() if len(failed) >= MIN_REPEATS]
    return [
        {
            "kind": kind,
            "count": len(failed),
            "affectedUrls": list(dict.fromkeys(one["url"] for one in failed if one.get("url")))[:MAX_URLS],
            "suggestion": ADVICE.get(kind, OTHERWISE),
            "lastSeen": failed[-1]["at"],
        }
        for kind, failed in sorted(often, key=lambda pair: (-len(pair[1]), pair[0]))
    ]


def count_by_provider(outcomes: Iterable[Document]) -> dict[str, dict[str, int]]:
    """Return `{attempts, successes}` by provider."""
    stats: dict[str, dict[str, int]] = {}
    for outcome in outcomes:
        for provider, (attempts, successes) in (outcome.get("asked") or {}).items():
            counts = stats.setdefault(provider, {"attempts": 0, "successes": 0})
            counts["attempts"] += attempts
            counts["successes"] += successes
    return dict(sorted(stats.items()))


def build_outcomes(
    at: float,
    *,
    requests: Mapping[str, tuple[int, int]],
    failure: ToolError | None = None,
    url: str | None = None,
    missed: Iterable[Mapping[str, Any]] = (),
) -> list[Document]:
    """Return the outcomes of one call: the providers used (requests, answers), its failure, and unreadable pages."""
    call = {"at": at, "asked": dict(list(requests.items())[:20])} | _build_failure_row(
        failure.kind if failure else None, url
    )
    pages = [{"at": at} | _build_failure_row(one.get("kind"), one.get("url")) for one in missed]
    return [call, *pages] if requests or failure or url else pages


def _build_failure_row(kind: str | None, url: str | None) -> Document:
    """Return a row with the failure's `kind`, None for a success."""
    return {name: value[:2_000] for name, value in (("kind", kind), ("url", url)) if value}
