"""Assay: research tools for people and AI agents who must show their sources."""

__version__ = "0.1.0"

_MODULES = {"Assay": "assay.api.local", "Client": "assay.api.client", "ToolError": "assay.errors"}


def __getattr__(name: str) -> object:
    """Import the public names on first use, because most processes need none of them."""
    from importlib import import_module

    if name == "sync":
        return import_module("assay.sync")
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *_MODULES]
