"""The search index of a person's memories, in a fixed number of rows (shards), which one request reads.

A shard holds, for each of its memories, what lists and filters need, and the memories of each stem. The memory itself
has a row of its own, which is authoritative; an entry without a row is ignored. Entries are columns of numbers, and
stems are compressed in buckets of which a query opens only its own: so a process without a cache answers fast.
"""

import hashlib
import struct
import sys
import zlib
from array import array
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from assay.memory.memory_records import Memory, normalize_label
from assay.memory.memory_words import count_stems

SHARDS = 32
BUCKETS = 32  # of the stems of a shard
MAX_STEMS = 16_384  # of one memory, which a note of 64 KiB rarely has; the most frequent ones are indexed
FEWEST_STEMS = 300  # that a memory keeps where the row is full: a shard of 10,000 memories has room for so many of each
CACHED = 256  # shards in this process
HEADER = struct.Struct(f"<{1 + BUCKETS}I")  # sizes in bytes: the entries, and each bucket
ID_BYTES = 16
COLUMNS = "ddQHB"  # created, until, topic, words, number of sources: type codes of `array`


class IndexEntry(NamedTuple):
    """A memory in a list. `topic` and `urls` are digests, which bound the size; `words` is the length of its text."""

    id: str
    created: float
    until: float
    topic: int
    urls: tuple[int, ...]
    words: int


