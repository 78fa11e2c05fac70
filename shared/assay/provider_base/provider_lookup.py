"""Finds the classes of providers by name."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from assay.errors import ConfigError
from assay.provider_base.provider import Provider
from assay.text.plain_text import to_plain_text


@cache
def list_provider_names() -> tuple[str, ...]:
    modules = iter_modules(import_module("assay.providers").__path__)
    return tuple(sorted(module.name for module in modules))


def check_known(name: str) -> None:
    """Raise ConfigError, which lists all providers, for an unknown name."""
    known = list_provider_names()
    if name not in known:
        raise ConfigError(
            f"There is no provider called {to_plain_text(name, 40)!r}; use one of {', '.join(known)}.",
            field="provider",
            alternatives=known,
        )


@cache
def find_provider(name: str) -> type[Provider]:
    """Import the module of one provider and return its class. Raises ConfigError for an unknown name."""
    check_known(name)
    module = import_module(f"assay.providers.{name}")
    found = [
        kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, Provider)
        and f"{kind.__module__}.".startswith(f"{module.__name__}.") and kind.name == name
    ]  # fmt: skip
    return found[0]
