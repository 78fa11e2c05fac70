"""Queries for patents, and their records."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, field_validator

from assay.models.common import Cleared, Input, LongField, Output
from assay.models.search_queries import validate_order

type Office = Literal["all", "US", "EP", "WO", "JP", "CN", "KR"]
type Year = Annotated[int, Field(ge=1790, le=2100)]
type Name = Cleared[Annotated[str, Field(max_length=200)]]
MAX_RESULTS = 100  # per request to a provider: more than the tool returns, since some are filtered out
CPC = re.compile(r"[A-HY](\d{2}([A-Z](\d{1,4}(/\d{0,6})?)?)?)?")


def _normalise_cpc(code: str) -> str:
    """Normalize a CPC symbol: `g06f 16/00` becomes `G06F16/00`. Raises ValueError for other text."""
    symbol = "".join(code.split()).upper()
    if not CPC.fullmatch(symbol):
        raise ValueError("write a CPC symbol or its beginning, such as G06F or G06F 16/00")
    return symbol


class PatentQuery(Input):
    """A search for patents. Years are of filing, inclusive; `cpc_code` is the beginning of a symbol."""

    query: Annotated[
        Cleared[Annotated[str, Field(max_length=500)]],
        Field(description="Words, or a patent number such as US10165245B2."),
    ] = None
    num_results: Annotated[int, Field(ge=1, le=MAX_RESULTS, description="Maximum number of results to return.")] = 5
    patent_office: Annotated[Office, Field(description="Patent office that published it.")] = "all"
    assignee: Annotated[Name, Field(description="Owner of the patent, in whole or part.")] = None
    inventor: Annotated[Name, Field(description="Inventor's name, in whole or part.")] = None
    cpc_code: Annotated[
        Cleared[Annotated[str, AfterValidator(_normalise_cpc)]],
        Field(description="CPC symbol or its beginning, such as G06F 16/00."),
    ] = None
    year_from: Annotated[Cleared[Year], Field(description="First year of filing, inclusive.")] = None
    year_to: Annotated[Cleared[Year], Field(validate_default=True, description="Last year of filing, inclusive.")] = (
        None
    )

    _ordered = field_validator("year_to")(validate_order)


class Patent(Output):
    """A patent or an application, in plain text; dates are YYYY-MM-DD. `granted` is None if no grant is known."""

    title: str
    number: Annotated[str, Field(description="Publication number, with its kind code if known.")]
    url: str
    abstract: Annotated[str | None, LongField()] = None
    assignee: str | None = None
    inventor: str | None = None
    filed: Annotated[str | None, Field(description="Date of filing, YYYY-MM-DD.")] = None
    published: Annotated[str | None, Field(description="Date of publication, YYYY-MM-DD.")] = None
    granted: Annotated[str | None, Field(description="Date of grant, YYYY-MM-DD; absent if no grant is known.")] = None
    pdf: Annotated[str | None, Field(description="URL of the PDF.")] = None
    status: Annotated[str | None, Field(description="Legal status, as the provider states it.")] = None
