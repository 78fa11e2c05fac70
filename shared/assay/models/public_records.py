"""Queries for public registers (statistics, clinical trials, courts), and their records."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, field_validator

from assay.models.common import Cleared, Input, Output, Pattern, Query
from assay.models.search_queries import validate_order

AREA = re.compile(r"[A-Za-z0-9_]{1,20}", re.ASCII)
TRANSFORMS = ("lin", "chg", "ch1", "pch", "pc1", "pca", "cch", "cca", "log")  # as FRED names them
DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?", re.ASCII)
PHASE = re.compile(r"(early[ _]?)?(?:phase[ _]?)?([1-4]|i{1,3}|iv)", re.IGNORECASE | re.ASCII)
ROMAN = {"I": "1", "II": "2", "III": "3", "IV": "4"}
STATUSES = (
    "RECRUITING", "NOT_YET_RECRUITING", "ACTIVE_NOT_RECRUITING", "ENROLLING_BY_INVITATION", "COMPLETED", "SUSPENDED",
    "TERMINATED", "WITHDRAWN", "AVAILABLE", "NO_LONGER_AVAILABLE", "TEMPORARILY_NOT_AVAILABLE",
    "APPROVED_FOR_MARKETING", "WITHHELD", "UNKNOWN",
)  # fmt: skip


def _validate_date(text: str) -> str:
    """Validate a calendar date: YYYY-MM-DD, YYYY-MM or YYYY. Raises ValueError."""
    from datetime import date

    if not DATE.fullmatch(text):
        raise ValueError("must be a date: YYYY-MM-DD, YYYY-MM or YYYY")
    date.fromisoformat((text + "-01-01")[:10])
    return text


def _validate_day(text: str) -> str:
    if len(text) != 10:
        raise ValueError("must be a date: YYYY-MM-DD")
    return _validate_date(text)


def _validate_area(code: str) -> str:
    if not AREA.fullmatch(code):
        raise ValueError("must be a code such as USA, DE or EU27_2020")
    return code


def _transform(units: str) -> str:
    if units not in TRANSFORMS:
        raise ValueError(f"must be one of {', '.join(TRANSFORMS)}")
    return units


def _normalise_word(text: object) -> object:
    """Normalize words: `Active, not recruiting` becomes `ACTIVE_NOT_RECRUITING`."""
    return re.sub(r"[^A-Z0-9]+", "_", text.strip().upper()).strip("_") if isinstance(text, str) else text


def _normalise_status(text: str) -> str:
    if text not in STATUSES:
        raise ValueError(f"must be one of {', '.join(STATUSES)}")
    return text


def _normalise_phase(text: object) -> object:
    """Normalize a phase: `2`, `II`, `Phase 2` and `phase ii` become `PHASE2`."""
    found = PHASE.fullmatch(str(text).strip()) if isinstance(text, str | int) else None
    return f"{'EARLY_' if found[1] else ''}PHASE{ROMAN.get(found[2].upper(), found[2])}" if found else text


type Phase = Literal["EARLY_PHASE1", "PHASE1", "PHASE2", "PHASE3", "PHASE4"]
type When = Cleared[Annotated[str, AfterValidator(_validate_date)]]
type Day = Cleared[Annotated[str, AfterValidator(_validate_day)]]
type Status = Cleared[Annotated[str, BeforeValidator(_normalise_word), AfterValidator(_normalise_status)]]
type Facet = Cleared[Annotated[str, Field(max_length=500)]]
type Transform = Cleared[Annotated[str, AfterValidator(_transform)]]
type Area = Cleared[Annotated[str, AfterValidator(_validate_area)]]


class SeriesQuery(Input):
    """A keyword search for series of statistics."""

    query: Annotated[Query, Field(description="Words in the name of the series.")]
    num_results: Annotated[int, Field(ge=1, le=25, description="Maximum number of results to return.")] = 5


class CatalogueQuery(Input):
    """A request for all series of a provider without a search of its own."""


class ObservationQuery(Input):
    """A request for the observations of one series. Bounds are a day, a month or a year."""

    series_id: Annotated[
        str, Field(min_length=1, max_length=200, description="Identifier of the series at its provider.")
    ]
    country: Annotated[Area, Field(description="Country or area code, such as USA.")] = None
    date_from: Annotated[When, Field(description="First date: YYYY-MM-DD, YYYY-MM or YYYY.")] = None
    date_to: Annotated[When, Field(description="Last date: YYYY-MM-DD, YYYY-MM or YYYY.")] = None
    frequency: Annotated[
        Cleared[Literal["d", "w", "m", "q", "a"]], Field(description="Frequency of the values, FRED only.")
    ] = None
    units: Annotated[Transform, Field(description="Transformation of the values, FRED only.")] = None
    num_results: Annotated[int, Field(ge=1, le=200, description="Maximum number of values to return.")] = 10

    _ordered = field_validator("date_to")(validate_order)


class Series(Output):
    """A series of statistics."""

    series_id: Annotated[str, Field(description="Pass it as series_id to read the values.")]
    title: str
    units: Annotated[str | None, Field(description="Unit of the values.")] = None
    frequency: Annotated[str | None, Field(description="How often values are published.")] = None
    last_updated: Annotated[str | None, Field(description="When the publisher last updated the series.")] = None
    notes: Annotated[str | None, Field(description="Description by the publisher.")] = None
    popularity: Annotated[int | None, Field(description="FRED's popularity score, 0 to 100.")] = None


class Observation(Output):
    """One value of a series, in the publisher's own digits; None if the publisher has none."""

    series_id: Annotated[str, Field(description="Series that the value belongs to.")]
    date: Annotated[str, Field(description="Period of the value: YYYY, YYYY-MM or YYYY-MM-DD, as published.")]
    available: Annotated[bool, Field(description="false if the publisher has no value for this date.")]
    value: Annotated[str | None, Field(description="The value in the publisher's own digits.")] = None
    title: str | None = None
    units: Annotated[str | None, Field(description="Unit of the value.")] = None
    notes: Annotated[str | None, Field(description="Footnotes or flags of the publisher.")] = None


