"""How a client can ask its user a question. A module of its own, because only few calls need the questions."""

from collections.abc import Mapping
from typing import Any

from assay.entrypoints.mcp.client_requests import read_modes
from assay.entrypoints.mcp.exchange import Exchange
from assay.entrypoints.mcp.protocol_versions import CAPABILITIES_KEY, envelope_of, is_modern


def find_modes(params: Mapping[str, Any], exchange: Exchange) -> frozenset[str]:
    """The modes of elicitation, `form` and `url`, that the client declares."""
    if is_modern(exchange.version):
        return read_modes(envelope_of(params).get(CAPABILITIES_KEY))
    return exchange.questioner.modes if exchange.questioner else frozenset()


def can_show_forms(params: Mapping[str, Any], exchange: Exchange) -> bool:
    """Whether the client can show a form and this transport can bring its answer."""
    has_way = is_modern(exchange.version) or (exchange.questioner is not None and exchange.questioner.ask is not None)
    return has_way and "form" in find_modes(params, exchange)
