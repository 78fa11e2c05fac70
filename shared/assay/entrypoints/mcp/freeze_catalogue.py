"""Generates the list of tools at build time, so that a process can list tools without importing them.

`python -m assay.entrypoints.mcp.freeze_catalogue OUT` writes the file that `tool_catalogue.load_catalogue` reads in a
Lambda layer, and beside it those of `frozen_answers` and `frozen_info`; without OUT it fills the cache of this
installation.
"""

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from assay.caller import Caller
from assay.entrypoints.http.freeze_info import freeze_info
from assay.entrypoints.http.frozen_info import FROZEN as FROZEN_INFO
from assay.entrypoints.mcp import list_cache
from assay.entrypoints.mcp.exchange import Exchange
from assay.entrypoints.mcp.frozen_answers import FIXED, FROZEN
from assay.entrypoints.mcp.jsonrpc import encode_document
from assay.entrypoints.mcp.methods import answer
from assay.entrypoints.mcp.protocol_versions import LEGACY, MODERN
from assay.entrypoints.mcp.stateless_server import add_version_meta
from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue, serialize_entries
from assay.settings import Settings

if TYPE_CHECKING:
    from assay.services import Services


def freeze(out: Path, catalogue: ToolCatalogue | None = None) -> int:
    """Write the tools' cards to `out` and return the number of tools."""
    entries = (catalogue or ToolCatalogue()).entries()
    out.write_text(serialize_entries(entries), encoding="utf-8")
    return len(entries)


def freeze_answers(out: Path, catalogue: ToolCatalogue | None = None) -> None:
    """Write to `out` the texts of which `frozen_answers` makes its answers."""
    catalogue = catalogue or ToolCatalogue()
    latest = LEGACY[-1]
    texts = {
        "initialize": {
            name: {version: _answer_initialize(version, catalogue, has_queue=has_queue) for version in LEGACY}
            for name, has_queue in (("with tasks", True), ("without tasks", False))
        },
        "stateless": _answer_stateless(catalogue),
        "fixed": {method: _answer(method, {}, _build_exchange(catalogue, latest)) for method in FIXED},
        "tools": [
            {"requirements": entry.requirements, "latest": _encode(entry.card)} | _encode_older(entry.card)
            for entry in catalogue.entries()
        ],
    }
    out.write_text(json.dumps(texts, ensure_ascii=False), encoding="utf-8")


def _answer_initialize(version: str, catalogue: ToolCatalogue, *, has_queue: bool) -> str:
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "build", "version": "1"}}
    return _answer("initialize", params, _build_exchange(catalogue, version, has_queue=has_queue))


def _answer_stateless(catalogue: ToolCatalogue) -> dict[str, Any]:
    """The answers to clients of 2026-07-28; the list of tools is empty, since each deployment has its own."""
    exchange = _build_exchange(catalogue, MODERN[-1])

    def add_meta(method: str, result: dict[str, Any]) -> str:
        return _encode(add_version_meta(method, {}, result, exchange))

    def discover(*, has_queue: bool) -> str:
        asked = _build_exchange(catalogue, MODERN[-1], has_queue=has_queue)
        return add_meta("server/discover", asyncio.run(answer("server/discover", {}, asked)))

    lists = [method for method in FIXED if method != "ping"]
    return {
        "server/discover": {"with tasks": discover(has_queue=True), "without tasks": discover(has_queue=False)},
        "tools/list": add_meta("tools/list", {"tools": []}),
    } | {method: add_meta(method, asyncio.run(answer(method, {}, exchange))) for method in lists}


def _answer(method: str, params: Mapping[str, Any], exchange: Exchange) -> str:
    return _encode(asyncio.run(answer(method, params, exchange)))


def _build_exchange(catalogue: ToolCatalogue, version: str, *, has_queue: bool = False) -> Exchange:
    """A request of which only the catalogue, the version and the tasks matter."""
    services = SimpleNamespace(queue=object() if has_queue else None, settings=Settings())
    return Exchange(catalogue, cast("Services", services), Caller(), version)


def _encode_older(card: Mapping[str, Any]) -> dict[str, str]:
    """The card for older revisions, if it differs."""
    older = {name: value for name, value in card.items() if name != "execution"}
    return {"older": _encode(older)} if older != card else {}


def _encode(document: Mapping[str, Any]) -> str:
    return encode_document(document).decode()


def main(arguments: list[str]) -> int:
    if arguments:
        out = Path(arguments[0])
        sys.stderr.write(f"{freeze(out)} tools frozen in {out}\n")
        freeze_answers(out.with_name(FROZEN.name))
        freeze_info(out.with_name(FROZEN_INFO.name), ToolCatalogue())
    else:
        list_cache.load_cached(Settings.read().home).entries()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
