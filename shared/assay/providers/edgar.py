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
from assay.models.filings import Filing, FilingQuery, Sought, list_form_names
from assay.net.provider_client import AGENT, ProviderClient, ProviderResponse
from assay.provider_base.parsing.edgar import (
    build_document_url,
    normalise_cik,
    parse_filing_rows,
    parse_listed_filing,
    parse_matched_filing,
)
from assay.provider_base.parsing.patent_fields import parse_day
from assay.provider_base.parsing.xbrl import select_headlines
from assay.provider_base.provider import FILING_FIELDS, Provider
from assay.provider_base.results import Hits, get_path, get_rows, usable_results
from assay.settings import Settings
from assay.state.concurrent_map import map_concurrently
from assay.text.plain_text import to_plain_text

WWW, EFTS = "https://www.sec.gov", "https://efts.sec.gov"
EMAIL = re.compile(r"[\w.+-]+@[\w-]+(\.[\w-]+)+", re.ASCII)
MIN_INTERVAL = 0.1  # seconds between requests of all processes together
BLOCKED_FOR = 600  # seconds of 403 after too many requests
CAP, FACTS_CAP = 12 * 1024 * 1024, 48 * 1024 * 1024
OLDER = re.compile(r"CIK\d{10}-submissions-\d{3,4}\.json")
MAX_CONCURRENT, MAX_OLDER_FILES = 3, 24
EARLIEST = "2001-01-01"  # start of full-text search


