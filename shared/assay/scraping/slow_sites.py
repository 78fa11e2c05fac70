"""Sites that render their pages by slow scripts, and how long a rendered page must be unchanged."""

SETTLE_SECONDS, SLOW_SECONDS = 0.5, 2.0
SLOW = {  # render by scripts that take long
    *("go.dev", "patents.google.com", "scholar.google.com", "news.google.com", "trends.google.com", "youtube.com"),
    *("linkedin.com", "facebook.com", "instagram.com", "medium.com", "dev.to", "frontify.com", "bsky.app"),
    *("tiktok.com", "threads.net"),
}
SLOW_NAMES = ("brand.", "press.", "newsroom.", "brandbook.", "identity.", "app.", "portal.", "design.", "style.")


def settle_seconds(url: str) -> float:
    """How many seconds a rendered page must be unchanged before it is read."""
    return SLOW_SECONDS if is_slow(url) else SETTLE_SECONDS


def is_slow(url: str) -> bool:
    """Whether the site is known to render its pages by slow scripts."""
    from assay.evaluation import known_hosts

    host = known_hosts.parse_host(url)
    return known_hosts.is_in_domains(host, SLOW) or host.startswith(SLOW_NAMES)
