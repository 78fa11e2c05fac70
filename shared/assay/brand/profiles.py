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
PROFILE_PREFIXES = {"linkedin": {"company", "school", "showcase", "in"}}
RESERVED_PATHS = {
    "intent", "share", "sharer", "sharer.php", "share.php", "sharearticle", "hashtag", "search", "home", "login",
    "signup", "watch", "p", "reel", "status", "embed", "dialog", "plugins", "tr", "policies", "privacy", "legal",
    "help", "about", "explore", "i", "playlist", "results", "shorts", "features", "orgs", "topics", "pages", "groups",
    "events", "feed", "posts", "pulse",
}  # fmt: skip
MAX_DEPTH = {"twitter": 1, "github": 1, "instagram": 1, "linkedin": 3, "youtube": 2, "facebook": 3}


def find_profiles(declared: Iterable[str], linked: Iterable[str]) -> Social:
    """Return the first declared profile of each platform, else the linked one if there is only one."""
    declared_links, linked_links = _group_by_platform(declared), _group_by_platform(linked)
    found = {name: links[0] for name, links in declared_links.items()}
    found |= {name: links[0] for name, links in linked_links.items() if name not in found and len(links) == 1}
    return Social(**found)


def _group_by_platform(links: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, dict[str, str]] = {}
    for link in links:
        if (profile := _parse_profile(link)) is not None:
            platform, url = profile
            found.setdefault(platform, {}).setdefault(url.rstrip("/").lower(), url)
    return {platform: list(urls.values()) for platform, urls in found.items()}


def _parse_profile(link: str) -> tuple[str, str] | None:
    url_parts = parse_http_url(link)
    if url_parts is None:
        return None
    host = url_parts.host.removeprefix("www.")
    platform = next((name for name, domains in PLATFORMS.items() if known_hosts.is_in_domains(host, domains)), None)
    segments = [segment for segment in url_parts.path.split("/") if segment]
    if platform is None or not segments or len(segments) > MAX_DEPTH[platform] or segments[0].lower() in RESERVED_PATHS:
        return None
    if platform in PROFILE_PREFIXES and (len(segments) < 2 or segments[0].lower() not in PROFILE_PREFIXES[platform]):
        return None
    return platform, f"https://{url_parts.host}{url_parts.path.rstrip('/')}"
