"""What our requests say of who sends them, and the contact that some hosts want to be told.

https://foundation.wikimedia.org/wiki/Policy:Wikimedia_Foundation_User-Agent_Policy
"""

from assay import __version__
from assay.settings import Settings

PROGRAM: str = f"Assay/{__version__}"
WIKIMEDIA = (
    "wikipedia.org", "wikimedia.org", "wikidata.org", "wiktionary.org", "wikisource.org", "wikiquote.org",
    "wikibooks.org", "wikinews.org", "wikiversity.org", "wikivoyage.org", "wikifunctions.org", "mediawiki.org",
)  # fmt: skip
EMAILS = ("OPENALEX_EMAIL", "CROSSREF_MAILTO", "UNPAYWALL_EMAIL", "EDGAR_CONTACT_EMAIL")
UNKNOWN = "no contact configured: set ASSAY_CONTACT"


def contact(settings: Settings) -> str:
    """Where the operator can be reached; says that it is unknown where nothing is set."""
    return settings.contact or next(filter(None, map(settings.key, EMAILS)), UNKNOWN)


def is_wikimedia(host: str) -> bool:
    return any(host == domain or host.endswith(f".{domain}") for domain in WIKIMEDIA)


def with_contact(agent: str, settings: Settings) -> str:
    """Our own user agent with the contact; anybody else's stays as it is."""
    told = contact(settings)
    return agent if PROGRAM not in agent or told in agent else f"{agent} ({told})"
