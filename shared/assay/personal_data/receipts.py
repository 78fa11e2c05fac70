"""Receipts of erasures, signed with a key of the table, so that a receipt can be verified later."""

import hashlib
import hmac
import json
from typing import Any

from assay.state.installation_keys import load_or_create_key
from assay.state.ports import TableStore

KEY = "receipt-key"


async def sign_receipt(table: TableStore, receipt: dict[str, Any]) -> dict[str, Any]:
    """Return the receipt with its digest and signature."""
    digest = _compute_digest(receipt)
    return {**receipt, "digest": digest, "signature": _compute_signature(await load_or_create_key(table, KEY), digest)}


async def is_valid_receipt(table: TableStore, receipt: dict[str, Any]) -> bool:
    """Return whether this installation signed the receipt and nothing in it has changed."""
    row = await table.get(KEY)
    content = {name: value for name, value in receipt.items() if name not in ("digest", "signature")}
    digest = _compute_digest(content)
    if row is None or receipt.get("digest") != digest:
        return False
    return hmac.compare_digest(_compute_signature(row.value, digest).encode(), str(receipt.get("signature")).encode())


def _compute_digest(content: dict[str, Any]) -> str:
    text = json.dumps(content, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _compute_signature(key: bytes, digest: str) -> str:
    return hmac.new(key, digest.encode(), hashlib.sha256).hexdigest()
