"""The last errors of each tenant, in a ring of rows that expire after a day.

The message of an error may contain what a person searched for, so only that person reads it.
"""

import json
from typing import Any

from assay.consent.consent_gate import ANONYMOUS
from assay.errors import ToolError
from assay.state.audit import Call
from assay.state.json_documents import encode
from assay.state.ports import TableStore
from assay.state.table_rows import hash_names
from assay.text.timestamps import format_utc

MOST = 50  # errors of a tenant
SECONDS = 86_400
MESSAGE_CHARS = 300


def build_errors_key(tenant: str) -> str:
    """Return the key of the rows with a tenant's errors."""
    return "errors/" + hash_names(tenant)


async def record_error(table: TableStore, call: Call, error: ToolError) -> None:
    """Store the error of the call in place of the oldest one."""
    key = build_errors_key(call.tenant)
    document: dict[str, Any] = {
        "at": call.at,
        "tool": call.tool,
        "kind": error.kind,
        "retryable": error.retryable,
        "action": error.suggested_action,
        "door": call.entrypoint,
        "request": call.request_id,
        **({"provider": error.provider[:80]} if error.provider else {}),
    }
    if call.user not in ANONYMOUS:
        document |= {"user": call.user, "message": error.sentence()[:MESSAGE_CHARS]}
    number = await table.add(key, "count")
    await table.put(key, f"{number % MOST:02}", encode(document), until=call.at + SECONDS)


async def read_errors(table: TableStore, tenant: str, user: str | None = None) -> list[dict[str, Any]]:
    """Return the errors of the tenant's last day, the latest first, with the messages of those of `user`.

    One query of at most `MOST` rows.
    """
    rows = (await table.query(build_errors_key(tenant), limit=MOST)).items
    errors = sorted((json.loads(row.value) for row in rows), key=lambda each: -each["at"])
    return [_describe(each, user) for each in errors]


def _describe(error: dict[str, Any], user: str | None) -> dict[str, Any]:
    is_own = user is not None and error.get("user") == user
    return {
        "at": format_utc(error["at"]),
        "tool": error["tool"],
        "kind": error["kind"],
        **({"provider": error["provider"]} if "provider" in error else {}),
        "retryable": error["retryable"],
        "suggestedAction": error["action"],
        "entryPoint": error["door"],
        "requestId": error["request"],
        **({"cause": error["message"]} if is_own else {}),
    }
