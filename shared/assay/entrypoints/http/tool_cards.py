"""The tools that `GET /tools` lists."""

from collections.abc import Iterator, Mapping
from typing import Any

from assay.entrypoints.listing import card_shown, name_lenses, requirements_of
from assay.entrypoints.mcp.tool_catalogue import FROZEN, load_catalogue
from assay.settings import Requirements, Settings
from assay.toolkit import tool_registry


def cards_shown(settings: Settings) -> list[Mapping[str, Any]]:
    """The cards of all listed tools, ordered by name, with the operator's custom lenses."""
    shown = (card_shown(card, requirements, settings) for card, requirements in _list_cards())
    return name_lenses([card for card in shown if card is not None], settings)


def _list_cards() -> Iterator[tuple[Mapping[str, Any], Requirements]]:
    """Each tool's card and requirements, from MCP's frozen list where the build made one: importing all takes 1 s."""
    if FROZEN.exists():
        for entry in load_catalogue().entries():
            yield {name: value for name, value in entry.card.items() if name != "icons"}, entry.requirements
        return
    for name in tool_registry.tool_names():
        yield tool_registry.find_tool(name).card(), requirements_of(name)
