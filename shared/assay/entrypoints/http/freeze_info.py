"""Writes at build time the texts of which `frozen_info` makes its answers."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.entrypoints.http import admin_openapi, openapi
from assay.entrypoints.http.rest import ROUTES
from assay.entrypoints.http.service_info import describe_life
from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue


def freeze_info(out: Path, catalogue: ToolCatalogue) -> None:
    """Write the answers of health, `/tools` and `/openapi.json`, in parts that belong to a tool or to all."""
    cards = {
        entry.card["name"]: {name: value for name, value in entry.card.items() if name != "icons"}
        for entry in catalogue.entries()
    }
    document = admin_openapi.add_endpoints(openapi.document(cards))
    owners = {("/tools/" + name, "post"): name for name in cards}
    owners |= {(route.path, route.method.lower()): route.tool for route in ROUTES}
    empty = {**document, "paths": {}, "components": {**document["components"], "schemas": {}}}
    texts = {
        "live": _encode(describe_life()),
        "requirements": {entry.card["name"]: entry.requirements for entry in catalogue.entries()},
        "cards": [(name, _encode(card)) for name, card in cards.items()],
        "openapi": _encode(empty),
        "operations": [
            (path, owners.get((path, method), ""), f'"{method}":{_encode(operation)}')
            for path, operations in document["paths"].items()
            for method, operation in operations.items()
        ],
        "schemas": [
            (owner if (owner := name.partition(".")[0]) in cards else "", f"{_encode(name)}:{_encode(schema)}")
            for name, schema in document["components"]["schemas"].items()
        ],
    }
    out.write_text(json.dumps(texts, ensure_ascii=False), encoding="utf-8")


def _encode(value: Mapping[str, Any] | str) -> str:
    """The JSON that FastAPI's JSONResponse sends."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