class TrialQuery(Input):
    """A search for clinical studies; one of the first four fields is required."""

    query: Annotated[Facet, Field(description="Words to find, or an NCT number.")] = None
    condition: Annotated[Facet, Field(description="Disease or condition, such as asthma.")] = None
    intervention: Annotated[Facet, Field(description="Drug, device or treatment, such as aspirin.")] = None
    sponsor: Annotated[Facet, Field(description="Sponsor or collaborator, such as Novartis.")] = None
    status: Annotated[Status, Field(description="Recruitment status, such as RECRUITING or COMPLETED.")] = None
    phase: Annotated[
        Cleared[Annotated[Phase, BeforeValidator(_normalise_phase)]], Field(description="Trial phase; any if unset.")
    ] = None
    num_results: Annotated[int, Field(ge=1, le=100, description="Maximum number of results to return.")] = 10


class Phased(TrialQuery):
    """A search with the phases named in its words; any of them matches."""

    phases: tuple[Phase, ...] = ()


class Trial(Output):
    """A registered clinical study."""

    nct_id: Annotated[str, Field(description="ClinicalTrials.gov identifier.")]
    title: str
    status: Annotated[str | None, Field(description="Recruitment status, such as RECRUITING.")] = None
    phases: list[str]
    conditions: list[str]
    interventions: list[str]
    sponsor: str | None = None
    start_date: Annotated[str | None, Field(description="YYYY-MM-DD or YYYY-MM.")] = None
    has_results: Annotated[bool, Field(description="Whether results are posted in the register.")] = False
    url: str
    source: Annotated[str, Field(description="Name of the provider that answered.")]


type Courts = Cleared[
    Annotated[
        str,
        Pattern(r"^[A-Za-z0-9]{1,20}([ ,]+[A-Za-z0-9]{1,20}){0,9}$", "a list of courts' ids, such as scotus, ca9"),
    ]
]


class CaseQuery(Input):
    """A search for court opinions. `jurisdiction` lists ids of courts; dates are those of the decision."""

    query: Annotated[Query, Field(description="Search words.")]
    jurisdiction: Annotated[Courts, Field(description="Court ids.")] = None
    date_from: Annotated[Day, Field(description="First date of decision, YYYY-MM-DD.")] = None
    date_to: Annotated[Day, Field(description="Last date of decision, YYYY-MM-DD.")] = None
    num_results: Annotated[int, Field(ge=1, le=20, description="Maximum number of results to return.")] = 10

    _ordered = field_validator("date_to")(validate_order)


class Case(Output):
    """A decided case. `citation` joins those of all reporters by `; `."""

    case_name: str
    citation: Annotated[str | None, Field(description="Reporter citations, separated by semicolons.")] = None
    court: str | None = None
    court_id: Annotated[str | None, Field(description="CourtListener id, such as scotus.")] = None
    date_filed: Annotated[str | None, Field(description="Date of decision, YYYY-MM-DD.")] = None
    docket_number: str | None = None
    citation_count: Annotated[int | None, Field(description="Number of works that cite it.")] = None
    url: str
    source: Annotated[str, Field(description="Name of the provider that answered.")]