class Shard:
    """One row of the index. The columns `created`, `until`, `topics` and `words` are in the order of the entries."""

    def __init__(self, entries: bytes, buckets: Sequence[bytes]) -> None:
        """`entries` and `buckets` are as `build_shard` makes them; buckets are opened on first use."""
        self._buckets = buckets
        self._texts: dict[int, str] = {}
        count = len(entries) and struct.unpack_from("<I", entries)[0]
        at = 4 + count * ID_BYTES
        self._ids = entries[4:at]
        columns = []
        for code in COLUMNS:
            column = array(code)
            end = at + count * column.itemsize
            columns.append(_swap(array(code, entries[at:end])))
            at = end
        self._urls = entries[at:]
        self.created, self.until, self.topics, self.words, self._url_counts = columns

    def __len__(self) -> int:
        return len(self.created)

    def read_id(self, at: int) -> str:
        return self._ids[at * ID_BYTES : (at + 1) * ID_BYTES].hex()

    @cached_property
    def ids(self) -> list[str]:
        """The ids of all entries, for searches that compare them all."""
        return [self.read_id(at) for at in range(len(self))]

    @cached_property
    def entries(self) -> list[IndexEntry]:
        """Every entry as one value, for changes and for searches by source."""
        urls = iter(_swap(array("Q", self._urls)))
        return [
            IndexEntry(
                self.read_id(at),
                self.created[at],
                self.until[at],
                self.topics[at],
                tuple(next(urls) for _ in range(count)),
                self.words[at],
            )
            for at, count in enumerate(self._url_counts)
        ]

    def replace(self, identity: str, memory: Memory | None, now: float, *, most_stems: int = MAX_STEMS) -> "Shard":
        """Return the shard with this memory in place of its former state, and without expired ones."""
        kept = [at for at, entry in enumerate(self.entries) if entry.id != identity and entry.until > now]
        places = {old: new for new, old in enumerate(kept)}
        entries = [self.entries[at] for at in kept]
        stems: dict[str, str] = {}
        for stem, pairs in self._iterate_stems():
            if moved := [f"{places[at]} {count}" for at, count in _parse_pairs(pairs) if at in places]:
                stems[stem] = " ".join(moved)
        if memory is not None:
            _append(entries, stems, memory, most_stems)
        return build_shard(entries, stems)

    def append_all(self, memories: Iterable[Memory]) -> "Shard":
        """Return the shard with these memories, none of which it holds."""
        entries, stems = list(self.entries), dict(self._iterate_stems())
        for memory in memories:
            _append(entries, stems, memory, MAX_STEMS)
        return build_shard(entries, stems)

    def iterate_smaller(self) -> "Iterator[Shard]":
        """Yield the shard with ever fewer stems of the memories that have the most, the rarest ones left out first."""
        counts: list[Counter[str]] = [Counter() for _ in self.entries]
        for stem, pairs in self._iterate_stems():
            for at, count in _parse_pairs(pairs):
                counts[at][stem] = count
        most = max(map(len, counts), default=0)
        while most > FEWEST_STEMS:
            most = max(most // 2, FEWEST_STEMS)
            stems: dict[str, str] = {}
            for at, of_memory in enumerate(counts):
                _add_stems(stems, at, of_memory, most)
            yield build_shard(self.entries, stems)

    def find(self, stems: Iterable[str]) -> dict[int, int]:
        """Return the places of the entries that contain one of the stems, with the highest count."""
        found: dict[int, int] = {}
        for stem in stems:
            text = self._open(_choose_bucket(stem))
            begin = text.find(f"\n{stem} ")
            if begin >= 0:
                begin += len(stem) + 2
                for at, count in _parse_pairs(text[begin : text.find("\n", begin)]):
                    if found.get(at, 0) < count:
                        found[at] = count
        return found

    def encode(self) -> bytes:
        ids_and_columns = b"".join(
            [self._ids]
            + [_swap(column[:]).tobytes() for column in (self.created, self.until, self.topics, self.words)]
            + [self._url_counts.tobytes(), self._urls]
        )
        entries = zlib.compress(struct.pack("<I", len(self)) + ids_and_columns, 1)
        return HEADER.pack(len(entries), *map(len, self._buckets)) + entries + b"".join(self._buckets)

    def _iterate_stems(self) -> Iterator[tuple[str, str]]:
        for number in range(len(self._buckets)):
            for line in self._open(number).split("\n"):
                if line:
                    stem, _, pairs = line.partition(" ")
                    yield stem, pairs

    def _open(self, number: int) -> str:
        """Return the lines of a bucket; each begins with a newline and a stem, and the last ends with a newline."""
        text = self._texts.get(number)
        if text is None:
            packed = self._buckets[number] if self._buckets else b""
            text = self._texts[number] = zlib.decompress(packed).decode() if packed else ""
        return text


def build_shard(entries: Sequence[IndexEntry] = (), stems: Mapping[str, str] | None = None) -> Shard:
    """Build a shard. `stems` maps each stem to alternating places in `entries` and counts, as text."""
    rows = [(entry.created, entry.until, entry.topic, min(entry.words, 0xFFFF), len(entry.urls)) for entry in entries]
    columns = [_swap(array(code, [row[at] for row in rows])).tobytes() for at, code in enumerate(COLUMNS)]
    urls = _swap(array("Q", [url for entry in entries for url in entry.urls])).tobytes()
    ids = b"".join(bytes.fromhex(entry.id) for entry in entries)
    lines: list[list[str]] = [[] for _ in range(BUCKETS)]
    for stem, pairs in (stems or {}).items():
        lines[_choose_bucket(stem)].append(f"\n{stem} {pairs}")
    buckets = [zlib.compress(("".join(each) + "\n").encode(), 1) if each else b"" for each in lines]
    return Shard(struct.pack("<I", len(entries)) + ids + b"".join(columns) + urls, buckets)


def parse_shard(value: bytes) -> Shard:
    sizes = HEADER.unpack_from(value)
    parts, at = [], HEADER.size
    for size in sizes:
        parts.append(value[at : at + size])
        at += size
    return Shard(zlib.decompress(parts[0]), parts[1:])


def digest_topic(topic: str) -> int:
    """Return what the index holds of a topic; 0 for none."""
    normalized = normalize_label(topic)
    return digest_label(normalized) if normalized else 0


def digest_label(label: str) -> int:
    return int.from_bytes(hashlib.sha256(label.encode()).digest()[:8])


def choose_shard(identity: str) -> int:
    """Return the shard of the memory with this id."""
    return int(identity[:8], 16) % SHARDS


def build_sort(shard: int) -> str:
    return f"index/{shard:02}"


class ShardCache:
    """The shards that this process used last, each with the version of its row."""

    def __init__(self, most: int = CACHED) -> None:
        self._most = most
        self._shards: OrderedDict[tuple[str, int], tuple[int, Shard]] = OrderedDict()

    def parse(self, key: str, number: int, version: int, value: bytes) -> Shard:
        """Return the shard of this row, parsed only if its version is new. Callers must not modify it."""
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


def _append(entries: list[IndexEntry], stems: dict[str, str], memory: Memory, most_stems: int) -> None:
    counts, words = count_stems(memory.text)
    _add_stems(stems, len(entries), counts, most_stems)
    topic, urls = digest_topic(memory.topic), tuple(map(digest_label, memory.urls))
    entries.append(IndexEntry(memory.id, memory.created, memory.until, topic, urls, words))


def _add_stems(stems: dict[str, str], at: int, counts: Counter[str], most: int) -> None:
    for stem, count in counts.most_common(most):
        stems[stem] = f"{stems.get(stem, '')} {at} {count}".lstrip()


def _choose_bucket(stem: str) -> int:
    return zlib.crc32(stem.encode()) % BUCKETS


def _swap[Number: (int, float)](column: "array[Number]") -> "array[Number]":
    """Convert between the order of bytes of this machine and that of rows, which is little-endian."""
    if sys.byteorder == "big":
        column.byteswap()
    return column


def _parse_pairs(text: str) -> Iterator[tuple[int, int]]:
    numbers = map(int, text.split())
    return zip(numbers, numbers, strict=True)
