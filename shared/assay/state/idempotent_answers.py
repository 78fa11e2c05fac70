"""Where the answers of calls with an Idempotency-Key are stored."""

import hashlib

KIND = "idempotency"  # in the index of what a person owns


def build_answer_name(tenant: str, user: str, tool: str, key: str) -> str:
    """Return the name of the answer; keys of different people and tools are different keys."""
    return hashlib.sha256(repr((tenant, user, tool, key)).encode()).hexdigest()


def build_row_key(tenant: str, name: str) -> str:
    return f"idempotency/{tenant}/{name}"


def build_object_name(name: str) -> str:
    """Return the name of the object of an answer that is too large for a row."""
    return f"idempotency/{name}"
