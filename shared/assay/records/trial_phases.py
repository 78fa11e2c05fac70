"""Questions about clinical studies: a phase that stands among the words is meant as a filter."""

import re

from assay.models.public_records import ROMAN, Phased, TrialQuery

NUMBER = r"([1-4]|i{1,3}|iv)[ab]?"
NAMED = re.compile(
    rf"\b(early[\s-]+)?phases?[\s-]*{NUMBER}(?:\s*(?:/|-|,|&|\band\b|\bor\b|\bto\b)\s*(?:phase\s*)?{NUMBER})?(?![\w.])",
    re.IGNORECASE,
)


def extract_phase(ask: TrialQuery) -> TrialQuery:
    """The question with the phase that its words name moved into the filter, unless one is given besides."""
    found = NAMED.search(ask.query or "")
    if ask.phase or found is None or ask.query is None:
        return ask
    rest = " ".join((ask.query[: found.start()] + " " + ask.query[found.end() :]).split()).strip(" ,;")
    numbers = [ROMAN.get(number.upper(), number) for number in (found[2], found[3]) if number]
    phases = ["EARLY_PHASE1"] if found[1] and numbers == ["1"] else [f"PHASE{number}" for number in numbers]
    told = ask.model_dump(exclude_none=True) | {"query": rest or None, "phases": tuple(phases)}
    return Phased.model_validate(told)
