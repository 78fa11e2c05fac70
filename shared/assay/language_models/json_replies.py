"""Reads the JSON in the text that a model replies with."""

import json
import re
from typing import Any

from assay.text.strict_json import refuse_constant

FENCE = re.compile(r"```(?:json)?\s*+(.*?)```", re.DOTALL | re.IGNORECASE)
MAX_REPLY = 400_000  # characters parsed of an answer


def parse_json_reply(text: str) -> Any:
    """Return the first JSON object or array of a reply, after its reasoning; None if there is none."""
    return _parse_first_json(_strip_reasoning(text.strip()[:MAX_REPLY]))


def _strip_reasoning(text: str) -> str:
    """Remove a leading `<think>` block."""
    if not text[:10].lower().startswith("<think"):
        return text
    return text.rpartition("</think>")[2] if "</think>" in text else text.rpartition("</thinking>")[2]


def _parse_first_json(text: str) -> Any:
    """Return the first JSON object or array in the text, fenced or not; None if there is none."""
    for candidate in (text, *FENCE.findall(text)):
        try:
            value = json.loads(candidate.strip(), parse_constant=refuse_constant)
        except (ValueError, RecursionError):
            continue
        return value if isinstance(value, dict | list) else None
    reader = json.JSONDecoder(parse_constant=refuse_constant)
    for start in [match.start() for match in re.finditer(r"[{\[]", text)][:20]:
        try:
            value, _ = reader.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict | list) and value:
            return value
    return None
