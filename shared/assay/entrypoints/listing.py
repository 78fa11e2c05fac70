"""Selects the tools that a deployment lists: those whose configuration is complete."""

from collections.abc import Mapping
from typing import Any

from assay.settings import Requirements, Settings
from assay.toolkit import tool_registry


def requirements_of(name: str) -> Requirements:
    """The alternative sets of environment variables that enable the tool.

    They come from a list generated at build time, so that no provider module is imported.
    """
    from assay.search import requirements

    return requirements.get_requirements(tool_registry.find_tool(name))


def format_requirements(requirements: Requirements) -> str:
    """`set EXA_API_KEY, or EPO_OPS_CONSUMER_KEY and EPO_OPS_CONSUMER_SECRET`"""
    return f"set {', or '.join(' and '.join(names) for names in requirements)}"


def card_shown(card: Mapping[str, Any], requirements: Requirements, settings: Settings) -> Mapping[str, Any] | None:
    """The tool's card. For an unconfigured tool: None if the settings hide it, else the card with the reason."""
    if settings.meets(requirements):
        return card
    if settings.unconfigured_tools == "hide":
        return None
    reason = f"Not configured here: {format_requirements(requirements)}."
    return {**card, "description": f"{card['description']} {reason}"}


def name_lenses(cards: list[Mapping[str, Any]], settings: Settings) -> list[Mapping[str, Any]]:
    """The cards, with the names of the operator's custom lenses added to the description of `lens`."""
    if settings.lenses_path is None:
        return cards
    from assay.search.lenses import Lenses, list_custom_lenses

    return list_custom_lenses(cards, Lenses(settings).names())


def tools_lacking(settings: Settings) -> dict[str, Requirements]:
    """The unconfigured tools, each with the variables that would enable it."""
    needed = {name: requirements_of(name) for name in tool_registry.tool_names()}
    return {name: requirements for name, requirements in needed.items() if not settings.meets(requirements)}
