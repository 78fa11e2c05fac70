"""Examples of calls and answers for the documentation: shortened, and the same in every run."""

import json
import re
from typing import Any

NOW = 1_769_860_800  # 2026-01-31T12:00:00Z, where the clock of a documented call starts
LINES, WIDTH = 45, 118
DURATIONS = {"latency_ms", "loadTime", "searchTime", "totalTime", "processingTimeMs", "elapsed"}
VARYING = (
    (re.compile(r"2026-01-31T12:\d\d:\d\d(\.\d+)?"), "2026-01-31T12:00:00"),
    (re.compile(r"2026020\dT12:\d\d:\d\d(\.\d+)?"), "20260207T12:00:00"),
    (re.compile(r"(2026-\d\d-\d\dT)12:\d\d:\d\d(\.\d+)?"), r"\g<1>12:00:00"),
    (re.compile(r"2026013112\d{4}"), "20260131120000"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "5f2c…"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "9b1d…"),
    (re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "3c6e…"),
    (re.compile(r"http://127\.0\.0\.1:\d+"), "https://upstream.example"),
)


def format_example(arguments: dict[str, Any], answer: dict[str, Any]) -> str:
    """The call and its answer as JSON of at most `LINES` lines: long texts are cut, then lists, then deep objects."""
    example = mask_varying({"call": arguments, "answer": answer})
    text = ""
    for items, depth in ((3, 9), (2, 9), (1, 9), (1, 5), (1, 4), (1, 3)):
        text = "\n".join(_lines(_shorten(example, items, depth)))
        if text.count("\n") < LINES:
            break
    return text + "\n"


def mask_varying(value: Any, name: str = "") -> Any:
    if isinstance(value, dict):
        return {key: mask_varying(inner, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [mask_varying(inner) for inner in value]
    if name in DURATIONS:
        return 250
    if isinstance(value, str):
        for pattern, fixed in VARYING:
            value = pattern.sub(fixed, value)
    return value


def _shorten(value: Any, items: int, depth: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= 100 else value[:90].rstrip() + "…"
    if isinstance(value, dict | list) and value and not depth:
        return "…"
    if isinstance(value, dict):
        return {key: _shorten(inner, items, depth - 1) for key, inner in value.items()}
    if isinstance(value, list):
        return [_shorten(inner, items, depth - 1) for inner in value[:items]] + ["…"] * (len(value) > items)
    return value


def _lines(value: Any, indent: str = "", head: str = "", tail: str = "") -> list[str]:
    """The value as lines of JSON: what fits into one line stays on one."""
    line = f"{indent}{head}{json.dumps(value, ensure_ascii=False)}{tail}"
    if len(line) <= WIDTH or not isinstance(value, dict | list):
        return [line]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    heads = [f"{json.dumps(key)}: " for key in value] if isinstance(value, dict) else [""] * len(value)
    inner = list(value.values()) if isinstance(value, dict) else value
    lines = [f"{indent}{head}{opening}"]
    for number, (name, one) in enumerate(zip(heads, inner, strict=True), 1):
        lines += _lines(one, indent + "  ", name, "," if number < len(inner) else "")
    return [*lines, f"{indent}{closing}{tail}"]
