"""Output model of a field comparison, shared by the check of one citation and the audit of many."""

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field

from assay.models.common import Output
from assay.verification.field_comparison import FieldFinding

MAX_VALUE_CHARS = 400  # characters shown of a cited or recorded value


class FieldOutcome(Output):
    """A field of the reference that no record confirms as cited."""

    field: Annotated[
        str,
        Field(description="title, authors, venue, year, volume, issue, pages, publisher, place, doi, arxiv_id."),
    ]
    outcome: Annotated[
        Literal["variant", "mismatch", "unverified"],
        Field(description="variant: another form; mismatch: all records differ; unverified: on no record."),
    ]
    cited: Annotated[str, Field(description="Value as cited.")]
    recorded: Annotated[str | None, Field(description="Value on record.")] = None
    source: Annotated[str | None, Field(description="Index whose record it is.")] = None
    reason: Annotated[str | None, Field(description="What differs.")] = None


def to_outcomes(findings: Iterable[FieldFinding]) -> list[FieldOutcome] | None:
    """Return the findings that are not matches; None if all are."""
    outcomes = [
        FieldOutcome(
            field=finding.field,
            outcome=finding.outcome,
            cited=finding.cited[:MAX_VALUE_CHARS],
            recorded=finding.recorded[:MAX_VALUE_CHARS] or None,
            source=finding.source or None,
            reason=finding.reason or None,
        )
        for finding in findings
        if finding.outcome != "match"
    ]
    return outcomes or None
