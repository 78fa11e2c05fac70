"""The search index of a person's memories, in a fixed number of rows (shards), so that one round trip reads it all.

A shard holds, for each of its memories, what lists and filters need, and the memories of each stem. The memory itself
has a row of its own, which is authoritative; an entry without a row is ignored.
"""

import hashlib
import json
import zlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from assay.memory.memory_records import Memory, normalize_label
from assay.memory.memory_words import count_stems

SHARDS = 32
MAX_STEMS = 300  # of one memory; the most frequent ones are indexed
CACHED = 256  # decoded shards in this process


class IndexEntry(NamedTuple):
    """A memory in a list. `topic` and `urls` are digests, which bound the size; `words` is the length of its text."""

    id: str
    created: float
    until: float
    topic: str
    urls: tuple[str, ...]
    words: int


@dataclass
class Shard:
    """One row of the index.

    `stems` maps each stem to alternating places in `entries` and counts, as text: only those of a query are parsed.
    """

    entries: list[IndexEntry] = field(default_factory=list)
    stems: dict[str, str] = field(default_factory=dict)

    def replace(self, identity: str, memory: Memory | None, now: float, *, most_stems: int = MAX_STEMS) -> "Shard":
        """Return the shard with this memory in place of its former state, and without expired ones."""
        kept = [at for at, entry in enumerate(self.entries) if entry.id != identity and entry.until > now]
        places = {old: new for new, old in enumerate(kept)}
        stems: dict[str, str] = {}
        for stem, pairs in self.stems.items():
            if moved := [f"{places[at]} {count}" for at, count in _parse_pairs(pairs) if at in places]:
                stems[stem] = " ".join(moved)
        shard = Shard([self.entries[at] for at in kept], stems)
        if memory is not None:
            shard._append(memory, most_stems)
        return shard

    def _append(self, memory: Memory, most_stems: int) -> None:
        counts, words = count_stems(memory.text)
        at = len(self.entries)
        topic, urls = digest_topic(memory.topic), tuple(map(digest_label, memory.urls))
        self.entries.append(IndexEntry(memory.id, memory.created, memory.until, topic, urls, words))
        for stem, count in counts.most_common(most_stems):
            self.stems[stem] = f"{self.stems.get(stem, '')} {at} {count}".lstrip()

    def find(self, stems: Iterable[str]) -> dict[int, int]:
        """Return the places of the entries that contain one of the stems, with the highest count."""
        found: dict[int, int] = {}
        for stem in stems:
            for at, count in _parse_pairs(self.stems.get(stem, "")):
                if found.get(at, 0) < count:
                    found[at] = count
        return found

    def encode(self) -> bytes:
        body = json.dumps([self.entries, self.stems], ensure_ascii=False, separators=(",", ":"))
        return zlib.compress(body.encode(), 1)


def parse_shard(value: bytes) -> Shard:
    entries: list[list[Any]]
    stems: dict[str, str]
    entries, stems = json.loads(zlib.decompress(value))
    return Shard(
        [
            IndexEntry(identity, created, until, topic, tuple(urls), words)
            for identity, created, until, topic, urls, words in entries
        ],
        stems,
    )


def digest_topic(topic: str) -> str:
    """Return what the index holds of a topic; "" for none."""
    normalized = normalize_label(topic)
    return digest_label(normalized) if normalized else ""


def digest_label(label: str) -> str:
    return hashlib.sha256(label.encode()).hexdigest()[:16]


def choose_shard(identity: str) -> int:
    """Return the shard of the memory with this id."""
    return int(identity[:8], 16) % SHARDS


def build_sort(shard: int) -> str:
    return f"index/{shard:02}"


class ShardCache:
    """The decoded shards that this process used last, each with the version of its row."""

    def __init__(self, most: int = CACHED) -> None:
        self._most = most
        self._shards: OrderedDict[tuple[str, int], tuple[int, Shard]] = OrderedDict()

    def parse(self, key: str, number: int, version: int, value: bytes) -> Shard:
        """Return the shard of this row, decoded only if its version is new. Callers must not modify it."""
        known = self._shards.get((key, number))
        if known is None or known[0] != version:
            known = (version, parse_shard(value))
            self._shards[key, number] = known
        self._shards.move_to_end((key, number))
        while len(self._shards) > self._most:
            self._shards.popitem(last=False)
        return known[1]

    def drop(self, key: str, number: int) -> None:
        """Forget the shard, whose row does not exist."""
        self._shards.pop((key, number), None)


def _parse_pairs(text: str) -> Iterator[tuple[int, int]]:
    numbers = map(int, text.split())
    return zip(numbers, numbers, strict=True)
