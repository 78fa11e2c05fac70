"""Parses a printed reference, in any citation style, into its fields."""

import re
from collections.abc import Sequence

from assay.bibliography import doi as dois
from assay.bibliography.field_labels import load_model
from assay.bibliography.person_names import PARTICLES, Name, parse_name
from assay.bibliography.reference_tokens import WIDE, ReferenceToken, describe_tokens, split_tokens
from assay.bibliography.work import RESOLVER, CitedWork, collapse_spaces, find_arxiv_id
from assay.text.url_text import add_scheme, find_url
from assay.text.user_info import remove_url_user_info

LONGEST = 3_000  # characters of a reference that are read
YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")
ET_AL = re.compile(r"\bet\.?\s+al\b|\band\s+others\b|\bu\.\s?a\.|\bи\s+др\b|等|외\b", re.IGNORECASE)
ARXIV = re.compile(r"\barxiv\s*:?\s*((?:[a-z-]+(?:\.[A-Z]{2})?\s?/\s?\d{7}|\d{4}\.\d{4,5})(?:v\d+)?)", re.IGNORECASE)
ISBN = re.compile(r"\bISBN[-:\s]*((?:97[89][-\s]?)?(?:\d[-\s]?){9}[\dXx])")
PMID = re.compile(
    r"(?:\bPMID\s?:?\s?|pubmed\.ncbi\.nlm\.nih\.gov/|ncbi\.nlm\.nih\.gov/pubmed/)([1-9]\d{0,8})\b", re.IGNORECASE
)
PMCID = re.compile(r"\bPMC[1-9]\d{3,8}\b", re.IGNORECASE)
GIVEN = r"(?:[A-ZÀ-ÖØ-ÞĀ-ŽΑ-ΩА-ЯЁІЇЄ]\.?[ -]?){1,4}"
DOCUMENT_TYPE = re.compile(r"\s*\[(?:[A-Z]|EB|DB|CP)(?:/[A-Z]{2})?\]?$")  # of GB/T 7714: [J], [M], [EB/OL]
PAGES = re.compile(r"(?:\d\s?\(\d+\)\s?[:,]|\bpp?\.|\b[SС]\.)\s?(\d+\s?[-–—‐‑]+\s?\d+)")  # С: Cyrillic
TITLE_END = re.compile(r"\s//\s|[」』]\s*[,、，.]?\s*")  # of GOST 7.0.5; of Japanese quotation marks
INITIALS = re.compile(rf"{GIVEN}$")
DIRECT = re.compile(r"(?:[^\W\d_]\.\s?){1,3}[^\W\d_]{2,}")  # A. Bleeker · R.K. Gupta
AND = r"(?:and|&|und|et|og|och|oraz|en|ve|και|(?-i:u\.|y|e|i|и|و))"
BETWEEN = re.compile(  # Müller, Ö./zu Berg, A. · 王小明と李雷
    rf"\s*;\s*|[\s,]\s*{AND}\s+|[、，]\s*|(?<=[^\W\d_.])/(?=[^\W\d_])|(?<=\.)/(?=[^\W\d_])"
    r"|(?<=[\u3400-\u9fff])と(?=[\u3400-\u9fff])",
    re.IGNORECASE,
)
EDGES = " \t\n.,;:()[]\"'“”‘’«»„`´*"


def parse_reference(text: str) -> CitedWork:
    """Return the fields of a printed reference; fields that are not found are empty.

    Raises nothing for any text. Source of the model: see docs/decisions, "Printed references".
    """
    text = collapse_spaces(text[:LONGEST])
    tokens = split_tokens(text)
    labels = load_model("reference_model.json.gz").label(describe_tokens(tokens))
    spans = _join_spans(text, tokens, labels)
    authors = " ; ".join(spans.get("author", ())) or " ; ".join(spans.get("editor", ()))
    url = find_url(text)
    address = add_scheme(url) if url and not RESOLVER.match(url) else ""  # the DOI says the same
    address = remove_url_user_info(address)
    arxiv, isbn = ARXIV.search(text), ISBN.search(text)
    pmid, pmcid = PMID.search(text), PMCID.search(text)
    title, container = _find_title(spans)
    date = YEAR.search(" ".join(spans.get("date", ())))
    return CitedWork(
        title=title,
        authors=tuple(split_authors(authors)),
        date=date[1] if date else "",
        container=container,
        publisher=_first(spans, "publisher"),
        volume=_first(spans, "volume"),
        issue=re.split(r"\)\s?[:,]", _first(spans, "issue"))[0],
        pages=re.sub(r"\s*[-–—‐‑]+\s*", "-", _first(spans, "pages") or _find_pages(text)),
        doi=dois.find(text) or "",
        url=address,
        isbn=re.sub(r"[-\s]", "", isbn[1]) if isbn else "",
        place=_first(spans, "place"),
        pmid=pmid[1] if pmid else "",
        pmcid=pmcid[0].upper() if pmcid else "",
        arxiv_id=re.sub(r"\s", "", arxiv[1]) if arxiv else find_arxiv_id(address),
        is_author_list_cut=bool(ET_AL.search(_author_zone(text, tokens, labels))),
    )


