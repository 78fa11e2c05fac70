"""Sites read by their own interfaces: one module a site, each with `matches(url)` and `read(url, means)`."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from assay.net.http import Http
from assay.net.web import Web
from assay.scraping.page import Page
from assay.settings import Settings


@dataclass(frozen=True)
class Means:
    """What a site's module may use: the guarded way out, the trusted one, the settings, the time."""

    web: Web
    http: Http
    settings: Settings
    clock: Callable[[], float]


type Route = Callable[[str, Means], Awaitable[Page | None]]


@cache
def _modules() -> tuple[str, ...]:
    return tuple(sorted(module.name for module in iter_modules(__path__)))


def route(url: str) -> Route | None:
    """The site's own way to read this canonical URL, None when no site claims it."""
    for name in _modules():
        module = import_module(f"{__name__}.{name}")
        if module.matches(url):
            found: Route = module.read
            return found
    return None
