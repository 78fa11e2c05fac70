"""Recognizes works of kinds that the indexes do not cover, so that a miss is not taken for evidence."""

import re
from typing import NamedTuple


class WorkKind(NamedTuple):
    """A kind of work, and where such works are registered."""

    name: str
    registry: str


KINDS: tuple[tuple[re.Pattern[str], WorkKind], ...] = (
    (
        re.compile(r"\bRFC[\s-]?\d{1,5}\b|\bInternet[- ]Draft\b", re.IGNORECASE),
        WorkKind("an Internet standard (RFC)", "https://www.rfc-editor.org"),
    ),
    (
        re.compile(
            r"\b(?:US|EP|WO|DE|GB|FR|JP|CN|KR)[\s-]?\d[\d,./ -]{4,16}\s?[A-C]\d?\b"
            r"|\bpatents?\b(?:\W{1,3}(?:application|publication|pub|number|no|nr|n°|[A-Z]{2})\b){0,3}\W{0,3}(?:[A-Z]{2}\s?)?"
            r"(?:\d{1,3}(?:[,. ]\d{3}){1,3}|\d{4}/\d{4,7}|\d{6,})\b",
            re.IGNORECASE,
        ),
        WorkKind("a patent", "a patent register (see patent_search)"),
    ),
    (
        re.compile(
            r"\bNCT\d{8}\b|\bISRCTN\d{8}\b|\bEudraCT\b.{0,20}\b\d{4}-\d{6}-\d{2}\b|\bChiCTR[-\w]{0,20}\d{4}|\bACTRN\d{14}\b"
        ),
        WorkKind("a registered trial", "its register (see clinical_search)"),
    ),
    (
        re.compile(
            r"\bECLI:[A-Z]{2}:|\bEU:[CT]:\d{4}:\d+"
            r"|\[\d{4}\]\s+(?:\d\s+)?(?:UKSC|UKHL|UKPC|UKUT|EWCA|EWHC|CSIH|CSOH|NICA|IESC|IEHC|HCA|FCA|FCAFC|NSWCA|NSWSC|VSCA|NZSC|NZCA|SGCA"
            r"|SCC|ONCA|BCCA|SCR|AC|QB|KB|Ch|WLR|All ER|IRLR)\b"
            r"|\b(?:BGH|BVerfG|BVerwG|BAG|BFH|BSG|EuGH|EuG|EGMR|OLG|KG|LAG|VGH|OVG|OGH|BGer)\b.{0,40}\b(?:Urt(?:eil|\.)|Beschl(?:uss|\.)|\d{1,5}/\d{2})"
            r"|\b(?:BVerfGE|BGHZ|BGHSt|BVerwGE|BFHE|BAGE|BGE)\s+\d+[\s,]"
            r"|\bC[‑–-]\d{1,3}/\d{2}\b|\bCass\.\s*(?:civ|com|soc|crim|pén)|\bCE,?\s.{0,30}\bn°\s?\d|\bapp(?:lication)?\.?\s+no\.?\s+\d{3,6}/\d{2}",
        ),
        WorkKind("a decision of a court outside the United States", "the court's own database"),
    ),
    (
        re.compile(
            r"(?:§|\bArt(?:\.|ikel|icle)?)\s*\d+[a-z]?\b.{0,30}"
            r"\b(?:BGB|GG|StGB|StPO|ZPO|HGB|AktG|UrhG|DSGVO|GDPR|OR|ZGB|ABGB|Code civil|C\. civ)\b"
            r"|\b[A-Z]\w+ Act (?:19|20)\d\d\b(?:,?\s+(?:s|ss|section)\.?\s*\d|.{0,20}\((?:UK|Cth|NSW|Vic|NZ)\))"
        ),
        WorkKind("a law", "the official collection of laws"),
    ),
    (
        re.compile(
            r"\b(?:Directive|Regulation|Richtlinie|Verordnung|Règlement|Reglamento|Directiva)\b.{0,20}\b\d{1,4}/\d{1,4}"
            r"|\b[36]\d{4}[LRD]\d{4}\b|\bOJ\s[LC]\s?\d+",
            re.IGNORECASE,
        ),
        WorkKind("a law of the European Union", "https://eur-lex.europa.eu"),
    ),
    (
        re.compile(r"\b\d+\s+(?:U\.?S\.?C\.?|C\.?F\.?R\.?|Fed\.?\s?Reg\.?|Stat\.)\s*(?:§+\s*)?\d|\bPub(?:lic)?\.?\s+L(?:aw)?\.?\s+(?:No\.\s*)?\d"),
        WorkKind("a law of the United States", "https://www.govinfo.gov"),
    ),
    (
        re.compile(
            r"\b(?:ISO|IEC|DIN|EN|BS|ASTM|ANSI|IEEE\sStd|ITU-T|NIST\sSP|ETSI|W3C\sRecommendation)(?:/[A-Z]+)*[\s-]*[A-Z]{0,3}[\s-]?\d{2,}"
        ),
        WorkKind("a standard", "the catalogue of the standards body"),
    ),
    (
        re.compile(
            r"\b(?:ph\.?\s?d\.?|doctoral|master'?s?|bachelor'?s?|habilitation)[\s-]*(?:thesis|dissertation|diss)|\bdissertation\b|\bthèse\b"
            r"|\bDiss\.|\btesis\b|\btesi di\b|学位论文|博士論文",
            re.IGNORECASE,
        ),
        WorkKind("a thesis", "the university's repository"),
    ),
    (
        re.compile(r"\bISBN[-:\s]*(?:97[89])?[\d\s-]{9,}"),
        WorkKind("a book", "a library catalogue"),
    ),
)  # fmt: skip


def detect_kind(text: str) -> WorkKind | None:
    """Return the kind of a cited work that the indexes do not cover; None for articles and what cannot be told."""
    return next((kind for pattern, kind in KINDS if pattern.search(text[:3_000])), None)