class Edgar(Provider):
    """EDGAR has three hosts; EDGAR_BASE_URL replaces all of them."""

    name = "edgar"
    address = "https://data.sec.gov"
    key_name = "EDGAR_CONTACT_EMAIL"
    variables = ((key_name,), ("OPENALEX_EMAIL",))
    supported_filters: ClassVar = {"filings": FILING_FIELDS}

    def __init__(self, http: ProviderClient, settings: Settings, *, clock: Callable[[], float] = time.time) -> None:
        super().__init__(http, settings, clock=clock)
        self.min_interval = MIN_INTERVAL
        elsewhere = self.base_url != self.address
        self.www, self.efts = (self.base_url,) * 2 if elsewhere else (WWW, EFTS)

    @classmethod
    def is_configured(cls, settings: Settings) -> bool:
        return bool(EMAIL.fullmatch(_find_contact(settings)))

    def headers(self) -> Mapping[str, str]:
        """EDGAR blocks clients without a contact address."""
        return {"User-Agent": f"{AGENT} ({_find_contact(self.settings)})"}

    async def wait_for_slot(self) -> None:
        """Does nothing: each request waits for its own slot in `_fetch`, since a query may take several requests."""

    async def filings(self, query: FilingQuery) -> Hits[Filing]:
        """The filings of a company, its figures (`facts`), or, without a company, filings found by full-text search."""
        sought = Sought.model_validate(query.model_dump())
        if sought.cik and sought.facts:
            return await self._fetch_figures(sought)
        if sought.cik and not sought.query:
            return await self._list_filings(sought)
        return await self._search_full_text(sought)

    async def tickers(self) -> list[tuple[str, str, str]]:
        """Every listed company as (CIK of ten digits, ticker, name)."""
        return await self.readable(self._fetch_tickers())

    async def _fetch_tickers(self) -> list[tuple[str, str, str]]:
        answer = (await self._fetch("/files/company_tickers.json", host=self.www)).body
        if not isinstance(answer, Mapping):
            raise TypeError("the answer is not an object of companies")
        companies = [
            (cik, ticker.upper(), name)
            for row in answer.values()
            if (cik := normalise_cik(get_path(row, "cik_str")))
            and isinstance(ticker := get_path(row, "ticker"), str)
            and (name := to_plain_text(get_path(row, "title"), 200))
        ]
        if not companies:
            raise ValueError("the list of companies is empty")
        return companies

    async def _list_filings(self, query: Sought) -> Hits[Filing]:
        """The filings, newest first, from the recent block and from as many older files as needed."""
        try:
            answer = (await self._fetch(f"/submissions/CIK{query.cik}.json", may_lack=True)).body
        except NotFound:
            return Hits([], warnings=[f"EDGAR has no filer under CIK {query.cik}."])
        company = to_plain_text(answer.get("name"), 200) or f"CIK {query.cik}"
        recent = get_path(answer, "filings", "recent")
        if not isinstance(recent, Mapping):
            raise TypeError("filings.recent is not an object")
        found = [row for row in parse_filing_rows(recent) if _matches_form_type(row, query)]
        older = [file for file in get_rows(answer, "filings", "files") if _may_hold(file, query)]
        warnings: list[str] = []
        if len(found) < query.num_results and older:
            found += await self._fetch_older(older, query, query.num_results - len(found), warnings)
        hits = (parse_listed_filing(row, company, str(query.cik)) for row in found[: query.num_results])
        return usable_results(hits, self.name, warnings=warnings)

    async def _fetch_older(
        self, files: list[Mapping[str, Any]], query: Sought, missing: int, warnings: list[str]
    ) -> list[dict[str, Any]]:
        """Matching filings from the older files, a few files at a time, until enough are found."""
        files = sorted(files, key=lambda file: str(file.get("filingTo")), reverse=True)
        if len(files) > MAX_OLDER_FILES:
            warnings.append(f"EDGAR: only the latest {MAX_OLDER_FILES} of {len(files)} older files were searched.")
        found: list[dict[str, Any]] = []
        batches = [files[:1], *batched(files[1:MAX_OLDER_FILES], MAX_CONCURRENT, strict=False)]
        for batch in batches:
            answers = await map_concurrently(lambda file: self._fetch(f"/submissions/{file['name']}"), batch)
            for response in answers:
                found += [row for row in parse_filing_rows(response.body) if _matches_form_type(row, query)]
            if len(found) >= missing:
                break
        return found

    async def _fetch_figures(self, query: Sought) -> Hits[Filing]:
        """The headline XBRL figures, each from its latest filing."""
        try:
            response = await self._fetch(
                f"/api/xbrl/companyfacts/CIK{query.cik}.json",
                may_lack=True,
                expect="bytes",
                cap=FACTS_CAP,
                seconds=30.0,
            )
        except NotFound:
            return Hits([], warnings=[f"EDGAR has no XBRL figures under CIK {query.cik}."])
        answer = await asyncio.to_thread(parse_exact, response.body)
        if not isinstance(answer.get("facts"), Mapping):
            raise TypeError("facts is not an object")
        company = to_plain_text(answer.get("entityName"), 200) or f"CIK {query.cik}"
        found = select_headlines(
            answer["facts"], form=query.form_type, since=query.date_from or "", until=query.date_to or "9999-12-31"
        )
        return Hits(
            Filing(
                company=company,
                cik=str(query.cik),
                form_type=figure.form,
                filing_date=figure.filed,
                period_of_report=figure.end,
                period_start=figure.start,
                accession=figure.accession,
                url=build_document_url(str(query.cik), figure.accession),
                description=figure.label,
                source=self.name,
                concept=figure.concept,
                unit=figure.unit,
                value=figure.value,
            )
            for figure in found[: query.num_results]
        )

    async def _search_full_text(self, query: Sought) -> Hits[Filing]:
        today = datetime.fromtimestamp(self.clock(), UTC).date().isoformat()
        dated = query.date_from or query.date_to
        params = {
            "q": query.query,
            "forms": ",".join(list_form_names(query.form_type.partition("/")[0]))
            if query.form_type
            else None,  # amendments included
            "ciks": query.cik,
            "dateRange": "custom" if dated else None,
            "startdt": (query.date_from or EARLIEST) if dated else None,
            "enddt": (query.date_to or today) if dated else None,
        }
        response = await self._fetch("/LATEST/search-index", host=self.efts, params=params)
        self.expect_fields(response.body, "hits")
        warnings = (
            []
            if not query.date_from or query.date_from >= EARLIEST
            else [f"Full-text search covers filings since {EARLIEST}."]
        )
        found = usable_results(
            (parse_matched_filing(row, query.cik) for row in get_rows(response.body, "hits", "hits")),
            self.name,
            warnings=warnings,
        )
        forms = list_form_names(query.form_type or "")
        matching = [hit for hit in found if not query.form_type or hit.form_type.upper() in forms]
        filings = {hit.accession: hit for hit in reversed(matching)}  # one hit per filing: its best document
        return Hits(list(reversed(filings.values()))[: query.num_results], warnings=found.warnings)

    async def _fetch(self, path: str, *, host: str = "", may_lack: bool = False, **options: Any) -> ProviderResponse:
        """The answer at the path. A 404 raises NotFound with `may_lack`, else UpstreamFailed."""
        await super().wait_for_slot()
        try:
            return await self.exchange("GET", path, base=host or self.base_url, **{"cap": CAP, **options})
        except NotFound as missing:
            if may_lack:
                raise
            raise UpstreamFailed(f"EDGAR no longer serves {path}.", provider=self.name) from missing

    def refusal(self, response: ProviderResponse) -> ToolError | None:
        """The reason of a 403 is in its page; missing files also get a 403, from S3."""
        text = response.body.lower() if isinstance(response.body, str) and response.status == 403 else ""
        if "undeclared automated tool" in text:
            return Blocked(
                f"EDGAR requires a contact address. Set {self.key_name} to a valid e-mail address.", provider=self.name
            )
        if "threshold exceeded" in text or "rate limit" in text:
            return RateLimited(
                f"edgar: the rate limit is exceeded. Wait {BLOCKED_FOR} seconds.",
                provider=self.name,
                retry_after=BLOCKED_FOR,
            )
        return super().refusal(response)


def parse_exact(body: bytes) -> Any:
    """The JSON with numbers as strings, so that nothing is rounded."""
    return json.loads(body, parse_float=str, parse_int=str)


def _find_contact(settings: Settings) -> str:
    return settings.key("EDGAR_CONTACT_EMAIL") or settings.key("OPENALEX_EMAIL")


def _matches_form_type(row: Mapping[str, Any], query: Sought) -> bool:
    filed, kind = parse_day(row.get("filingDate")) or "", row.get("form")
    if (query.date_from and filed < query.date_from) or (query.date_to and (not filed or filed > query.date_to)):
        return False
    return not query.form_type or (isinstance(kind, str) and kind.upper() in list_form_names(query.form_type))


def _may_hold(file: Mapping[str, Any], query: Sought) -> bool:
    """Whether an older file may contain filings in the date range. Its name becomes part of a URL."""
    name, first, last = file.get("name"), parse_day(file.get("filingFrom")), parse_day(file.get("filingTo"))
    if not isinstance(name, str) or not OLDER.fullmatch(name):
        return False
    return not (
        (query.date_from and last and last < query.date_from) or (query.date_to and first and first > query.date_to)
    )
