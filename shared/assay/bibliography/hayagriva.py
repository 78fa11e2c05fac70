"""Hayagriva parser: a YAML mapping from keys to entries, whose parents are the works that contain them."""

import re
from collections.abc import Iterator

from assay.bibliography.person_names import Name
from assay.bibliography.work import (
    CitedWork,
    UnparsedPassage,
    collapse_spaces,
    find_arxiv_id,
    format_partial_date,
    normalize_identifiers,
)
from assay.errors import InvalidInput
from assay.text.safe_yaml import Value, parse_yaml

KINDS = {
    "article": "article-journal", "book": "book", "anthology": "book", "proceedings": "book", "reference": "book",
    "chapter": "chapter", "anthos": "chapter", "entry": "entry", "report": "report", "thesis": "thesis", "web":
    "webpage", "post": "post", "blog": "post-weblog", "patent": "patent",
    "case": "legal_case", "legislation": "legislation",
    "newspaper": "article-newspaper", "manuscript": "manuscript", "repository": "software", "video": "motion_picture",
    "audio": "song", "conference": "paper-conference",
}  # fmt: skip
PARENTS = {"conference": "paper-conference", "proceedings": "paper-conference", "newspaper": "article-newspaper"}
DATE = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?")
MAX_PARENTS = 5
MAX_AUTHORS = 2_000


def parse_hayagriva(text: str, limit: int) -> tuple[list[CitedWork], list[UnparsedPassage], int]:
    """Parse a Hayagriva document; return its first `limit` works, the keys without an entry, and the entry count."""
    try:
        entries = parse_yaml(text, "bibliography")
    except InvalidInput as error:
        return [], [UnparsedPassage(1, "", str(error))], 0
    if not isinstance(entries, dict):
        return [], [UnparsedPassage(1, "", "A mapping from keys to entries is expected.")], 0
    lines = _find_lines(text, entries)
    works: list[CitedWork] = []
    unread: list[UnparsedPassage] = []
    for key, entry in entries.items():
        if not isinstance(entry, dict):
            unread.append(UnparsedPassage(lines.get(key, 1), collapse_spaces(key)[:80], "The key has no entry."))
        elif len(works) < limit:
            works.append(_build_work(key, entry, len(works) + 1, lines.get(key, 1)))
    return works, unread[:1_000], len(entries) - len(unread)


def _find_lines(text: str, entries: dict[str, Value]) -> dict[str, int]:
    """Return the line of each key that stands alone at the beginning of a line."""
    lines: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        key = line.split(":", 1)[0].strip("\"'")
        if key in entries:
            lines.setdefault(key, number)
    return lines


def _build_work(key: str, entry: dict[str, Value], number: int, line: int) -> CitedWork:
    levels = [entry, *_list_parents(entry)]
    serial = {name: text for level in reversed(levels) for name, text in _read_serial(level).items()}
    own = _read_serial(entry)
    stated = own.get("doi", "")
    doi, url, notes = normalize_identifiers(stated, _read_text(entry.get("url")))
    kind, parent = _read_text(entry.get("type")).lower(), levels[1] if len(levels) > 1 else {}
    container = _read_text(parent.get("title"))
    publisher = next((level["publisher"] for level in levels if "publisher" in level), "")
    return CitedWork(
        kind=PARENTS.get(_read_text(parent.get("type")).lower(), "") or KINDS.get(kind, "document"),
        title=_read_text(entry.get("title")),
        authors=_read_names(entry.get("author")) or _read_names(entry.get("editor")),
        date=next((date for level in levels if (date := _read_date(level.get("date")))), ""),
        container=container,
        publisher=_read_text(publisher.get("name") if isinstance(publisher, dict) else publisher)
        or _read_text(entry.get("organization")),
        volume=_inherit(levels, "volume"),
        issue=_inherit(levels, "issue"),
        pages=re.sub(r" ?[–—-]+ ?", "-", _read_text(entry.get("page-range"))),
        doi=doi,
        url=url,
        isbn=serial.get("isbn", ""),
        place=_read_text(publisher.get("location")) if isinstance(publisher, dict) else _inherit(levels, "location"),
        arxiv_id=find_arxiv_id(url) or own.get("arxiv", ""),
        pmid=own.get("pmid", ""),
        pmcid=own.get("pmcid", ""),
        key=collapse_spaces(key)[:200],
        number=number,
        line=line,
        unread=notes,
    )


def _list_parents(entry: dict[str, Value]) -> list[dict[str, Value]]:
    parents: list[dict[str, Value]] = []
    at: Value = entry
    while len(parents) < MAX_PARENTS and isinstance(at, dict) and (parent := at.get("parent")):
        at = parent[0] if isinstance(parent, list) else parent
        if isinstance(at, dict):
            parents.append(at)
    return parents


def _inherit(levels: list[dict[str, Value]], name: str) -> str:
    return next((text for level in levels if (text := _read_text(level.get(name)))), "")


def _read_text(value: Value | None) -> str:
    """Return a text, which may also be written as `{value: …}`."""
    if isinstance(value, dict):
        value = value.get("value", "")
    return collapse_spaces(value) if isinstance(value, str) else ""


def _read_serial(entry: dict[str, Value]) -> dict[str, str]:
    """Return the identifiers by their lower-case names; a number without a name is left out."""
    serial = entry.get("serial-number")
    found = {name.lower(): _read_text(value) for name, value in serial.items()} if isinstance(serial, dict) else {}
    for name in ("doi", "isbn"):
        if text := _read_text(entry.get(name)):
            found.setdefault(name, text)
    return found


def _read_names(value: Value | None) -> tuple[Name, ...]:
    people: list[Value] = value if isinstance(value, list) else [value] if value else []
    return tuple(name for name in _iterate_names(people[:MAX_AUTHORS]) if name.family)


def _iterate_names(people: list[Value]) -> Iterator[Name]:
    for person in people:
        if isinstance(person, dict):
            parts = {part: _read_text(text) for part, text in person.items()}
            family = f"{parts.get('prefix', '')} {parts.get('name', '')}".strip()
            yield Name(family, parts.get("given-name", ""), parts.get("suffix", ""))
        elif isinstance(person, str):
            pieces = [piece.strip() for piece in collapse_spaces(person).split(",", 2)]
            family, given, suffix, *_ = [*(pieces if len(pieces) < 3 else [pieces[0], pieces[2], pieces[1]]), "", ""]
            yield Name(family, given, suffix)


def _read_date(value: Value | None) -> str:
    found = DATE.match(_read_text(value))
    return format_partial_date([int(part) for part in found.groups() if part]) if found else ""
