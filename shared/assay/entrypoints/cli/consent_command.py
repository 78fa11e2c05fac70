"""`assay consent`: grants, withdraws and lists consents to the storage of personal data."""

import argparse
import asyncio
import json
import sys
from typing import Any

from assay.bootstrap import build_services
from assay.caller import Caller
from assay.consent.consent_records import PURPOSES, ConsentStore
from assay.errors import InvalidInput
from assay.own_stores import OwnStores

STAYS = (
    "Memories stay until they expire, but are not read. "
    "`assay call memory_forget everything=true dryRun=false` deletes those of this machine's user."
)


def manage_consents(options: argparse.Namespace) -> int:
    """Record or list decisions of one person; prints them as JSON."""
    unknown = sorted(set(options.purposes).difference(PURPOSES))
    if unknown:
        raise InvalidInput(f"There is no purpose {unknown[0][:40]!r}. Use {', '.join(PURPOSES)}.", field="purposes")
    changes = options.action in ("grant", "withdraw")
    if changes != bool(options.purposes):
        way = (
            f"Name what to {options.action}: {', '.join(PURPOSES)}."
            if changes
            else f"`{options.action}` takes no purposes."
        )
        raise InvalidInput(way, field="purposes")
    print(json.dumps(asyncio.run(_run(options)), ensure_ascii=False))
    if options.action == "withdraw" and "memory" in options.purposes:
        print(STAYS, file=sys.stderr)
    return 0


async def _run(options: argparse.Namespace) -> dict[str, Any]:
    services = build_services()
    try:
        consents = OwnStores(services, Caller(options.tenant, options.user)).consents
        decisions = await _read_or_decide(options, consents)
    finally:
        await services.close()
    return {"tenantId": options.tenant, "userId": options.user, "consents": decisions}


async def _read_or_decide(options: argparse.Namespace, consents: ConsentStore) -> list[dict[str, Any]]:
    if options.action == "history":
        return [decision.wire() for decision in await consents.read_history()]
    if options.action == "list":
        latest = [await consents.read_latest(purpose) for purpose in PURPOSES]
        return [decision.wire() for decision in latest if decision]
    granted = options.action == "grant"
    return [
        (await consents.decide(purpose, granted=granted, decided_from="cli", terms_version=options.terms)).wire()
        for purpose in dict.fromkeys(options.purposes)
    ]
