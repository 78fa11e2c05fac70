"""README of a GitHub repository, with repository statistics as trust signals."""

import base64
from collections.abc import Mapping
from typing import Any

from assay.errors import NotFound, ToolError
from assay.scraping.page import Page
from assay.scraping.site_registry import SiteContext
from assay.scraping.sites.github.api import SITE, are_names, ask, raw
from assay.scraping.sites.github.file_view import CAP, MARKDOWN, ending, render_markdown, text_of
from assay.scraping.untrusted_json import as_object, build_page, clean_line, clean_text, parse_count, parse_date
from assay.state.concurrent_map import gather_all


async def readme(url: str, owner: str, name: str, context: SiteContext) -> Page | None:
    """Read the README with the repository's trust signals; None if there is no README."""
    if not are_names(owner, name):
        return None
    (text, path, tier), repository = await gather_all(_readme(owner, name, context), _repository(owner, name, context))
    if not text.strip():
        return None
    base = f"https://github.com/{owner}/{name}/"
    signals = trust_signals(repository, context.clock())
    return build_page(
        url,
        "github",
        [render_markdown(text, path, base) if ending(path) in MARKDOWN else clean_text(text, CAP)],
        cap=CAP,
        tier=tier,
        title=f"{owner}/{name}",
        authors=[owner],
        site=SITE,
        modified=parse_date(repository.get("pushed_at"), context.clock()),
        description=clean_line(repository.get("description")),
        canonical=base.rstrip("/"),
        extras={"githubTrustSignals": signals} if signals else {},
    )


async def _readme(owner: str, name: str, context: SiteContext) -> tuple[str, str, str]:
    """Text, path and tier of the README: README.md as a raw file, or else through the API."""
    try:
        return text_of(await raw(f"/{owner}/{name}/HEAD/README.md", context, CAP)) or "", "README.md", "github:raw"
    except NotFound:
        pass
    try:
        found = as_object(await ask(f"/repos/{owner}/{name}/readme", context))
    except NotFound:  # no README, no repository, or another page of the site
        return "", "", ""
    try:
        body = base64.b64decode(str(found.get("content") or ""))
    except ValueError:
        return "", "", ""
    return text_of(body) or "", clean_line(found.get("path")) or "README", "github:contents-api"


async def _repository(owner: str, name: str, context: SiteContext) -> dict[str, Any]:
    """The repository object of the API; {} on errors, because the README is usable without it."""
    try:
        return as_object(await ask(f"/repos/{owner}/{name}", context))
    except ToolError:
        return {}


def trust_signals(repository: Mapping[str, Any], now: float) -> dict[str, Any]:
    """`{stars, forks, openIssues, archived, isFork, license?, lastPush?, createdAt?, ownerType?}`; {} if unknown."""
    stars = parse_count(repository.get("stargazers_count"))
    if stars is None:
        return {}
    signals = {
        "stars": stars,
        "forks": parse_count(repository.get("forks_count")),
        "openIssues": parse_count(repository.get("open_issues_count")),
        "archived": repository.get("archived") is True,
        "isFork": repository.get("fork") is True,
        "license": clean_line(as_object(repository.get("license")).get("spdx_id"), 60),
        "lastPush": parse_date(repository.get("pushed_at"), now),
        "createdAt": parse_date(repository.get("created_at"), now),
        "ownerType": clean_line(as_object(repository.get("owner")).get("type"), 30),
    }
    return {name: value for name, value in signals.items() if value is not None and value != ""}
