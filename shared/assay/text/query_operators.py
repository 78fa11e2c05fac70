"""Query operators common to web search engines: `"phrase"`, `-word`, `site:host`."""

from collections.abc import Iterable, Sequence


def quote_phrase(phrase: str | None) -> str:
    """Return the phrase in quotation marks; those inside it are removed."""
    words = " ".join((phrase or "").replace('"', " ").split())
    return f'"{words}"' if words else ""


def exclude_terms(terms: str | None) -> str:
    """Return each phrase with a minus before it, quoted if it has several words."""
    return " ".join(f"-{quote_phrase(phrase) if ' ' in phrase else phrase}" for phrase in split_phrases(terms))


def include_sites(sites: Sequence[str]) -> str:
    """Return `site:a` or `(site:a OR site:b)`."""
    joined = " OR ".join(f"site:{site}" for site in sites)
    return f"({joined})" if len(sites) > 1 else joined


def exclude_sites(sites: Sequence[str], limit: int) -> str:
    """Return `-site:a -site:b`, as many as fit in `limit` characters."""
    terms = ""
    for site in sites:
        longer = f"{terms} -site:{site}".strip()
        if len(longer) > limit:
            break
        terms = longer
    return terms


def fit_query(query: str, operators: Iterable[str], *, characters: int, words: int = 0) -> tuple[str, bool]:
    """Return the query with its operators within an engine's limits, and whether the query was cut."""
    tail = " ".join(part for part in operators if part)
    available = characters - len(tail) - 1 if tail else characters
    kept = query.split()
    if words:
        kept = kept[: max(1, words - len(tail.split()))]
    while len(kept) > 1 and len(" ".join(kept)) > available:
        kept.pop()
    text = " ".join(kept)[: max(available, 1)]
    return f"{text} {tail}".strip(), text != " ".join(query.split())


def split_phrases(terms: str | None) -> list[str]:
    """Split `lead acid, nickel "very old"` into phrases at commas and quotation marks."""
    pieces: list[str] = []
    for place, part in enumerate((terms or "").split('"')):
        pieces += [part] if place % 2 else part.split(",")
    return [phrase for piece in pieces if (phrase := " ".join(piece.split()).lstrip("- "))]
