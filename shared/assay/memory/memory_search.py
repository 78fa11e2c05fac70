"""Ranks memories by their words (Okapi BM25), or lists the newest first."""

import math
from collections import defaultdict
from collections.abc import Sequence

from assay.memory.memory_index import Shard
from assay.memory.memory_words import split_words

SATURATION, LENGTH_WEIGHT = 1.2, 0.75  # k1 and b of Okapi BM25
MAX_QUERY_WORDS = 24
FUSION = 60  # k of reciprocal rank fusion: how little the first places of a ranking count more than the next


def list_newest(shards: Sequence[Shard], topic: int | None, now: float) -> list[str]:
    """Return the ids of the live entries of the topic (its digest), or of all topics, the newest first."""
    live = [
        (-created, number, at)
        for number, shard in enumerate(shards)
        for at, (created, until, of_topic) in enumerate(zip(shard.created, shard.until, shard.topics, strict=True))
        if until > now and topic in (None, of_topic)
    ]
    return [shards[number].read_id(at) for _, number, at in sorted(live)]


def list_live(shards: Sequence[Shard], topic: int | None, now: float) -> frozenset[str]:
    """Return the ids of the live entries of the topic (its digest), or of all topics."""
    return frozenset(
        identity
        for shard in shards
        for identity, until, of_topic in zip(shard.ids, shard.until, shard.topics, strict=True)
        if until > now and topic in (None, of_topic)
    )


def fuse_ranks(*rankings: Sequence[str]) -> list[tuple[str, float]]:
    """Combine rankings of ids by reciprocal rank fusion; return the ids with their scores, the best first."""
    scores: dict[str, float] = defaultdict(float)
    for ranking in rankings:
        for rank, identity in enumerate(ranking, 1):
            scores[identity] += 1 / (FUSION + rank)
    ranked = sorted(scores.items(), key=lambda pair: -pair[1])
    return [(identity, round(score, 5)) for identity, score in ranked]


def rank_by_words(shards: Sequence[Shard], query: str, topic: int | None, now: float) -> list[tuple[str, float]]:
    """Return the ids of the live entries that share a word with the query, with their scores, the best first."""
    words = list(dict.fromkeys(split_words(query)))[:MAX_QUERY_WORDS]
    total = sum(map(len, shards))
    average = sum(sum(shard.words) for shard in shards) / total if total else 0.0
    scores: dict[tuple[int, int], float] = defaultdict(float)
    for word in words:
        found = [shard.find(word) for shard in shards]
        matched = sum(map(len, found))
        rarity = math.log(1 + (total - matched + 0.5) / (matched + 0.5))
        for number, places in enumerate(found):
            lengths = shards[number].words
            for at, count in places.items():
                length = 1 - LENGTH_WEIGHT + LENGTH_WEIGHT * lengths[at] / (average or 1)
                scores[number, at] += rarity * count * (SATURATION + 1) / (count + SATURATION * length)
    live = [
        (-round(score, 3), -shards[number].created[at], number, at)
        for (number, at), score in scores.items()
        if shards[number].until[at] > now and topic in (None, shards[number].topics[at])
    ]
    return [(shards[number].read_id(at), -score) for score, _, number, at in sorted(live)]
