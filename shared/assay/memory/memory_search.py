"""Ranks memories by their words (Okapi BM25), or lists the newest first."""

import math
from collections import defaultdict
from collections.abc import Collection, Iterator

from assay.memory.memory_index import IndexEntry, Shard
from assay.memory.memory_words import split_words

SATURATION, LENGTH_WEIGHT = 1.2, 0.75  # k1 and b of Okapi BM25
MAX_QUERY_WORDS = 24


def list_newest(shards: Collection[Shard], topic: str | None, now: float) -> list[IndexEntry]:
    """Return the live entries of the topic (its digest), or of all topics, the newest first."""
    live = [entry for entry in _iterate(shards) if entry.until > now and topic in (None, entry.topic)]
    return sorted(live, key=lambda entry: (-entry.created, entry.id))


def rank_by_words(
    shards: Collection[Shard], query: str, topic: str | None, now: float
) -> list[tuple[IndexEntry, float]]:
    """Return the live entries that share a word with the query, with their scores, the best first."""
    words = list(dict.fromkeys(split_words(query)))[:MAX_QUERY_WORDS]
    total = sum(len(shard.entries) for shard in shards)
    average = sum(entry.words for entry in _iterate(shards)) / total if total else 0.0
    scores: dict[tuple[int, int], float] = defaultdict(float)
    for word in words:
        found = [(number, shard, shard.find(word)) for number, shard in enumerate(shards)]
        matched = sum(len(places) for *_, places in found)
        rarity = math.log(1 + (total - matched + 0.5) / (matched + 0.5))
        for number, shard, places in found:
            for at, count in places.items():
                length = 1 - LENGTH_WEIGHT + LENGTH_WEIGHT * shard.entries[at].words / (average or 1)
                scores[number, at] += rarity * count * (SATURATION + 1) / (count + SATURATION * length)
    ordered = list(shards)
    ranked = [(ordered[number].entries[at], round(score, 3)) for (number, at), score in scores.items()]
    live = [(entry, score) for entry, score in ranked if entry.until > now and topic in (None, entry.topic)]
    return sorted(live, key=lambda pair: (-pair[1], -pair[0].created, pair[0].id))


def _iterate(shards: Collection[Shard]) -> Iterator[IndexEntry]:
    return (entry for shard in shards for entry in shard.entries)
