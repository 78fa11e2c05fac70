"""A memory: a note with its topic, tags and provenance."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from assay.state.json_documents import encode

MAX_TOPIC, MAX_TAG, MAX_TAGS, MAX_URLS = 200, 50, 20, 20  # characters, and entries of a memory
# Characters of a note that are embedded: with two tokens for each, more than any script needs, 8,000 tokens, which
# embedding models take. Notes of earlier versions are no longer, so their vectors stay those of their texts.
EMBEDDED = 4_000


@dataclass(frozen=True)
class Memory:
    """One memory. Times are in epoch seconds; `urls` are its sources, `session` and `goal` the research it is from."""

    id: str
    note: str
    created: float
    updated: float
    until: float
    topic: str = ""
    urls: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    session: str = ""
    goal: str = ""
    vector: str = ""  # of `meaning`, as `pack_vector` makes it; "" where there is none
    model: str = ""  # that made the vector

    @property
    def text(self) -> str:
        """Everything that a search looks at."""
        return "\n".join((self.note, self.topic, *self.tags))

    @property
    def meaning(self) -> str:
        """What is embedded: topic and beginning of the note. It stays the same when memories are merged."""
        note = self.note[:EMBEDDED]
        return f"{self.topic}\n{note}" if self.topic else note

    @property
    def content(self) -> tuple[str, str]:
        """What two memories must have in common to be the same."""
        return normalize_label(self.topic), normalize_label(self.note)

    def merge(self, other: "Memory") -> "Memory":
        """Return this memory with the tags and the provenance of `other`, and its later times."""
        return replace(
            self,
            urls=_join(self.urls, other.urls)[:MAX_URLS],
            tags=_join(self.tags, other.tags)[:MAX_TAGS],
            session=self.session or other.session,
            goal=self.goal or other.goal,
            updated=max(self.updated, other.updated),
            until=max(self.until, other.until),
            vector=other.vector or self.vector,
            model=other.model or self.model,
        )

    def encode(self) -> bytes:
        return encode(asdict(self))


@dataclass(frozen=True)
class Recalled:
    """A page of memories, each with its score if there was a query. `total` is the number on all pages.

    `next_offset` is where the next page begins, None on the last.
    `similarities` are those of the memories that were found by meaning, by id; `by_words` were found by words.
    `missing` is the number of memories that meaning did not reach, `failure` why the query could not be embedded.
    """

    memories: Sequence[tuple[Memory, float | None]]
    total: int
    by_words: frozenset[str] = frozenset()
    similarities: Mapping[str, float] = field(default_factory=dict)
    missing: int = 0
    failure: str = ""
    next_offset: int | None = None


class MemoryFull(Exception):
    """The person has as many memories as are kept."""


class MemoryMissing(Exception):
    """The person has no memory with this id."""


def parse_memory(value: bytes) -> Memory:
    fields: dict[str, Any] = json.loads(value)
    return Memory(**fields | {name: tuple(fields[name]) for name in ("urls", "tags")})


def normalize_label(text: str) -> str:
    """Return the text without differences of case and white space."""
    return " ".join(text.split()).casefold()


def build_id(content: tuple[str, str], attempt: int) -> str:
    """Return the id of a memory with this content, so that the same content gets the same id.

    A memory that was edited keeps its id; a new one with its former content gets the id of the next attempt.
    """
    return hashlib.sha256(repr((content, attempt)).encode()).hexdigest()[:32]


def _join(one: Iterable[str], other: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))
