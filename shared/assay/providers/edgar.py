"""SEC EDGAR: filings of US companies, XBRL figures and full-text search.

Documentation: https://www.sec.gov/search-filings/edgar-application-programming-interfaces
Authentication: none, but the User-Agent must contain a contact address (EDGAR_CONTACT_EMAIL).
Limits: 10 requests a second; above that, 403 for ten minutes. Full-text search covers filings since 2001.
"""

import asyncio
import json
import re
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from itertools import batched
from typing import Any, ClassVar

from assay.errors import Blocked, NotFound, RateLimited, ToolError, UpstreamFailed
from assay.models.filings import Filing, FilingQuery, Sought, form_type_names
from assay.net.provider_client import AGENT, ProviderClient, ProviderResponse
from assay.provider_base.parsing.edgar import address, columns, digits, parse_listed_filing, parse_matched_filing
from assay.provider_base.parsing.patent_fields import day
from assay.provider_base.parsing.xbrl import headlines
from assay.provider_base.provider import FILING_FIELDS, Provider
from assay.provider_base.results import Hits, get_path, rows, usable_results
from assay.settings import Settings
from assay.text.plain_text import plain

WWW, EFTS = "https://www.sec.gov", "https://efts.sec.gov"
EMAIL = re.compile(r"[\w.+-]+@[\w-]+(\.[\w-]+)+", re.ASCII)
PACE = 0.1  # seconds: ten requests a second are allowed, all processes together
BLOCKED_FOR = 600  # seconds that too many requests are answered with 403
CAP, FACTS_CAP = 12 * 1024 * 1024, 48 * 1024 * 1024
OLDER = re.compile(r"CIK\d{10}-submissions-\d{3,4}\.json")
SIDE_BY_SIDE, MOST_OLDER = 3, 24  # older files at a time after the first, and in all
EARLIEST = "2001-01-01"  # of what full text search knows


