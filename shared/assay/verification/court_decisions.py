"""Finds US court decisions that a reference cites, by party names together with the reporter or year."""

import re

from assay.context import Context
from assay.models.papers import Paper
from assay.models.public_records import Case, CaseQuery
from assay.providers.courtlistener import CourtListener
from assay.verification.bounded_gather import with_deadline
from assay.verification.title_matching import Confidence, fold

VERSUS = re.compile(r"(?P<one>[^\s,;.][^,;]{1,120}?)\s+vs?\.?\s+(?P<other>[^,;(\d]{2,120})")
REPORTER = re.compile(r"\b(\d{1,4})\s+([A-Z][A-Za-z0-9.' ]{0,24}?)\s+(\d{1,5})\b")
YEAR = re.compile(r"\b(1[6-9]\d\d|20\d\d)\)")
GENERIC = "the of and united states state city county inc llc ltd corp company board department"
COMMON = frozenset(GENERIC.split())


def is_case(text: str) -> bool:
    """Return whether the reference looks like a decision: two parties and a reporter citation or a court's year."""
    return bool(VERSUS.search(text)) and bool(REPORTER.search(text) or YEAR.search(text))


async def find_decisions(ctx: Context, text: str) -> list[tuple[Case, Confidence, str]]:
    """Search CourtListener; return each decision with its confidence and reason. Raises ToolError."""
    courts = CourtListener(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)
    cases = await with_deadline(ctx, courts.readable(courts.cases(CaseQuery(query=text[:500], num_results=10))))
    return [(case, *_grade_match(text, case)) for case in cases]


def to_paper(case: Case) -> Paper:
    """Convert the decision to a `Paper`."""
    year = int(case.date_filed[:4]) if case.date_filed else None
    return Paper(title=case.case_name, url=case.url, source=case.source, year=year, journal=case.citation)


def _grade_match(text: str, case: Case) -> tuple[Confidence, str]:
    parties = VERSUS.search(text)
    assert parties
    recorded_parties = _words(case.case_name)
    shared = [bool(_words(parties[side]) & recorded_parties) for side in ("one", "other")]
    if not all(shared):
        return ("low" if any(shared) else "none"), "The record does not name both parties."
    cited = {_normalize_reporter(match) for match in REPORTER.finditer(text)}
    recorded = {_normalize_reporter(match) for match in REPORTER.finditer(case.citation or "")}
    if cited:
        if cited & recorded:
            return "high", "Parties and reporter citation agree with the record."
        return (
            "medium",
            f"The parties agree with the record, the reporter citation does not: it is {case.citation or 'not known'}.",
        )
    year = YEAR.search(text)
    if year and case.date_filed and abs(int(year[1]) - int(case.date_filed[:4])) <= 1:
        return "high", "Parties and year agree with the record."
    return "medium", "The parties agree with the record; nothing else could be compared."


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"[^\W\d_]{3,}", fold(text)) if word not in COMMON}


def _normalize_reporter(match: re.Match[str]) -> tuple[str, str, str]:
    return match[1], re.sub(r"[\s.']", "", match[2]).lower(), match[3]
