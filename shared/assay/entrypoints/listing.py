"""Which tools a deployment lists: those that can answer as it is configured."""

from collections.abc import Mapping
from typing import Any

from assay.settings import Requirements, Settings
from assay.toolkit import tool_registry


def requirements_of(name: str) -> Requirements:
    """The sets of variables of which one makes the tool usable. A list made at build spares the import of providers."""
    from assay.search import requirements

    return requirements.requirements_of(tool_registry.find_tool(name))


def format_requirements(requirements: Requirements) -> str:
    """`set EXA_API_KEY, or EPO_OPS_CONSUMER_KEY and EPO_OPS_CONSUMER_SECRET`"""
    return f"set {', or '.join(' and '.join(names) for names in requirements)}"


def card_shown(card: Mapping[str, Any], requirements: Requirements, settings: Settings) -> Mapping[str, Any] | None:
    """The tool's card; None, or the card with the reason, where the tool lacks configuration."""
    if settings.meets(requirements):
        return card
    if settings.unconfigured_tools == "hide":
        return None
    reason = f"Not configured here: {format_requirements(requirements)}."
    return {**card, "description": f"{card['description']} {reason}"}


def cards_shown(settings: Settings) -> list[Mapping[str, Any]]:
    """The cards of all tools that are listed, in the order of their names, with the operator's own lenses."""
    found = (
        card_shown(tool_registry.find_tool(name).card(), requirements_of(name), settings)
        for name in tool_registry.tool_names()
    )
    return name_lenses([card for card in found if card is not None], settings)


def name_lenses(cards: list[Mapping[str, Any]], settings: Settings) -> list[Mapping[str, Any]]:
    """The cards with the operator's own lenses in the description of `lens`, where there are some."""
    if settings.lenses_path is None:
        return cards
    from assay.search.lenses import Lenses, list_custom_lenses

    return list_custom_lenses(cards, Lenses(settings).names())


def tools_lacking(settings: Settings) -> dict[str, Requirements]:
    """The tools that lack configuration, and what would give it."""
    needed = {name: requirements_of(name) for name in tool_registry.tool_names()}
    return {name: requirements for name, requirements in needed.items() if not settings.meets(requirements)}
