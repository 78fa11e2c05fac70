"""Finds US court decisions that a reference cites, by party names with reporter or year, or by the reporter alone."""

import re

from assay.bibliography import doi
from assay.context import Context
from assay.models.papers import Paper
from assay.models.public_records import Case, CaseQuery
from assay.providers.courtlistener import CourtListener
from assay.verification.bounded_gather import with_deadline
from assay.verification.title_matching import Confidence, fold

VERSUS = re.compile(r"(?P<one>[^\s,;.][^,;]{1,120}?)(?<!\s)\s++vs?\.?\s+(?P<other>[^,;(\d]{2,120})")
REPORTER = re.compile(r"\b(\d{1,4})\s+([A-Z][A-Za-z0-9.' ]{0,24}?)\s+(\d{1,5})\b")
YEAR = re.compile(r"\b(1[6-9]\d\d|20\d\d)\)")
ALONE = re.compile(
    r"\d{1,4}\s+(?:U\.\s?S\.|S\.\s?Ct\.|L\.\s?Ed\.(?:\s?2d)?|F\.(?:\s?(?:2d|3d|4th))?|F\.\s?Supp\.(?:\s?[23]d)?|[A-Z][a-z]*\.\s?"
    r"(?:2d|3d))\s+\d{1,5}(?:\s*\([^()]{0,40}\d{4}\))?\.?"
)
FORMS = r", (?:Inc|LLC|Ltd|Co|Corp|LLP|L\.?P|N\.A|S\.A|et al)\b"  # what a comma may divide from the name of a party
NAMED = re.compile(  # from its beginning on: titles of articles, too, have "vs." in them
    rf"(?P<name>(?:[^,;(]|{FORMS}){{1,120}}?(?<!\s)\s++vs?\.?\s+[^\W_a-z](?:[^,;:(\d]|{FORMS}){{1,120}})"
    r"(?:,\s*(?:\d{1,4}\s+[A-Z]|Nos?\.)|\((?:[^()]{0,40}\s)?(?:1[6-9]|20)\d\d\)\.?$)"
)
MIN_ABBREVIATION = 4  # letters of an abbreviated party: Educ. for Education
GENERIC = "the of and united states state city county inc llc ltd corp company board department"
COMMON = frozenset(GENERIC.split())


def is_case(text: str) -> bool:
    """Return whether the reference may be a decision: parties with a reporter citation or year, or the citation alone.

    An article with "vs." in its title may look the same; see `is_decision`.
    """
    if ALONE.fullmatch(text.strip()):
        return True
    return bool(VERSUS.search(text)) and bool(REPORTER.search(text) or YEAR.search(text))


def is_decision(text: str) -> bool:
    """Return whether the reference is one of a decision: it begins with the parties, or is a reporter citation."""
    return bool(ALONE.fullmatch(text.strip()) or parse_name(text))


def parse_name(text: str) -> str:
    """Return the parties of a decision as cited, such as `Brown v. Board of Education`; "" if the text names none."""
    named = NAMED.match(text.strip())
    return named["name"].strip() if named and not doi.find(text) else ""


async def find_decisions(ctx: Context, text: str) -> list[tuple[Case, Confidence, str]]:
    """Search CourtListener by the parties, then by the reporter; return each decision with its confidence and reason.

    Raises ToolError.
    """
    graded = [(case, *_grade_match(text, case)) for case in await _search(ctx, text[:500])]
    reporter = REPORTER.search(text)
    if reporter and not any(confidence in ("high", "medium") for _, confidence, _ in graded):
        graded += [(case, *_grade_match(text, case)) for case in await _search(ctx, reporter[0])]
    return graded


async def _search(ctx: Context, query: str) -> list[Case]:
    courts = CourtListener(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)
    return await with_deadline(ctx, courts.readable(courts.cases(CaseQuery(query=query, num_results=10))))


def to_paper(case: Case) -> Paper:
    """Convert the decision to a `Paper`."""
    year = int(case.date_filed[:4]) if case.date_filed else None
    return Paper(title=case.case_name, url=case.url, source=case.source, year=year, journal=case.citation)


def _grade_match(text: str, case: Case) -> tuple[Confidence, str]:
    parties = VERSUS.search(text)
    cited = {_normalize_reporter(match) for match in REPORTER.finditer(text)}
    recorded = {_normalize_reporter(match) for match in REPORTER.finditer(case.citation or "")}
    if parties is None:
        agrees = bool(cited & recorded)
        return ("high", "The reporter citation is the record's.") if agrees else ("none", "It has another citation.")
    shared = [_names_party(parties[side], case.case_name) for side in ("one", "other")]
    if not all(shared):
        if cited & recorded:
            return "medium", f"The reporter citation is that of {case.case_name}, which does not name both parties."
        return ("low" if any(shared) else "none"), "The record does not name both parties."
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


def _names_party(party: str, case_name: str) -> bool:
    """Whether a case name has a word of the party, or one that a word of it abbreviates."""
    known = _words(case_name)
    return any(
        word in known or (len(word) >= MIN_ABBREVIATION and any(each.startswith(word) for each in known))
        for word in _words(party)
    )


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"[^\W\d_]{3,}", fold(text)) if word not in COMMON}


def _normalize_reporter(match: re.Match[str]) -> tuple[str, str, str]:
    return match[1], re.sub(r"[\s.']", "", match[2]).lower(), match[3]
