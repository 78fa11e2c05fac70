"""Search ClinicalTrials.gov."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field, model_validator

from assay.context import Context
from assay.models.common import TRUST, Output, ProviderName, SessionId, Source, Trust, ZeroResultHints
from assay.models.public_records import Facet, Status, Trial, TrialQuery
from assay.search.zero_result_hints import find_hints, format_listing
from assay.toolkit.tool import tool

FILTERS = ("condition", "intervention", "sponsor", "status", "phase")


class ClinicalSearchInput(TrialQuery):
    query: Annotated[
        Facet,
        Field(
            description="Words to find, or an NCT number. One of query, condition, intervention, sponsor is required."
        ),
    ] = None
    status: Annotated[
        Status, Field(description="Recruitment status, such as RECRUITING or COMPLETED; any if unset.")
    ] = None
    provider: ProviderName = None
    session_id: SessionId = None

    @model_validator(mode="after")
    def _something(self) -> "ClinicalSearchInput":
        if not (self.query or self.condition or self.intervention or self.sponsor):
            raise ValueError("give at least one of query, condition, intervention and sponsor")
        return self


class ClinicalSearchOutput(Output):
    trials: list[Trial]
    query: str | None = None
    result_count: Annotated[int, Field(description="Number of results in this answer.")]
    provider: Annotated[str, Field(description="Name of the provider that answered.")]
    hints: Annotated[
        ZeroResultHints | None, Field(description="Present if nothing was found: likely reasons and what to try next.")
    ] = None
    warnings: list[str] | None = None
    trust: Trust = TRUST

    def markdown(self) -> str:
        lines = [f"{self.result_count} studies of {self.provider} for: {self.query or 'the given fields'}"]
        for number, trial in enumerate(self.trials, 1):
            lines += [f"{number}. {trial.title} ({trial.nct_id})", f"   {trial.url}", f"   {_summary(trial)}"]
        return format_listing(lines, self)

    def sources(self) -> list[Source]:
        return [
            Source(url=trial.url, title=trial.title, author=trial.sponsor, date=trial.start_date, relevance="search")
            for trial in self.trials
        ]

    def is_empty(self) -> bool:
        return not self.trials


@tool(cache=timedelta(hours=6), toolsets=("research", "records"))
async def clinical_search(ask: ClinicalSearchInput, ctx: Context) -> ClinicalSearchOutput:
    """Search ClinicalTrials.gov for studies by words, condition, intervention or sponsor: status, phases,
    start, and whether results are posted. Evidence, not medical advice. Untrusted data."""
    from assay.records.trial_phases import extract_phase

    question = TrialQuery.model_validate(ask.model_dump(include=set(TrialQuery.model_fields), exclude_none=True))
    found = await ctx.search.run_operation("trials", extract_phase(question), provider=ask.provider)
    ctx.meta |= found.meta()
    applied = {field: getattr(ask, field) for field in FILTERS if ask.query or field in ("status", "phase")}
    return ClinicalSearchOutput(
        trials=found.hits,
        query=ask.query,
        result_count=len(found.hits),
        provider=found.provider,
        hints=None if found.hits else await find_hints(ctx.search, "trials", found, applied),
        warnings=found.warnings or None,
    )


def _summary(trial: Trial) -> str:
    parts = [
        trial.status,
        "/".join(trial.phases),
        f"from {trial.start_date}" if trial.start_date else None,
        trial.sponsor,
        ", ".join(trial.conditions[:3]),
        ", ".join(trial.interventions[:3]),
        "results posted" if trial.has_results else "no results posted",
    ]
    return " · ".join(part for part in parts if part)
