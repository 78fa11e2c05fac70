"""A question in the words that search engines share: `"phrase"`, `-word`, `site:host`."""

from collections.abc import Iterable, Sequence


def quote_phrase(phrase: str | None) -> str:
    """The phrase in quotes; quotes inside it would end it early."""
    words = " ".join((phrase or "").replace('"', " ").split())
    return f'"{words}"' if words else ""


def exclude_terms(terms: str | None) -> str:
    """Each phrase with a minus before it, in quotes where it has several words."""
    return " ".join(f"-{quote_phrase(phrase) if ' ' in phrase else phrase}" for phrase in split_phrases(terms))


def within(sites: Sequence[str]) -> str:
    """`site:a`, or `(site:a OR site:b)`."""
    joined = " OR ".join(f"site:{site}" for site in sites)
    return f"({joined})" if len(sites) > 1 else joined


def outside(sites: Sequence[str], room: int) -> str:
    """`-site:a -site:b`, as many as fit into `room` characters."""
    kept = ""
    for site in sites:
        longer = f"{kept} -site:{site}".strip()
        if len(longer) > room:
            break
        kept = longer
    return kept


def fit_query(query: str, operators: Iterable[str], *, characters: int, words: int = 0) -> tuple[str, bool]:
    """The question with its operators inside an engine's limits, and whether the question had to be cut for it."""
    tail = " ".join(part for part in operators if part)
    room = characters - len(tail) - 1 if tail else characters
    kept = query.split()
    if words:
        kept = kept[: max(1, words - len(tail.split()))]
    while len(kept) > 1 and len(" ".join(kept)) > room:
        kept.pop()
    text = " ".join(kept)[: max(room, 1)]
    return f"{text} {tail}".strip(), text != " ".join(query.split())


def split_phrases(terms: str | None) -> list[str]:
    """The phrases of `lead acid, nickel "very old"`: what no comma or quotation mark parts is one phrase."""
    pieces: list[str] = []
    for place, part in enumerate((terms or "").split('"')):
        pieces += [part] if place % 2 else part.split(",")
    return [phrase for piece in pieces if (phrase := " ".join(piece.split()).lstrip("- "))]
