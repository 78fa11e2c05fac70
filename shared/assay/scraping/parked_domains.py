"""Recognises the pages of domains that nobody uses, which say that the domain is for sale, is parked or has expired.

Such a page says so in a sentence of its own, of "this domain" or of one that it names. Help pages explain what to do if
a domain has expired; and elsewhere a domain is an estate, or a part of a network or of a protein.
"""

import re

from assay.html.metadata import page_titles
from assay.scraping.access_wall_patterns import fold_text

MAX_LINES = 20  # of the text, among which are its first headings
PROSE, PROSE_FOR_SALE = 100, 250  # maximum number of words outside links; the second if the title offers the domain
BEGIN = r"(?:^|[\n.!?:|。！？])[\s#*_>\[(-]{0,8}"
NAMED = r" \S{0,70}[^\W_]\.[a-z]{2,24}\S{0,200}"  # the domain, with marks and addresses of Markdown
SENTENCES = (  # by language: this domain, which may be named; a domain, which must be; and what is said of it
    (
        r"this domain(?: name)?",
        r"(?:the )?domain(?: name)?",
        r"(?:is|(?:may|might|could) be) (?:available )?for (?:sale|purchase)|is parked|(?:is|has) expired",
    ),
    (
        r"diese domain",
        r"(?:die )?domain",
        (
            r"steht zum verkauf|(?:ist|wurde) (?:geparkt|zu verkaufen)|können sie kaufen"
            r"|wird(?: (?!nicht )\S{1,40}){0,5} zum verkauf"
        ),
    ),
    (r"ce nom de domaine", r"(?:ce|le) (?:nom de )?domaine", r"(?:est|a) (?:peut-être )?(?:à vendre|en vente|expiré)"),
    (r"este dominio", r"el dominio", r"está (?:a la|en) venta|ha caducado"),
    (r"questo dominio", r"il dominio", r"è (?:in vendita|scaduto)"),
    (r"deze domeinnaam", r"(?:de domeinnaam|het domein|dit domein)", r"is te koop"),
    (r"este domínio", r"o domínio", r"está à venda"),
    (r"(?:ta )?domena", r"domena", r"jest na sprzedaż"),
    (r"(?:этот )?домен", r"домен", r"прода[её]тся|выставлен на продажу"),
)
PARKED_PHRASES = (
    *(rf"(?:{this}(?:{NAMED})?|{named}{NAMED}) (?:{said})" for this, named, said in SENTENCES),
    rf"the owner of{NAMED} (?:is offering|offers) it for sale",
    r"buy this domain|(?:inquire|enquire|make an offer) (?:about|on|for) this domain|diese domain kaufen",
    r"このドメイン(?:名)?は[^。\n]{0,20}(?:販売|売り出)",
    r"(?:此|该|這個|这个)(?:域名|網域)[^。\n]{0,12}(?:出售|转让|待售)",
)
PARKED = re.compile(rf"{BEGIN}(?:{'|'.join(PARKED_PHRASES)})|parked free, courtesy")
OFFER = re.compile(  # a title
    r"[\w.-]{1,60}\.[a-z]{2,24} (?:domain (?:name )?)?is (?:available )?for (?:sale|purchase)(?:[.!]\s.{0,60})?"
)
ENDINGS = (  # of domains that are named without the word
    *("com", "net", "org", "info", "biz", "co", "io", "ai", "app", "dev", "xyz", "online", "shop", "store", "site"),
    *("eu", "de", "fr", "nl", "es", "it", "ch", "at", "be", "uk", "us", "ca", "au", "in", "me", "tv", "cc"),
)
NAMED_OFFER = re.compile(  # a title or a heading
    rf"[\w.-]{{1,60}}\.(?:{'|'.join(ENDINGS)}) (?:is )?(?:now )?for sale"
    r"|[\w.-]{1,60}\.[a-z]{2,24} [|\-–—:·•]+ (?:premium )?domain(?: name)? (?:is )?for sale"
)
REQUEST = re.compile(
    rf"{BEGIN}(?:make (?:an|your) offer|buy (?:it )?now|asking price|minimum offer|get (?:a price|this domain)"
    r"|interested\?|(?:inquire|enquire)\b|contact the (?:owner|seller))"
)


def is_parked(title: str, text: str, prose: int) -> bool:
    """Whether a page with this title and folded text, of `prose` words outside links, is that of such a domain.

    Sites that trade in domains offer one in the title, above a longer text.
    """
    title = fold_text(title[: page_titles.MAX_TITLE])
    if prose <= PROSE and (PARKED.search(title) or PARKED.search(text) or _is_named_offer(title, text)):
        return True
    if prose > PROSE_FOR_SALE or not ("domain" in title or "domain" in text):
        return False
    return any(OFFER.fullmatch(piece.strip(" !.")) for piece in page_titles.SEPARATOR.split(title))


def _is_named_offer(title: str, text: str) -> bool:
    """Whether the title or a heading offers a domain by its name alone, and the text asks for an offer."""
    headings = [line.lstrip("# ") for line in text.split("\n", MAX_LINES)[:MAX_LINES] if line.startswith("#")]
    pieces = [title, *page_titles.SEPARATOR.split(title), *headings]
    return any(NAMED_OFFER.fullmatch(piece.strip(" !.")) for piece in pieces) and REQUEST.search(text) is not None
