"""Assay: research tools for people and AI agents who must show their sources."""

__version__ = "0.1.0"

_PLACES = {"Assay": "assay.api.local", "Client": "assay.api.client", "ToolError": "assay.errors"}


def __getattr__(name: str) -> object:
    """The public names, each imported when it is first asked for: most starts need none of them."""
    from importlib import import_module

    if name == "sync":
        return import_module("assay.sync")
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *_PLACES]
