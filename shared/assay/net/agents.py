"""The User-Agent of requests, and the contact address that Wikimedia's policy requires.

https://foundation.wikimedia.org/wiki/Policy:Wikimedia_Foundation_User-Agent_Policy
"""

from assay import __version__
from assay.net.hostname_policy import Domains
from assay.settings import Settings

PROGRAM: str = f"Assay/{__version__}"
WIKIMEDIA = Domains((
    "wikipedia.org", "wikimedia.org", "wikidata.org", "wiktionary.org", "wikisource.org", "wikiquote.org",
    "wikibooks.org", "wikinews.org", "wikiversity.org", "wikivoyage.org", "wikifunctions.org", "mediawiki.org",
))  # fmt: skip
EMAILS = ("OPENALEX_EMAIL", "CROSSREF_MAILTO", "UNPAYWALL_EMAIL", "EDGAR_CONTACT_EMAIL")
UNKNOWN = "no contact configured: set ASSAY_CONTACT"


def find_contact(settings: Settings) -> str:
    """The operator's contact address, or a note that none is configured."""
    return settings.contact or next(filter(None, map(settings.key, EMAILS)), UNKNOWN)


def is_wikimedia(host: str) -> bool:
    """Whether the host belongs to a Wikimedia project."""
    return host in WIKIMEDIA


def add_contact(agent: str, settings: Settings) -> str:
    """This program's user agent with the contact added; other user agents are unchanged."""
    address = find_contact(settings)
    return agent if PROGRAM not in agent or address in agent else f"{agent} ({address})"
