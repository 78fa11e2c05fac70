"""Scores the authority of a host, from 0 to 1."""

from typing import Literal

from assay.evaluation import known_hosts
from assay.evaluation.reputation import find_entry
from assay.text.short_text_cache import cache_short

UNKNOWN = 0.5
BY_REPUTATION = {"high": 0.9, "mixed": 0.7, "low": 0.3}
HIGH, MEDIUM = 0.8, 0.5

type Tier = Literal["high", "medium", "low"]


def score_authority(url: str) -> float:
    """Return 0.9, 0.7, 0.5 or 0.3; 0.5 for an unknown host."""
    return score_host(known_hosts.parse_host(url))


@cache_short(1024)
def score_host(name: str) -> float:
    """Return the score of a host as `score_authority` does."""
    if known_hosts.is_government(name) or known_hosts.is_academic(name):
        return 0.9
    for weight, domains in known_hosts.load_domains_by_kind("authority").items():
        if known_hosts.is_in_domains(name, domains):
            return float(weight)
    entry = find_entry(name)
    return BY_REPUTATION[entry["tier"]] if entry else UNKNOWN


def to_tier(number: float) -> Tier:
    return "high" if number >= HIGH else "medium" if number >= MEDIUM else "low"
