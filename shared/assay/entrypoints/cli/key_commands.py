"""`assay key`: keys of the table, and entries of ASSAY_API_KEYS."""

import argparse
import asyncio
import json
import secrets
import sys
from contextlib import redirect_stdout
from datetime import UTC, datetime
from typing import Any

from assay.administration.access_admin import check_key_scopes
from assay.bootstrap import build_services
from assay.entrypoints.auth import get_key_digest, ring
from assay.errors import InvalidInput
from assay.services import Services
from assay.state.audit import EventKind, emit_event
from assay.state.key_store import StoredKey, build_key, list_keys, revoke_key, save_key


def manage_keys(options: argparse.Namespace) -> int:
    """Create, list or revoke keys of the table; prints JSON. Any other word is the name of an entry of the ring."""
    run = {"create": _create, "list": _list, "revoke": _revoke}.get(options.action)
    if run is None:
        return _print_entry(options)
    if (options.target is None) != (options.action == "list"):
        missing = "Name the key: `assay key create NAME`, `assay key revoke ID`; `assay key list` takes no name."
        raise InvalidInput(missing, field="name")
    if options.action == "create":
        check_key_scopes(options.scope or ())
        build_key(options.target, 0.0, **_read_options(options))  # refuse invalid options before anything is opened
    print(json.dumps(asyncio.run(_with_services(run, options)), ensure_ascii=False))
    if options.action == "create":
        print("The key is not shown again.", file=sys.stderr)
    return 0


async def _with_services(run: Any, options: argparse.Namespace) -> Any:
    services = build_services()
    try:
        with redirect_stdout(sys.stderr):  # on AWS, audit events are log lines; standard output has the result alone
            return await run(services, options)
    finally:
        await services.close()


async def _create(services: Services, options: argparse.Namespace) -> dict[str, Any]:
    secret, key = build_key(options.target, services.clock(), **_read_options(options))
    await save_key(services.table, key)
    _record(services, "key.create", key)
    return {"key": secret, **_describe(key)}


async def _list(services: Services, options: argparse.Namespace) -> list[dict[str, Any]]:
    return [_describe(key) for key in await list_keys(services.table) if options.tenant in (None, key.tenant)]


async def _revoke(services: Services, options: argparse.Namespace) -> dict[str, Any]:
    key = await revoke_key(services.table, options.target)
    _record(services, "key.revoke", key)
    return {"revoked": _describe(key)}


def _record(services: Services, kind: EventKind, key: StoredKey) -> None:
    """Send the audit event to the observers."""
    emit_event(services.observers, kind, key.tenant, key.user, services.clock(), subject=key.id)


def _read_options(options: argparse.Namespace) -> dict[str, Any]:
    return {
        "tenant": options.tenant,
        "user": options.user,
        "scopes": options.scope or (),
        "read_only": options.read_only,
        "seconds": options.expires,
    }


def _describe(key: StoredKey) -> dict[str, Any]:
    """The key as people see it; the last use is known to the hour."""
    return {
        "id": key.id,
        "name": key.name,
        "tenant": key.tenant,
        "user": key.user,
        "scopes": sorted(key.scopes),
        "readOnly": key.read_only,
        "created": _format_time(key.created),
        "expires": _format_time(key.expires),
        "lastUsed": _format_time(key.used),
    }


def _format_time(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _print_entry(options: argparse.Namespace) -> int:
    if options.target is not None or options.expires is not None:
        raise InvalidInput(
            "An entry of ASSAY_API_KEYS has a name and does not expire; `assay key create NAME` makes keys that do.",
            field="name",
        )
    shown = "assay_" + secrets.token_urlsafe(32)
    entry = {
        "name": options.action,
        "sha256": get_key_digest(shown),
        "tenant": options.tenant or options.action,
        "user": options.user or options.action,
        "scopes": options.scope or ["*"],
    } | ({"readOnly": True} if options.read_only else {})
    ring(json.dumps([entry]))  # raises for an entry that the server would refuse
    print(json.dumps({"key": shown, "entry": entry}))
    print("The key is not shown again. Add the entry to the list in ASSAY_API_KEYS.", file=sys.stderr)
    return 0
