"""Trial queries: a phase named in the query text is moved into the phase filter."""

import re

from assay.models.public_records import ROMAN, Phased, TrialQuery

NUMBER = r"([1-4]|i{1,3}|iv)[ab]?"
NAMED = re.compile(
    rf"\b(early[\s-]+)?phases?[\s-]*{NUMBER}(?:\s*(?:/|-|,|&|\band\b|\bor\b|\bto\b)\s*(?:phase\s*)?{NUMBER})?(?![\w.])",
    re.IGNORECASE,
)


def extract_phase(query: TrialQuery) -> TrialQuery:
    """The query with the phase in its text moved into the filter; unchanged if the filter is already set."""
    found = NAMED.search(query.query or "")
    if query.phase or found is None or query.query is None:
        return query
    rest = " ".join((query.query[: found.start()] + " " + query.query[found.end() :]).split()).strip(" ,;")
    numbers = [ROMAN.get(number.upper(), number) for number in (found[2], found[3]) if number]
    phases = ["EARLY_PHASE1"] if found[1] and numbers == ["1"] else [f"PHASE{number}" for number in numbers]
    fields = query.model_dump(exclude_none=True) | {"query": rest or None, "phases": tuple(phases)}
    return Phased.model_validate(fields)
