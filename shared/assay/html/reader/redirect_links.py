"""Links that lead to their target over a service that counts or checks clicks, or over an archive."""

import re
from urllib.parse import unquote

LEAST_PREFIX = 8  # characters of an address before another one in it: `https://`
# Services that have the target in a parameter: search engines, social networks, filters of mail, affiliate programs.
SERVICE = re.compile(
    r"(?:https?:)?//(?:"
    r"(?:www\.)?google\.[a-z.]{2,7}/url"
    r"|lm?\.(?:facebook|instagram)\.com/(?:l\.php)?"
    r"|[a-z0-9]{1,20}\.safelinks\.protection\.outlook\.com/"
    r"|(?:www\.)?youtube\.com/redirect|steamcommunity\.com/linkfilter/?|(?:html\.)?duckduckgo\.com/l/"
    r"|vk\.com/away\.php|link\.(?:zhihu\.com|csdn\.net|juejin\.cn)/|t\.umblr\.com/redirect|slack-redir\.net/link"
    r"|www\.linkedin\.com/(?:redir/redirect|safety/go)"
    r"|go\.(?:skimresources|redirectingat)\.com/?|redirect\.viglink\.com/?"
    r"|www\.(?:awin1\.com/cread|avantlink\.com/click)\.php|click\.linksynergy\.com/(?:deeplink|fs-bin/click)"
    r"|[\w-]{1,60}\.(?:pxf|sjv)\.io/c/\d+/\d+/\d+"
    r")\?(?:[^#]*?&)?(?:q|u|url|to|target|uddg|z|ued|murl)=(https?(?:://|%3A%2F%2F)[^&#\s]+)",
    re.IGNORECASE,
)
# Those that have it, not encoded, at the end: archive.today, filters of mail, affiliate programs.
PREFIX = re.compile(
    r"https?://(?:"
    r"archive\.(?:today|ph|is|li|vn|md|fo)/o/\w{1,10}/"
    r"|protect\.checkpoint\.com/v2/(?:r01/)?___(?=.*___)|urldefense\.com/v3/__(?=[^*]*__;)"
    r"|www\.(?:anrdoezrs|jdoqocy|dpbolvw|tkqlhce|kqzyfj)\.(?:net|com)/links/\d+/type/dlg/(?:sid/[^/]{1,80}/)?"
    r")(https?://(?:(?!___|__;).)+)",
    re.IGNORECASE,
)


def find_target(href: str) -> str:
    """Return the address that a link of such a service leads to; other addresses are returned as they are."""
    if "http" not in href[LEAST_PREFIX:]:
        return href
    if found := SERVICE.match(href):
        return unquote(found[1])
    found = PREFIX.match(href)
    return found[1] if found else href
