"""Audits the citations of gold/references.json: bibliographies in CSL-JSON and plain lists, as users send them."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from assay.caller import Caller
from assay.context import Context
from assay.invoke import invoke
from assay.services import Services

AT_ONCE = 200  # entries of one audit

type Case = dict[str, Any]


async def audit_references(services: Services, cases: Sequence[Case]) -> list[tuple[Case, dict[str, Any]]]:
    """Return each citation with its audited entry."""
    results = []
    for batch in _group(cases):
        items = batch[0]["form"] == "item"
        cited = [case["cited"] for case in batch]
        bibliography = (
            json.dumps(cited) if items else "\n".join(f"[{number}] {text}" for number, text in enumerate(cited, 1))
        )
        reply = await invoke("audit_bibliography", {"bibliography": bibliography}, Context(services, Caller()))
        assert reply.error is None, reply.error
        assert len(reply.wire["entries"]) == len(batch), reply.wire.get("unread")
        results += zip(batch, reply.wire["entries"], strict=True)
    return results


def is_sound(case: Case) -> bool:
    """Whether a citation has no error. A retraction is no error of the citation."""
    return set(case["flags"]) <= {"retracted"}


def is_found(case: Case, entry: dict[str, Any]) -> bool:
    """Whether the planted error is flagged."""
    return bool(set(case["flags"]) & set(entry["flags"]))


def _group(cases: Iterable[Case]) -> Iterator[list[Case]]:
    """Yield citations of one form, as many as an audit takes."""
    for form in ("item", "printed", "wrapped"):
        alike = [case for case in cases if case["form"] == form]
        yield from (alike[at : at + AT_ONCE] for at in range(0, len(alike), AT_ONCE))
