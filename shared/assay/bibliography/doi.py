"""Finds Digital Object Identifiers in URLs, metadata and text (https://www.doi.org/the-identifier/resources/handbook)."""

import re
from html import unescape
from urllib.parse import unquote

from assay.evaluation.source_type import is_journal

FRONT = 4_000  # characters searched at the beginning of a paper, before its references
LONGEST = 300
START = re.compile(r"10\.\d{4,9}(?:\.\d+)*/", re.ASCII)
BODY = re.compile(r"[^\s\"'<>{}|\\^`\x00-\x1f\u2018-\u201f，。、；：！？（）【】「」]+")
SICI = re.compile(r"\S*?<\d+:[^\s<>]*>[^\s<>\"']*")  # 10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO;2-O
INVISIBLE = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]")
FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if chr(code - 0xFEE0).isalnum()} | {
    ord("／"): "/", ord("⁄"): "/", ord("∕"): "/", ord("．"): ".", ord("－"): "-", ord("＿"): "_",
}  # fmt: skip
EMPTY_SUFFIX = re.compile(
    r"(10\.\d{4,9}(?:\.\d+)*/)\s+(?=[^\s\d]{0,40}\d)", re.ASCII
)  # a DOI does not end at its first slash
MOST_ENCODINGS = 3  # times that a DOI may be percent-encoded
VIEWS = re.compile(
    r"(?:[./](?:full|fulltext|pdf|epdf|abstract|abs|summary|html|htm|xml|meta|references|citations|figures|tables|supplementary|"
    r"suppl|epub|tables-and-figures|related|metrics|short|long|read|download"
    r"|pdfft|pdfdirect))+(?:\?.*)?$",
    re.IGNORECASE,
)
REFERENCES = re.compile(
    r"^[^\w\n]*(?:\d+\.?[ \t]*)?(?:references|bibliography|works cited|literatur|références|参考文献)[^\w\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
PREPRINTS = ("10.1101/", "10.64898/", "10.48550/arxiv.")  # their URLs append a version that is not part of the DOI
VERSION = re.compile(r"v\d+$")
PAIRS = {")": "(", "]": "[", ">": "<"}
DASHES = dict.fromkeys((*range(0x2010, 0x2016), 0x2212, 0xFE58, 0xFE63), "-")
LABEL = re.compile(
    r"[.,;:]*(?:pmc?id|(?<![a-z])(?:pmc\d|issn|isbn|https?:|url|arxiv|epub|accessed|available|retrieved|published))[^/]*(?://.*)?$"
)  # what follows a DOI without a space
WORD_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
MOST_HYPHENS = 3  # hyphens that a line break may have added


def find(text: str) -> str | None:
    """Return the first DOI in a text in lower case, without trailing punctuation; None if there is none.

    Invisible characters are ignored, full-width letters read as ASCII, and a break behind the first slash is closed.
    """
    text = _spell(text)
    for start in START.finditer(text):
        if start.start() and (text[start.start() - 1].isalnum() or text[start.start() - 1] == "."):
            continue
        rest = text[start.end() : start.end() + LONGEST]
        found = SICI.match(rest) or BODY.match(rest)
        if found and (suffix := _trim_suffix(found[0])):
            return (start[0] + suffix).lower()
    return None


def unify_spelling(text: str) -> str:
    """Spell a text as `find` reads it, with percent-encoding undone if it may encode the slash of a DOI."""
    return _spell(_decode(text) if "%2" in text else text)


def list_spellings(name: str) -> list[str]:
    """Return what a DOI that is not registered may have been before it was copied, typeset or exported.

    Its marks may be entities of HTML, its hyphens dashes; a viewer's suffix, a version or a label may follow it, and a
    line break may have added a hyphen.
    """
    plain = find(unescape(name).translate(DASHES)) or name
    viewed = _strip_view(plain)
    hyphens = [*WORD_HYPHEN.finditer(plain)][:MOST_HYPHENS]
    joined = [plain[: hyphen.start()] + plain[hyphen.end() :] for hyphen in hyphens]
    spellings = dict.fromkeys([plain, viewed, LABEL.sub("", viewed), *joined])
    return [each for each in spellings if each != name and find(each) == each]


def find_in_url(url: str) -> str | None:
    """Return the DOI in a URL, percent-decoded, without query, fragment and view suffixes such as `/full`."""
    path, _, query = url.partition("#")[0].partition("?")
    found = find(_decode(path))
    if found is None and (parameter := re.search(r"(?:^|&)(?:doi|id)=([^&]+)", query, re.IGNORECASE)):
        found = find(_decode(parameter[1]))
    return _strip_view(found) if found else None


def normalize(text: str) -> str | None:
    """Normalize a DOI written bare, as `doi:10…`, or as the URL of a resolver or publisher."""
    text = text.strip()
    return find_in_url(text) if re.match(r"https?://", text, re.IGNORECASE) else find(unify_spelling(text))


def detect_doi(url: str, declared: str | None, text: str, source_type: str) -> str | None:
    """Return the DOI of a scholarly page from its metadata, its URL or its first lines.

    None for pages that are neither peer reviewed nor on a journal's host: a DOI in their text belongs to another work.
    """
    if source_type != "peer_reviewed" and not is_journal(url):
        return None
    front = text[:FRONT]
    if references := REFERENCES.search(front):
        front = front[: references.start()]
    return (normalize(declared) if declared else None) or find_in_url(url) or find(front)


def _spell(text: str) -> str:
    """Drop invisible characters, write full-width letters as ASCII, and close a break behind a DOI's first slash."""
    return EMPTY_SUFFIX.sub(r"\1", INVISIBLE.sub("", text).translate(FULL_WIDTH))


def _decode(text: str) -> str:
    """Undo percent-encoding, also where it was applied several times."""
    for _ in range(MOST_ENCODINGS):
        text, before = unquote(text), text
        if text == before or "%2" not in text:
            break
    return text


def _strip_view(name: str) -> str:
    """Remove the suffix of a viewer, such as `/full`, and the version of a preprint, which are not part of the DOI."""
    name = VIEWS.sub("", name)
    return VERSION.sub("", name) if name.startswith(PREPRINTS) else name


def _trim_suffix(suffix: str) -> str:
    """Strip trailing punctuation and closing brackets that have no opening bracket in the suffix."""
    while suffix:
        last = suffix[-1]
        if last in ".,;:!?*_~&" or (last in PAIRS and suffix.count(last) > suffix.count(PAIRS[last])):
            suffix = suffix[:-1]
        else:
            return suffix
    return ""
