"""Selection of a company's own site from search results for its name."""

import re
import unicodedata
from collections.abc import Iterable

from assay.evaluation import known_hosts
from assay.models.common import WebHit
from assay.net.urls import get_registrable_domain
from assay.text.url_parts import split_url

ABOUT_OTHERS = frozenset({
    "wikipedia.org", "wikidata.org", "linkedin.com", "facebook.com", "twitter.com", "x.com", "instagram.com",
    "youtube.com", "tiktok.com", "pinterest.com", "reddit.com", "crunchbase.com", "bloomberg.com", "glassdoor.com",
    "indeed.com", "g2.com", "capterra.com", "trustpilot.com", "yelp.com", "amazon.com", "apple.com", "google.com",
    "github.com", "medium.com", "forbes.com", "reuters.com", "zoominfo.com", "pitchbook.com", "owler.com", "dnb.com",
    "craft.co", "britannica.com", "investopedia.com", "yahoo.com", "marketwatch.com", "nasdaq.com",
})  # fmt: skip
FORMS = re.compile(
    r"\b(?:inc|incorporated|llc|ltd|limited|corp|corporation|company|co|gmbh|ag|sa|sas|srl|bv|nv|plc|oy|ab|as|kg)\b\.?",
    re.IGNORECASE,
)


def find_own_site(name: str, hits: Iterable[WebHit]) -> str | None:
    """Return the origin of the site whose domain contains the name, or else whose title begins or ends with it."""
    key = squash_name(FORMS.sub(" ", name)) or squash_name(name)
    candidates = [hit for hit in hits if not _is_about_others(hit, key)]
    by_domain = [hit for hit in candidates if _get_label(hit.url) == key]
    by_part = [hit for hit in candidates if len(key) > 3 and key in _get_label(hit.url)]
    by_title = [hit for hit in candidates if _is_titled(hit.title, key) and split_url(hit.url).path in ("", "/")]
    found = next(iter(by_domain + by_part + by_title), None)
    return f"https://{split_url(found.url).hostname}/" if found else None


def squash_name(text: str) -> str:
    """Letters and digits only, lowercase, without accents."""
    bare = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in bare if letter.isalnum())


def _is_about_others(hit: WebHit, key: str) -> bool:
    """Whether the host publishes about other companies and is not the key company itself."""
    return known_hosts.is_in_domains(known_hosts.parse_host(hit.url), ABOUT_OTHERS) and _get_label(hit.url) != key


def _get_label(url: str) -> str:
    return squash_name(get_registrable_domain(split_url(url).hostname or "").partition(".")[0])


def _is_titled(title: str, key: str) -> bool:
    parts = [squash_name(part) for part in re.split(r"\s[|:–—-]\s|[|:–—]", title)]
    return bool(parts) and key in (parts[0], parts[-1])