def _join_spans(text: str, tokens: Sequence[ReferenceToken], labels: Sequence[str]) -> dict[str, list[str]]:
    """Return the passages of each field, in order; a passage runs from a "B-" label over its "I-" labels."""
    spans: dict[str, list[tuple[int, int]]] = {}
    before = "O"
    for token, label in zip(tokens, labels, strict=True):
        kind = label.partition("-")[2]
        if kind and label.startswith("I-") and before.endswith(kind) and before != "O":
            start, _ = spans[kind][-1]
            spans[kind][-1] = (start, token.end)
        elif kind:
            spans.setdefault(kind, []).append((token.start, token.end))
        before = label
    return {kind: [text[start:end].strip() for start, end in found] for kind, found in spans.items()}


def _find_title(spans: dict[str, list[str]]) -> tuple[str, str]:
    """Return title and container. The model takes the short title of a book for a journal."""
    title, container = _divide_title(DOCUMENT_TYPE.sub("", _first(spans, "title")), _first(spans, "container"))
    if not title and spans.keys() & {"publisher", "place"} and not spans.keys() & {"volume", "issue", "pages"}:
        return container, ""
    return title, container


def _divide_title(title: str, container: str) -> tuple[str, str]:
    """Cut a title at a mark that ends titles only; what follows is the journal."""
    parts = TITLE_END.split(title, maxsplit=1)
    if len(parts) < 2 or not parts[0].strip(EDGES):
        return title, container
    return parts[0].rpartition("「")[2].strip(EDGES), parts[1].partition(". ")[0].strip(EDGES) or container


def _author_zone(text: str, tokens: Sequence[ReferenceToken], labels: Sequence[str]) -> str:
    """Return the text from the first author to shortly behind the last, where "et al." is printed."""
    places = [token for token, label in zip(tokens, labels, strict=True) if label.endswith("author")]
    return text[places[0].start : places[-1].end + 12] if places else ""


def _first(spans: dict[str, list[str]], kind: str) -> str:
    return spans.get(kind, [""])[0].strip(EDGES)


def _find_pages(text: str) -> str:
    """Return a page range that stands in its usual places, behind "12(3):" or "pp."."""
    found = PAGES.search(text)
    return found[1] if found else ""


def split_authors(text: str) -> list[Name]:
    """Split a printed list of authors.

    Lists are `Smith, J., Doe, A.`, `J. Smith and A. Doe`, `Smith J, Doe A`, `Smith, John, Ann Doe, and Eve Fox`,
    `SMITH, John, DOE, Ann`.
    """
    parts = [
        [piece for piece in map(_strip_piece, part.split(",")) if any(map(str.isalpha, piece))]
        for part in BETWEEN.split(ET_AL.sub(" ", text))
    ]
    names: list[Name] = []
    for number, pieces in enumerate(part for part in parts if part):
        names += _read_names(pieces, is_first=number == 0)
    return [name for name in names if name.family]


def _strip_piece(piece: str) -> str:
    return piece.strip(EDGES.replace(".", ""))


def _read_names(pieces: Sequence[str], *, is_first: bool) -> list[Name]:
    """Read the names of a list between conjunctions; `is_first`: the one that begins the reference."""
    names: list[Name] = []
    is_inverted = [_is_inverted(pieces, at, is_first=is_first) for at in range(len(pieces) - 1)]
    at = 0
    while at < len(pieces):
        if at < len(is_inverted) and is_inverted[at]:
            names.append(Name(pieces[at], pieces[at + 1]))
            at += 2
        else:
            names.append(_parse_direct(pieces[at]))
            at += 1
    return names


def _is_inverted(pieces: Sequence[str], at: int, *, is_first: bool) -> bool:
    """Whether the piece is a family name whose given name follows the comma."""
    family, given = pieces[at], pieces[at + 1]
    if _is_given(given, family, pieces):
        return True
    if WIDE.search(family) or DIRECT.match(given) or len(given.split()) > 3 or not _is_family(family):
        return False
    if family.isupper() and len(family) > 3:
        return not given.isupper()
    rest = pieces[at + 2 :]
    return (
        ((is_first and at == 0) or len(pieces) == 2)
        and (not rest or all(" " in piece for piece in rest))
        and not given.isupper()
    )


def _is_initial(word: str) -> bool:
    return len(word) < 3 and word.isupper() and word.casefold() not in PARTICLES


def _is_family(text: str) -> bool:
    """Whether the words may be a family name: one word, or several in capitals or behind a particle."""
    words = text.split()
    if any(mark in text for mark in "(.") or any(_is_initial(word) for word in words[1:]):
        return False
    return len(words) == 1 or text.isupper() or words[0].casefold() in PARTICLES


def _is_given(text: str, family: str, pieces: Sequence[str]) -> bool:
    """Whether the piece after a comma is the given name of the one before: initials, or the only other piece."""
    if WIDE.search(family):
        return False
    if INITIALS.match(text) and not INITIALS.match(family):
        return True
    return len(pieces) == 2 and " " not in family.strip() and len(text.split()) <= 3 and not INITIALS.match(family)


def _parse_direct(text: str) -> Name:
    """Parse `J. Smith`, `John Smith`, `Smith JA` and `Smith J A`."""
    words = text.split()
    at = len(words)
    while at > 1 and words[at - 1].isupper() and len(words[at - 1].replace(".", "")) <= 3:
        at -= 1
    if 0 < at < len(words) and not words[0].endswith("."):
        return Name(" ".join(words[:at]), " ".join(words[at:]))
    return parse_name(text)
