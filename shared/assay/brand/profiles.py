"""Finds a company's social profiles: declared ones, else a platform's only linked profile."""

from collections.abc import Iterable

from assay.brand.brand_models import Social
from assay.evaluation import known_hosts
from assay.text.url_text import parse_http_url

PLATFORMS = {
    "twitter": ("twitter.com", "x.com"),
    "linkedin": ("linkedin.com",),
    "github": ("github.com",),
    "youtube": ("youtube.com",),
    "facebook": ("facebook.com", "fb.com"),
    "instagram": ("instagram.com",),
}
FIRST = {"linkedin": {"company", "school", "showcase", "in"}}
NO_PROFILE = {
    "intent", "share", "sharer", "sharer.php", "share.php", "sharearticle", "hashtag", "search", "home", "login",
    "signup", "watch", "p", "reel", "status", "embed", "dialog", "plugins", "tr", "policies", "privacy", "legal",
    "help", "about", "explore", "i", "playlist", "results", "shorts", "features", "orgs", "topics", "pages", "groups",
    "events", "feed", "posts", "pulse",
}  # fmt: skip
DEEPEST = {"twitter": 1, "github": 1, "instagram": 1, "linkedin": 3, "youtube": 2, "facebook": 3}


def social(declared: Iterable[str], linked: Iterable[str]) -> Social:
    """Return the first declared profile of each platform, else the linked one if there is only one."""
    own, seen = _by_platform(declared), _by_platform(linked)
    found = {name: links[0] for name, links in own.items()}
    found |= {name: links[0] for name, links in seen.items() if name not in found and len(links) == 1}
    return Social(**found)


def _by_platform(links: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, dict[str, str]] = {}
    for link in links:
        if (profile := _profile(link)) is not None:
            platform, url = profile
            found.setdefault(platform, {}).setdefault(url.rstrip("/").lower(), url)
    return {platform: list(urls.values()) for platform, urls in found.items()}


def _profile(link: str) -> tuple[str, str] | None:
    at = parse_http_url(link)
    if at is None:
        return None
    host = at.host.removeprefix("www.")
    platform = next((name for name, domains in PLATFORMS.items() if known_hosts.is_in_domains(host, domains)), None)
    steps = [step for step in at.path.split("/") if step]
    if platform is None or not steps or len(steps) > DEEPEST[platform] or steps[0].lower() in NO_PROFILE:
        return None
    if platform in FIRST and (len(steps) < 2 or steps[0].lower() not in FIRST[platform]):
        return None
    return platform, f"https://{at.host}{at.path.rstrip('/')}"
