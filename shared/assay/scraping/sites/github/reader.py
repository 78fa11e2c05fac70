"""Entry point for GitHub URLs: repositories (README), files, gists, issues and pull requests."""

from assay.scraping.page import Page
from assay.scraping.site_registry import SiteContext, is_within
from assay.scraping.untrusted_json import path_segments

HOST, GISTS = "github.com", "gist.github.com"
# First path segments that are not owner names.
PLACES = frozenset(
    ("about", "apps", "codespaces", "collections", "contact", "customer-stories", "dashboard", "enterprise", "events",
     "explore", "features", "issues", "join", "login", "marketplace", "mcp", "models", "new", "notifications", "orgs",
     "pricing", "pulls", "readme", "resources", "search", "security", "settings", "site", "solutions", "sponsors",
     "stars", "topics", "trending", "users", "why-github")
)  # fmt: skip


def matches(url: str) -> bool:
    """Whether the URL is on GitHub."""
    return is_within(url, HOST)


async def read(url: str, context: SiteContext) -> Page | None:
    """Read a README, file, gist, issue or pull request; None for any other page of the site."""
    from assay.scraping.sites.github import files, issues, repository

    parts = path_segments(url)
    if is_within(url, GISTS):
        return await files.gist(url, parts[1], context) if len(parts) == 2 else None
    if not parts or parts[0].lower() in PLACES:
        return None
    match parts:
        case [owner, name]:
            return await repository.readme(url, owner, name.removesuffix(".git"), context)
        case [owner, name, "blob", _, _, *_]:
            return await files.blob(url, owner, name, parts[3:], context)
        case [owner, name, "issues" | "pull", number]:
            return await issues.read_thread(url, owner, name, number, context)
    return None
