"""Sites whose APIs are served on loopback, read through the public entry points."""

import json
from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def environ(environ: dict[str, str], site: Any) -> dict[str, str]:
    """Every interface answers from `site`, each below a folder of its own."""
    names = {
        "YOUTUBE": "/youtube",
        "HACKERNEWS_FIREBASE": "/hn",
        "FXTWITTER": "/fx",
        "NITTER": "/nitter",
        "BLUESKY": "/bluesky",
        "GITHUB": "/github",
        "GITHUB_RAW": "/raw",
        "REDDIT": "/reddit",
    }
    return environ | {f"{name}_BASE_URL": site.url + path for name, path in names.items()}


@pytest.fixture
def answers(site: Any) -> Callable[..., str]:
    """Let the site answer JSON at a path."""

    def serve_json(path: str, body: Any, status: int = 200, **more: Any) -> str:
        return str(site.says(path, json.dumps(body), status, "application/json", **more))

    return serve_json


@pytest.fixture
def read(services: Any) -> Callable[..., Any]:
    """Read a page through the tiered scraper."""

    async def page(url: str) -> Any:
        return await services.scrape.read(url)

    return page


@pytest.fixture
def by_route(services: Any) -> Callable[..., Any]:
    """Read a URL through its site module; None if the tiers are needed."""
    from assay.net.urls import canonicalize_url
    from assay.scraping.site_registry import SiteContext, route

    context = SiteContext(services.web, services.http, services.settings, services.clock)

    async def page(url: str) -> Any:
        own = route(canonicalize_url(url))
        assert own is not None
        return await own(canonicalize_url(url), context)

    return page
