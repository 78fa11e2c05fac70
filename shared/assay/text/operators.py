"""A question in the words that search engines share: `"phrase"`, `-word`, `site:host`."""

from collections.abc import Iterable, Sequence


def quoted(phrase: str | None) -> str:
    """The phrase in quotes; quotes inside it would end it early."""
    words = " ".join((phrase or "").replace('"', " ").split())
    return f'"{words}"' if words else ""


def excluded(terms: str | None) -> str:
    """Each word with a minus before it: what is quoted or stands between commas is excluded as a phrase."""
    return " ".join(f"-{term}" for term in _terms(terms or ""))


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


def fitted(query: str, operators: Iterable[str], *, characters: int, words: int = 0) -> tuple[str, bool]:
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


def _terms(text: str) -> list[str]:
    terms: list[str] = []
    for place, part in enumerate(text.split('"')):
        if place % 2:
            terms.append(quoted(part))
        elif "," in part:
            terms += [quoted(piece) if " " in piece.strip() else piece.strip() for piece in part.split(",")]
        else:
            terms += part.split()
    return [term.lstrip("-") for term in terms if term.strip('-" ')]
