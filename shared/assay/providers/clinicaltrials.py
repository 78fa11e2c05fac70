"""ClinicalTrials.gov: the register of clinical studies of the US National Institutes of Health.

Documentation: https://clinicaltrials.gov/data-api/api
Authentication: none.
Limits: 100 studies a request here. Errors are plain text.
"""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from assay.errors import NotFound, Refused, ToolError
from assay.models.public_records import Phased, Trial, TrialQuery
from assay.net.error_bodies import detect_web_page
from assay.net.provider_client import ProviderResponse
from assay.provider_base.parsing.periods import parse_span
from assay.provider_base.provider import Provider
from assay.provider_base.results import Hits, get_path, get_rows, usable_results
from assay.text.plain_text import to_plain_text

FIELDS = "NCTId|BriefTitle|OverallStatus|Phase|Condition|InterventionName|LeadSponsorName|StartDate|HasResults"
ID = re.compile(r"NCT\d{8}", re.IGNORECASE | re.ASCII)
NUMBERS = {"EARLY_PHASE1": "0", "PHASE1": "1", "PHASE2": "2", "PHASE3": "3", "PHASE4": "4"}
MAX_ITEMS = 50  # conditions or interventions of one study


class ClinicalTrials(Provider):
    name = "clinicaltrials"
    address = "https://clinicaltrials.gov"
    max_results: ClassVar = {"trials": 100}
    supported_filters: ClassVar = {
        "trials": frozenset({"condition", "intervention", "sponsor", "status", "phase", "num_results"})
    }

    def refusal(self, response: ProviderResponse) -> ToolError | None:
        """Errors in a query (400) are explained in plain text."""
        if response.status != 400 or not isinstance(response.body, str):
            return detect_web_page(self.name, response) or super().refusal(response)
        return Refused(
            f"clinicaltrials: {to_plain_text(response.body, 300) or 'the query was rejected'}", provider=self.name
        )

    async def trials(self, query: TrialQuery) -> Hits[Trial]:
        """Studies that match, best match first."""
        phases = query.phases if isinstance(query, Phased) and query.phases else (query.phase,) if query.phase else ()
        number = ID.fullmatch(query.query or "")
        params = {
            "format": "json",
            "pageSize": query.num_results,
            "fields": FIELDS,
            "query.term": None if number else query.query,
            "filter.ids": number[0].upper() if number else None,
            "query.cond": query.condition,
            "query.intr": query.intervention,
            "query.spons": query.sponsor,
            "filter.overallStatus": query.status,
            "aggFilters": f"phase:{' '.join(NUMBERS[phase] for phase in phases)}" if phases else None,
        }
        try:
            answer = await self.get("/api/v2/studies", **params)
        except NotFound:
            return Hits()
        listed = get_rows({"found": answer["studies"]}, "found")
        found = usable_results((_parse_trial(row) for row in listed), self.name)
        return Hits(found[: query.num_results], more=bool(answer.get("nextPageToken")), warnings=found.warnings)


def _parse_trial(row: Mapping[str, Any]) -> Trial | None:
    about = row.get("protocolSection")
    number = to_plain_text(get_path(about, "identificationModule", "nctId"), 20)
    title = to_plain_text(get_path(about, "identificationModule", "briefTitle"), 500)
    if not ID.fullmatch(number) or not title:
        return None
    start = to_plain_text(get_path(about, "statusModule", "startDateStruct", "date"), 20)
    treatments = get_path(about, "armsInterventionsModule", "interventions")
    names = [get_path(one, "name") for one in treatments] if isinstance(treatments, list) else []
    return Trial(
        nct_id=number.upper(),
        title=title,
        status=to_plain_text(get_path(about, "statusModule", "overallStatus"), 60) or None,
        phases=_get_texts(get_path(about, "designModule", "phases")),
        conditions=_get_texts(get_path(about, "conditionsModule", "conditions")),
        interventions=_get_texts(names),
        sponsor=to_plain_text(get_path(about, "sponsorCollaboratorsModule", "leadSponsor", "name"), 300) or None,
        start_date=start if parse_span(start) else None,
        has_results=row.get("hasResults") is True,
        url=f"https://clinicaltrials.gov/study/{number.upper()}",
        source="clinicaltrials",
    )


def _get_texts(value: Any) -> list[str]:
    listed = value if isinstance(value, list) else []
    return list(dict.fromkeys(text for one in listed[:MAX_ITEMS] if (text := to_plain_text(one, 300))))