class Edgar(Provider):
    """Its three hosts are one where `EDGAR_BASE_URL` says so."""

    name = "edgar"
    address = "https://data.sec.gov"
    key_name = "EDGAR_CONTACT_EMAIL"
    variables = ((key_name,), ("OPENALEX_EMAIL",))
    supported_filters: ClassVar = {"filings": FILING_FIELDS}

    def __init__(self, http: ProviderClient, settings: Settings, *, clock: Callable[[], float] = time.time) -> None:
        super().__init__(http, settings, clock=clock)
        self.min_interval = PACE
        elsewhere = self.base_url != self.address
        self.www, self.efts = (self.base_url,) * 2 if elsewhere else (WWW, EFTS)

    @classmethod
    def is_configured(cls, settings: Settings) -> bool:
        return bool(EMAIL.fullmatch(_contact(settings)))

    def headers(self) -> Mapping[str, str]:
        """Whoever does not say how to be reached is shut out."""
        return {"User-Agent": f"{AGENT} ({_contact(self.settings)})"}

    async def wait_for_slot(self) -> None:
        """Each request waits for its own turn, since one question may take several."""

    async def filings(self, ask: FilingQuery) -> Hits[Filing]:
        """The filings of a company that is known, its figures, or, without one, filings whose text matches."""
        sought = Sought.model_validate(ask.model_dump())
        if sought.cik and sought.facts:
            return await self._figures(sought)
        if sought.cik and not sought.query:
            return await self._list_filings(sought)
        return await self._full_text(sought)

    async def tickers(self) -> list[tuple[str, str, str]]:
        """Every listed company as (ten digits of its CIK, ticker, name)."""
        return await self.readable(self._tickers())

    async def _tickers(self) -> list[tuple[str, str, str]]:
        answer = (await self._got("/files/company_tickers.json", host=self.www)).body
        if not isinstance(answer, Mapping):
            raise TypeError("this is no list of companies")
        companies = [
            (cik, ticker.upper(), name)
            for row in answer.values()
            if (cik := digits(get_path(row, "cik_str")))
            and isinstance(ticker := get_path(row, "ticker"), str)
            and (name := plain(get_path(row, "title"), 200))
        ]
        if not companies:
            raise ValueError("there is no company in the list")
        return companies

    async def _list_filings(self, ask: Sought) -> Hits[Filing]:
        """Newest first: the recent block, and older files as far back as is needed."""
        try:
            answer = (await self._got(f"/submissions/CIK{ask.cik}.json", may_lack=True)).body
        except NotFound:
            return Hits([], warnings=[f"EDGAR has no filer under CIK {ask.cik}."])
        company = plain(answer.get("name"), 200) or f"CIK {ask.cik}"
        recent = get_path(answer, "filings", "recent")
        if not isinstance(recent, Mapping):
            raise TypeError("this is no list of filings")
        found = [row for row in columns(recent) if _matches_form_type(row, ask)]
        older = [file for file in rows(answer, "filings", "files") if _may_hold(file, ask)]
        warnings: list[str] = []
        if len(found) < ask.num_results and older:
            found += await self._older(older, ask, ask.num_results - len(found), warnings)
        hits = (parse_listed_filing(row, company, str(ask.cik)) for row in found[: ask.num_results])
        return usable_results(hits, self.name, warnings=warnings)

    async def _older(
        self, files: list[Mapping[str, Any]], ask: Sought, missing: int, warnings: list[str]
    ) -> list[dict[str, Any]]:
        """What older files hold of it, a few files at a time until enough is found."""
        files = sorted(files, key=lambda file: str(file.get("filingTo")), reverse=True)
        if len(files) > MOST_OLDER:
            warnings.append(f"EDGAR: only the latest {MOST_OLDER} of {len(files)} older files were looked through.")
        found: list[dict[str, Any]] = []
        batches = [files[:1], *batched(files[1:MOST_OLDER], SIDE_BY_SIDE, strict=False)]
        for batch in batches:
            answers = await asyncio.gather(*(self._got(f"/submissions/{file['name']}") for file in batch))
            for got in answers:
                found += [row for row in columns(got.body) if _matches_form_type(row, ask)]
            if len(found) >= missing:
                break
        return found

    async def _figures(self, ask: Sought) -> Hits[Filing]:
        """The headline figures, each as it was filed last."""
        try:
            got = await self._got(
                f"/api/xbrl/companyfacts/CIK{ask.cik}.json", may_lack=True, expect="bytes", cap=FACTS_CAP, seconds=30.0
            )
        except NotFound:
            return Hits([], warnings=[f"EDGAR has no XBRL figures under CIK {ask.cik}."])
        answer = await asyncio.to_thread(exact, got.body)
        if not isinstance(answer.get("facts"), Mapping):
            raise TypeError("these are no facts of a company")
        company = plain(answer.get("entityName"), 200) or f"CIK {ask.cik}"
        found = headlines(
            answer["facts"], form=ask.form_type, since=ask.date_from or "", until=ask.date_to or "9999-12-31"
        )
        return Hits(
            Filing(
                company=company,
                cik=str(ask.cik),
                form_type=figure.form,
                filing_date=figure.filed,
                period_of_report=figure.end,
                period_start=figure.start,
                accession=figure.accession,
                url=address(str(ask.cik), figure.accession),
                description=figure.label,
                source=self.name,
                concept=figure.concept,
                unit=figure.unit,
                value=figure.value,
            )
            for figure in found[: ask.num_results]
        )

    async def _full_text(self, ask: Sought) -> Hits[Filing]:
        today = datetime.fromtimestamp(self.clock(), UTC).date().isoformat()
        dated = ask.date_from or ask.date_to
        params = {
            "q": ask.query,
            "forms": ",".join(form_type_names(ask.form_type.partition("/")[0]))
            if ask.form_type
            else None,  # amendments included
            "ciks": ask.cik,
            "dateRange": "custom" if dated else None,
            "startdt": (ask.date_from or EARLIEST) if dated else None,
            "enddt": (ask.date_to or today) if dated else None,
        }
        got = await self._got("/LATEST/search-index", host=self.efts, params=params)
        self.expect_fields(got.body, "hits")
        warnings = [] if not ask.date_from or ask.date_from >= EARLIEST else [f"Full text begins {EARLIEST}."]
        found = usable_results(
            (parse_matched_filing(row, ask.cik) for row in rows(got.body, "hits", "hits")), self.name, warnings=warnings
        )
        forms = form_type_names(ask.form_type or "")
        wanted = [hit for hit in found if not ask.form_type or hit.form_type.upper() in forms]
        filings = {hit.accession: hit for hit in reversed(wanted)}  # of a filing's documents the best one
        return Hits(list(reversed(filings.values()))[: ask.num_results], warnings=found.warnings)

    async def _got(self, path: str, *, host: str = "", may_lack: bool = False, **given: Any) -> ProviderResponse:
        """What is at the path. NotFound only of what EDGAR may lack; anything else that is not there is an outage."""
        await super().wait_for_slot()
        try:
            return await self.exchange("GET", path, base=host or self.base_url, **{"cap": CAP, **given})
        except NotFound as missing:
            if may_lack:
                raise
            raise UpstreamFailed("edgar no longer has what it always had.", provider=self.name) from missing

    def refusal(self, got: ProviderResponse) -> ToolError | None:
        """A 403 is a page that says why; S3 behind it says so of files it does not have."""
        text = got.body.lower() if isinstance(got.body, str) and got.status == 403 else ""
        if "undeclared automated tool" in text:
            return Blocked(
                f"edgar wants to know who asks. Set {self.key_name} to an address that is read.", provider=self.name
            )
        if "threshold exceeded" in text or "rate limit" in text:
            return RateLimited(
                f"edgar wants fewer requests. Wait {BLOCKED_FOR} seconds.",
                provider=self.name,
                retry_after=BLOCKED_FOR,
            )
        return super().refusal(got)


def exact(body: bytes) -> Any:
    """The JSON with its numbers as the text they are, so that nothing is rounded."""
    return json.loads(body, parse_float=str, parse_int=str)


def _contact(settings: Settings) -> str:
    return settings.key("EDGAR_CONTACT_EMAIL") or settings.key("OPENALEX_EMAIL")


def _matches_form_type(row: Mapping[str, Any], ask: Sought) -> bool:
    filed, kind = day(row.get("filingDate")) or "", row.get("form")
    if (ask.date_from and filed < ask.date_from) or (ask.date_to and (not filed or filed > ask.date_to)):
        return False
    return not ask.form_type or (isinstance(kind, str) and kind.upper() in form_type_names(ask.form_type))


def _may_hold(file: Mapping[str, Any], ask: Sought) -> bool:
    """Whether an older file may hold filings of the days asked for; its name is checked, for it becomes an address."""
    name, first, last = file.get("name"), day(file.get("filingFrom")), day(file.get("filingTo"))
    if not isinstance(name, str) or not OLDER.fullmatch(name):
        return False
    return not ((ask.date_from and last and last < ask.date_from) or (ask.date_to and first and first > ask.date_to))
