"""Queries for SEC filings, and their records."""

import re
from datetime import date
from typing import Annotated

from pydantic import AfterValidator, Field, field_validator

from assay.models.common import Cleared, Input, Output
from assay.models.search_queries import validate_order

FORMS = (
    "10-K|10-K405|10-KSB|10-KT|10-Q|10-QT|10-D|8-K|8-K12B|6-K|20-F|40-F|11-K|13F-HR|13F-NT|18-K|S-1|S-3|S-3ASR|S-4|S-8|"
    "S-11|F-1|F-3|F-4|F-6|N-1A|N-2|N-CEN|N-CSR|N-PX|NPORT-P|NT 10-K|NT 10-Q|DEF 14A|DEFA14A|DEFM14A|DEF 14C|PRE 14A|"
    "PREM14A|SC 13D|SC 13G|SC TO-T|SC 14D9|SCHEDULE 13D|SCHEDULE 13G|SD|ARS|POS AM|1-A|1-K|8-A12B|15-12G|25-NSE"
)
SPELLINGS = {re.sub(r"[ -]", "", name): name for name in FORMS.split("|")} | {"13F": "13F-HR"}
RENAMED = ("SC 13", "SCHEDULE 13")  # in December 2024


def normalise_form(name: str) -> str:
    """Normalize a form to EDGAR's spelling: `10k` to `10-K`, `def14a` to `DEF 14A`, `Form S1/A` to `S-1/A`."""
    text = " ".join(name.upper().removeprefix("FORM ").split())
    first, slash, rest = text.partition("/")
    return SPELLINGS.get(re.sub(r"[ -]", "", first), first) + slash + rest


def list_form_names(name: str) -> tuple[str, ...]:
    """Return the current and the former name of a form."""
    old, new = RENAMED
    if name.startswith(old):
        return name, new + name.removeprefix(old)
    return (name, old + name.removeprefix(new)) if name.startswith(new) else (name,)


def _match_form(name: str) -> str:
    if not re.fullmatch(r"[\w /.-]+", name, re.ASCII):
        raise ValueError("write a form such as 10-K, 8-K or DEF 14A")
    return normalise_form(name)


def _normalise_ticker(text: str) -> str:
    """Normalize a ticker to EDGAR's spelling: `$brk.b` to `BRK-B`. Raises ValueError for other text."""
    ticker = re.sub(r"[./ ]", "-", text.removeprefix("$").upper())
    if not re.fullmatch(r"[A-Z0-9]+(-[A-Z0-9]+)*", ticker):
        raise ValueError("write a ticker such as AAPL or BRK-B")
    return ticker


def _validate_day(text: str) -> str:
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text, re.ASCII):
        raise ValueError("write the date as YYYY-MM-DD")
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise ValueError("there is no such day; write the date as YYYY-MM-DD") from None


type Day = Annotated[str, AfterValidator(_validate_day)]


class FilingQuery(Input):
    """A search for filings. Dates are those of filing, inclusive."""

    query: Cleared[
        Annotated[str, Field(max_length=500, description="Company name, ticker, CIK, or text to find in filings.")]
    ] = None
    num_results: Annotated[int, Field(ge=1, le=10, description="Maximum number of results to return.")] = 5
    form_type: Cleared[
        Annotated[
            str,
            Field(max_length=20, description="Form, such as 10-K, 8-K or DEF 14A; any if unset."),
            AfterValidator(_match_form),
        ]
    ] = None
    ticker: Annotated[
        Cleared[Annotated[str, Field(max_length=12), AfterValidator(_normalise_ticker)]],
        Field(description="Ticker symbol, such as AAPL, in place of query."),
    ] = None
    date_from: Annotated[Cleared[Day], Field(description="First filing date, YYYY-MM-DD.")] = None
    date_to: Annotated[Cleared[Day], Field(validate_default=True, description="Last filing date, YYYY-MM-DD.")] = None
    facts: Annotated[bool, Field(description="Return headline XBRL figures of one company in place of filings.")] = (
        False
    )

    _ordered = field_validator("date_to")(validate_order)


class Company(Output):
    """A company that files: the ten digits of its CIK, and its name."""

    cik: Annotated[str, Field(description="SEC identifier, ten digits.")]
    name: str


class Sought(FilingQuery):
    """A search with the company identified: `cik` has ten digits; `query` is then only text to find in filings."""

    cik: str | None = None


class Filing(Output):
    """A filing or, if `concept` is set, one figure of it exactly as filed. Dates are YYYY-MM-DD."""

    company: str
    cik: Annotated[str, Field(description="SEC identifier of the company, ten digits.")]
    form_type: Annotated[str, Field(description="SEC form, such as 10-K.")]
    filing_date: Annotated[str | None, Field(description="YYYY-MM-DD.")] = None
    period_of_report: Annotated[str | None, Field(description="Last day of the reported period, YYYY-MM-DD.")] = None
    accession: Annotated[str, Field(description="SEC accession number of the filing.")]
    url: str
    description: Annotated[str | None, Field(description="What the document is, as filed.")] = None
    source: Annotated[str, Field(description="Name of the provider that answered.")]
    concept: Annotated[
        str | None, Field(description="XBRL concept of the figure, such as Revenues; absent for a filing.")
    ] = None
    unit: Annotated[str | None, Field(description="Unit of the figure, such as USD.")] = None
    value: Annotated[str | None, Field(description="The figure exactly as filed.")] = None
    period_start: Annotated[str | None, Field(description="First day of the figure's period, YYYY-MM-DD.")] = None
