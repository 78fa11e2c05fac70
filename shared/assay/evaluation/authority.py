"""Scores the authority of a host, from 0 to 1."""

from typing import Literal

from assay.evaluation import known_hosts
from assay.evaluation.reputation import find_reputation

UNKNOWN = 0.5
BY_REPUTATION = {"high": 0.9, "mixed": 0.7, "low": 0.3}
HIGH, MEDIUM = 0.8, 0.5

type Tier = Literal["high", "medium", "low"]


def score_authority(url: str) -> float:
    """Return 0.9, 0.7, 0.5 or 0.3; 0.5 for an unknown host."""
    name = known_hosts.parse_host(url)
    if known_hosts.is_government(name) or known_hosts.is_academic(name):
        return 0.9
    for weight, domains in known_hosts.load_domains_by_kind("authority").items():
        if known_hosts.is_in_domains(name, domains):
            return float(weight)
    known = find_reputation(url)
    return BY_REPUTATION[known.tier] if known else UNKNOWN


def to_tier(number: float) -> Tier:
    return "high" if number >= HIGH else "medium" if number >= MEDIUM else "low"
