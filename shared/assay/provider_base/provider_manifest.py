"""Metadata of every provider without importing it, from the generated `assay/providers/manifest.json`.

`make generate` writes the file from the classes. A provider that it does not list yet is imported and described.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from assay.provider_base.provider import Provider, first_missing_setting
from assay.provider_base.provider_lookup import check_known, find_provider, list_provider_names
from assay.settings import Requirements, Settings


@dataclass(frozen=True)
class ProviderInfo:
    """The metadata of one provider class; see the class variables of `Provider` for their meaning."""

    name: str
    key_name: str
    requirements: Requirements
    has_own_check: bool  # its class also checks the values of its settings
    supported_filters: Mapping[str, frozenset[str]]
    max_results: Mapping[str, int]
    price: int
    prices: Mapping[str, int]
    max_pages: int

    @classmethod
    def from_class(cls, kind: type[Provider]) -> "ProviderInfo":
        return cls(
            name=kind.name,
            key_name=kind.key_name,
            requirements=kind.requirements(),
            has_own_check=any("is_configured" in vars(base) for base in kind.__mro__ if base is not Provider),
            supported_filters=kind.supported_filters,
            max_results=kind.max_results,
            price=kind.price,
            prices=kind.prices,
            max_pages=kind.max_pages,
        )

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> "ProviderInfo":
        filters = {operation: frozenset(names) for operation, names in fields["supported_filters"].items()}
        requirements = tuple(map(tuple, fields["requirements"]))
        return cls(**{**fields, "supported_filters": filters, "requirements": requirements})

    def to_json(self) -> dict[str, Any]:
        filters = {operation: sorted(names) for operation, names in self.supported_filters.items()}
        return {
            **asdict(self),
            "supported_filters": filters,
            "max_results": dict(self.max_results),
            "prices": dict(self.prices),
        }

    def is_configured(self, settings: Settings) -> bool:
        """Whether the provider is usable. A provider with its own check is imported once its settings are present."""
        if not settings.meets(self.requirements):
            return False
        return not self.has_own_check or find_provider(self.name).is_configured(settings)

    def required_setting(self, settings: Settings) -> str:
        """The variable to set to make the provider usable; "" if it needs none."""
        return first_missing_setting(self.requirements, settings)

    def supports(self, operation: str) -> bool:
        return operation in self.supported_filters


def build_manifest() -> str:
    """The text of `manifest.json`, from the classes: imports every provider."""
    infos = [ProviderInfo.from_class(find_provider(name)).to_json() for name in list_provider_names()]
    return json.dumps(infos, indent=1, sort_keys=True) + "\n"


@cache
def load_manifest() -> Mapping[str, ProviderInfo]:
    """The providers in the manifest by name; empty if no manifest has been generated."""
    path = Path(str(import_module("assay.providers").__file__)).with_name("manifest.json")
    infos = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    return {fields["name"]: ProviderInfo.from_json(fields) for fields in infos}


@cache
def describe_provider(name: str) -> ProviderInfo:
    """The metadata of one provider. Raises ConfigError, which lists all providers, for an unknown name."""
    check_known(name)
    return load_manifest().get(name) or ProviderInfo.from_class(find_provider(name))


def describe_providers(operation: str | None = None) -> list[ProviderInfo]:
    """All providers, or those that support an operation, sorted by name."""
    infos = map(describe_provider, list_provider_names())
    return [info for info in infos if operation is None or info.supports(operation)]
