"""Sites read by their own interfaces: one module a site, each with `matches(url)` and `read(url, means)`."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from pkgutil import iter_modules

from assay.net.guarded_client import GuardedClient
from assay.net.provider_client import ProviderClient
from assay.net.urls import host_of
from assay.scraping.page import Page
from assay.settings import Settings


@dataclass(frozen=True)
class Means:
    """What a site's module may use: the guarded way out, the trusted one, the settings, the time."""

    web: GuardedClient
    http: ProviderClient
    settings: Settings
    clock: Callable[[], float]


type Route = Callable[[str, Means], Awaitable[Page | None]]


@cache
def _modules() -> tuple[str, ...]:
    return tuple(sorted(module.name for module in iter_modules(import_module("assay.scraping.sites").__path__)))


def route(url: str) -> Route | None:
    """The site's own way to read this canonical URL, None when no site claims it."""
    for name in _modules():
        module = import_module(f"assay.scraping.sites.{name}")
        if module.matches(url):
            return partial(_where_allowed, module.read)
    return None


def within(url: str, *domains: str) -> bool:
    """Whether the canonical URL's host is one of `domains` or lies below one, at the border of a label."""
    host = host_of(url)
    return any(host == domain or host.endswith(f".{domain}") for domain in domains)


async def _where_allowed(read: Route, url: str, means: Means) -> Page | None:
    """None where the operator's list of domains lacks the host: the ladder then says so."""
    return await read(url, means) if means.web.gate.allows(host_of(url)) else None
