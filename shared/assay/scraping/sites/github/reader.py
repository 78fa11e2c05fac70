"""GitHub: repositories by their README, files, gists, issues and pull requests. https://docs.github.com/rest"""

from assay.scraping.page import Page
from assay.scraping.site_registry import Means, within
from assay.scraping.untrusted_json import steps

HOST, GISTS = "github.com", "gist.github.com"
# First steps of a path that are no names of owners.
PLACES = frozenset(
    ("about", "apps", "codespaces", "collections", "contact", "customer-stories", "dashboard", "enterprise", "events",
     "explore", "features", "issues", "join", "login", "marketplace", "mcp", "models", "new", "notifications", "orgs",
     "pricing", "pulls", "readme", "resources", "search", "security", "settings", "site", "solutions", "sponsors",
     "stars", "topics", "trending", "users", "why-github")
)  # fmt: skip


def matches(url: str) -> bool:
    return within(url, HOST)


async def read(url: str, means: Means) -> Page | None:
    """A README, a file, a gist, an issue or a pull request; None for any other page of the site."""
    from assay.scraping.sites.github import files, issues, repository

    parts = steps(url)
    if within(url, GISTS):
        return await files.gist(url, parts[1], means) if len(parts) == 2 else None
    if not parts or parts[0].lower() in PLACES:
        return None
    match parts:
        case [owner, name]:
            return await repository.readme(url, owner, name.removesuffix(".git"), means)
        case [owner, name, "blob", _, _, *_]:
            return await files.blob(url, owner, name, parts[3:], means)
        case [owner, name, "issues" | "pull", number]:
            return await issues.thread(url, owner, name, number, means)
    return None
