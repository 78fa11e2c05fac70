"""A repository of GitHub by its README, with what speaks for it beside it."""

import base64
from collections.abc import Mapping
from typing import Any

from assay.errors import NotFound, ToolError
from assay.scraping.page import Page
from assay.scraping.site_registry import Means
from assay.scraping.sites.github.api import SITE, are_names, ask, raw
from assay.scraping.sites.github.file_view import CAP, MARKDOWN, ending, render_markdown, text_of
from assay.scraping.untrusted_json import line, moment, number, page, prose, record, side_by_side


async def readme(url: str, owner: str, name: str, means: Means) -> Page | None:
    """The README with the repository's signals beside it; None where there is none to be had."""
    if not are_names(owner, name):
        return None
    (text, path, way), repository = await side_by_side(_readme(owner, name, means), _repository(owner, name, means))
    if not text.strip():
        return None
    base = f"https://github.com/{owner}/{name}/"
    signals = trust_signals(repository, means.clock())
    return page(
        url,
        "github",
        [render_markdown(text, path, base) if ending(path) in MARKDOWN else prose(text, CAP)],
        cap=CAP,
        tier=way,
        title=f"{owner}/{name}",
        authors=[owner],
        site=SITE,
        modified=moment(repository.get("pushed_at"), means.clock()),
        description=line(repository.get("description")),
        canonical=base.rstrip("/"),
        extras={"githubTrustSignals": signals} if signals else {},
    )


async def _readme(owner: str, name: str, means: Means) -> tuple[str, str, str]:
    """Text, path and way of the README: by its usual name, else by whatever name the API finds it."""
    try:
        return text_of(await raw(f"/{owner}/{name}/HEAD/README.md", means, CAP)) or "", "README.md", "github:raw"
    except NotFound:
        pass
    try:
        found = record(await ask(f"/repos/{owner}/{name}/readme", means))
    except NotFound:  # no README, no repository, or a place of the site that is no repository
        return "", "", ""
    try:
        body = base64.b64decode(str(found.get("content") or ""))
    except ValueError:
        return "", "", ""
    return text_of(body) or "", line(found.get("path")) or "README", "github:contents-api"


async def _repository(owner: str, name: str, means: Means) -> dict[str, Any]:
    """What the API says of the repository; nothing where it does not answer, for the README stands without it."""
    try:
        return record(await ask(f"/repos/{owner}/{name}", means))
    except ToolError:
        return {}


def trust_signals(repository: Mapping[str, Any], now: float) -> dict[str, Any]:
    """`{stars, forks, openIssues, archived, isFork, license?, lastPush?, createdAt?, ownerType?}`; {} if unknown."""
    stars = number(repository.get("stargazers_count"))
    if stars is None:
        return {}
    told = {
        "stars": stars,
        "forks": number(repository.get("forks_count")),
        "openIssues": number(repository.get("open_issues_count")),
        "archived": repository.get("archived") is True,
        "isFork": repository.get("fork") is True,
        "license": line(record(repository.get("license")).get("spdx_id"), 60),
        "lastPush": moment(repository.get("pushed_at"), now),
        "createdAt": moment(repository.get("created_at"), now),
        "ownerType": line(record(repository.get("owner")).get("type"), 30),
    }
    return {name: value for name, value in told.items() if value is not None and value != ""}
