"""Registry of sites with an API: one module per site, with `matches(url)` and `read(url, context)`."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from assay.net.guarded_client import GuardedClient
from assay.net.hostname_policy import Domains
from assay.net.provider_client import ProviderClient
from assay.net.urls import get_host
from assay.scraping.page import Page
from assay.settings import Settings


@dataclass(frozen=True)
class SiteContext:
    """Dependencies of a site module: guarded client for page URLs, provider client for APIs, settings, clock."""

    web: GuardedClient
    http: ProviderClient
    settings: Settings
    clock: Callable[[], float]


type Route = Callable[[str, SiteContext], Awaitable[Page | None]]


@cache
def _list_site_modules() -> tuple[str, ...]:
    return tuple(sorted(module.name for module in iter_modules(import_module("assay.scraping.sites").__path__)))


@cache
def _import_site_module(name: str) -> ModuleType:
    return import_module(f"assay.scraping.sites.{name}")


def route(url: str) -> Route | None:
    """The reader for this canonical URL; None if no site module matches."""
    for name in _list_site_modules():
        module = _import_site_module(name)
        if module.matches(url):
            return partial(_read_if_allowed, module.read)
    return None


def is_within(url: str, *domains: str) -> bool:
    """Whether the canonical URL's host is one of `domains` or a subdomain of one."""
    return get_host(url) in _build_domains(domains)


@cache
def _build_domains(names: tuple[str, ...]) -> Domains:
    return Domains(names)


async def _read_if_allowed(read: Route, url: str, context: SiteContext) -> Page | None:
    """Read the URL; None if the configured domain list excludes the host, which the tiers then report."""
    return await read(url, context) if context.web.guard.allows(get_host(url)) else None
