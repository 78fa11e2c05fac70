"""European Patent Office, Open Patent Services (OPS) 3.2: patent search.

Documentation: https://www.epo.org/en/searching-for-patents/data/web-services/ops
Authentication: OAuth 2.0 client credentials, EPO_OPS_CONSUMER_KEY and EPO_OPS_CONSUMER_SECRET.
Limits: 100 results a request, ten terms of one kind in a query; hourly and weekly quotas. The header
X-Throttling-Control states the permitted requests a minute.
"""

import base64
import re
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar

from assay.errors import AuthRequired, NotFound, RateLimited, ToolError, UpstreamFailed
from assay.models.patents import Patent, PatentQuery
from assay.net.access_token import IssuedToken, Token
from assay.net.provider_client import ONCE, ProviderClient, ProviderResponse
from assay.provider_base.parsing.patent_fields import (
    build_patent,
    choose_first_name,
    filter_by_filing_year,
    parse_day,
    strip_legal_form,
)
from assay.provider_base.parsing.patent_numbers import build_number, parse_number
from assay.provider_base.provider import PATENT_FIELDS, Provider
from assay.provider_base.results import Hits, as_count, usable_results
from assay.settings import Settings
from assay.text.safe_xml import parse_xml
from assay.text.stopwords import QUERY_WORDS

SECRET = "EPO_OPS_CONSUMER_SECRET"  # noqa: S105  # the name of the variable
DEFAULT_TOKEN_SECONDS = 300.0  # if the answer does not state the lifetime
MAX_WORDS = 10  # the service accepts ten terms of one kind
WORD = re.compile(r'"([^"]+)"|([^\s"()]+)')
PUBLICATION_YEARS = 3  # nearly all applications are published within this time
QUOTAS = {"IndividualQuotaPerHour": 3600, "RegisteredQuotaPerWeek": 3600}
TRAFFIC = re.compile(r"\bsearch=(green|yellow|red|black):(\d{1,5})")  # and requests a minute
EXPIRED = re.compile(r"invalid_access_token|access token (?:has )?expired|InvalidAccessToken", re.IGNORECASE)
OPERATORS = frozenset({"and", "or", "not"})
MAX_RESULTS = 100


class Epo(Provider):
    name = "epo"
    address = "https://ops.epo.org/3.2"
    key_name = "EPO_OPS_CONSUMER_KEY"
    variables = ((key_name, SECRET),)
    supported_filters: ClassVar = {"patents": PATENT_FIELDS}
    max_results: ClassVar = {"patents": MAX_RESULTS}

    def __init__(self, http: ProviderClient, settings: Settings, *, clock: Callable[[], float] = time.time) -> None:
        super().__init__(http, settings, clock=clock)
        self.token = Token(self._issue_token, clock)

    async def patents(self, query: PatentQuery) -> Hits[Patent]:
        """Patents with all words in title or abstract. The filing years are filtered here."""
        question, warnings = build_cql(query, datetime.fromtimestamp(self.clock(), UTC).year)
        wanted = self.count("patents", query)
        count = MAX_RESULTS if query.year_from or query.year_to else wanted
        try:
            body = await self._search_xml(question, count)
        except NotFound:
            return Hits([], warnings=warnings)  # no match
        found = usable_results(
            (_parse_patent(document) for document in self._parse_documents(body)), self.name, warnings=warnings
        )
        return Hits(filter_by_filing_year(found, query.year_from, query.year_to)[:wanted], warnings=found.warnings)

    async def _search_xml(self, question: str, count: int) -> bytes:
        """The answer as XML. If the token was revoked early, one new token is requested."""
        token = await self.token.get()
        try:
            return await self._search(question, count, token)
        except AuthRequired:
            self.token.invalidate(token)
            return await self._search(question, count, await self.token.get())

    async def _search(self, question: str, count: int, token: str) -> bytes:
        response = await self.exchange(
            "GET",
            "/rest-services/published-data/search/biblio",
            params={"q": question},
            headers={"Authorization": f"Bearer {token}", "Accept": "application/xml", "X-OPS-Range": f"1-{count}"},
            expect="bytes",
        )
        self._adopt_rate(response.headers.get("x-throttling-control", ""))
        body: bytes = response.body
        return body

    def _adopt_rate(self, control: str) -> None:
        """Adopt the request rate in X-Throttling-Control; with the state green there is no limit."""
        match = TRAFFIC.search(control)
        if match and int(match[2]):
            self.min_interval = 0.0 if match[1] == "green" else 60 / int(match[2])

    async def _issue_token(self) -> IssuedToken:
        pair = base64.b64encode(f"{self.key}:{self.settings.key(SECRET)}".encode()).decode()
        response = await self.exchange(
            "POST",
            "/auth/accesstoken",
            form={"grant_type": "client_credentials"},
            headers={"Authorization": f"Basic {pair}", "Accept": "application/json"},
            refusal=self._to_token_error,
            tries=ONCE,
        )
        token = response.body.get("access_token")
        if not isinstance(token, str) or not token.isascii() or not token.isprintable() or not token:
            raise TypeError("access_token is not a printable string")
        seconds = response.body.get("expires_in")
        lifetime = int(seconds) if isinstance(seconds, str) and seconds.isdecimal() else as_count(seconds)
        return IssuedToken(token, float(lifetime) if lifetime and lifetime > 0 else DEFAULT_TOKEN_SECONDS)

    def _to_token_error(self, response: ProviderResponse) -> ToolError | None:
        if response.status in (400, 401):
            return AuthRequired(
                f"epo rejected the credentials. Check {self.key_name} and {SECRET}.", provider=self.name
            )
        if response.status == 404:
            return UpstreamFailed("epo no longer issues tokens at this address (HTTP 404).", provider=self.name)
        return self.refusal(response)

    def refusal(self, response: ProviderResponse) -> ToolError | None:
        """A 403 with X-Rejection-Reason is a quota, a 400 can be an expired token, a 404 without HTML is no match."""
        reason = response.headers.get("x-rejection-reason", "")
        if response.status == 403 and (reason or "search=black" in response.headers.get("x-throttling-control", "")):
            wait = QUOTAS.get(reason, 60)
            return RateLimited(
                f"epo: the quota is used up. Wait {wait} seconds, or use another provider.",
                provider=self.name,
                retry_after=wait,
            )
        text = response.body if isinstance(response.body, str) else ""
        if response.status == 400 and EXPIRED.search(text or str(response.body)):
            return AuthRequired("epo rejected the access token. Check the API key.", provider=self.name)
        if response.status == 404 and "<html" in text.lower():
            return UpstreamFailed("epo returned an HTML page instead of patents.", provider=self.name)
        return super().refusal(response)

    def _parse_documents(self, body: bytes) -> list[Any]:
        try:
            root = parse_xml(body, "answer of epo")
        except UpstreamFailed as wrong:
            raise UpstreamFailed("epo returned an answer that is not XML.", provider=self.name) from wrong
        if _local_name(root) != "world-patent-data":
            raise TypeError("the root element is not world-patent-data")
        return list(root.iterfind(".//{*}exchange-document"))


def build_cql(query: PatentQuery, year: int) -> tuple[str, list[str]]:
    """The query in CQL, and warnings. Words are quoted, so that they are not read as operators.

    The service cannot filter by filing date. The publication date is used instead, with a margin: a patent is
    published after its filing, and nearly always within PUBLICATION_YEARS.
    """
    clauses, warnings = [], []
    number = parse_number(query.query or "")
    if number:
        clauses.append(f"pn={number.office}{number.docdb}")
    else:
        words, cut = _split_query(query.query or "")
        clauses += [f'ta="{word}"' for word in words]
        warnings += [f"epo accepts {MAX_WORDS} words; the others were left out."] if cut else []
    names: Mapping[str, str | None] = {"pa": query.assignee and strip_legal_form(query.assignee), "in": query.inventor}
    clauses += [f'{index}="{_clean_term(name)}"' for index, name in names.items() if name and _clean_term(name)]
    if query.patent_office != "all" and not number:
        clauses.append(f"pn={query.patent_office}")
    if query.cpc_code:
        clauses.append(f'cpc="{query.cpc_code}"')
    if query.year_from or query.year_to:
        until = min((query.year_to or year) + PUBLICATION_YEARS, max(year, query.year_from or 0))
        clauses.append(f'pd within "{query.year_from or 1790}0101 {until}1231"')
    return " and ".join(clauses), warnings


def _split_query(query: str) -> tuple[list[str], bool]:
    """At most ten words and quoted phrases, without stop words; and whether some were left out."""
    terms = [_clean_term(phrase or word) for phrase, word in WORD.findall(query)]
    words = list(dict.fromkeys(word for word in terms if word and word.lower() not in OPERATORS))
    specific = [word for word in words if word.lower() not in QUERY_WORDS["en"]] or words
    return specific[:MAX_WORDS], len(specific) > MAX_WORDS


def _clean_term(text: str) -> str:
    return " ".join(re.sub(r'["\\*?#]', " ", text).split()).strip(" ,;:")


def _parse_patent(document: Any) -> Patent | None:
    """The patent of an `exchange-document`. Its publication date is the grant date only if the kind code says so."""
    number = build_number(
        (document.get("country") or "").strip(), (document.get("doc-number") or "").strip(), document.get("kind") or ""
    )
    if not number.office or not number.digits:
        return None
    published = parse_day(_get_text(document, ".//{*}publication-reference/{*}document-id/{*}date"))
    return build_patent(
        _pick_english(document.iterfind(".//{*}invention-title")),
        number,
        abstract=_pick_english(document.iterfind("./{*}abstract")),
        assignee=_parse_party(document, "applicant"),
        inventor=_parse_party(document, "inventor"),
        filed=_get_text(document, ".//{*}application-reference/{*}document-id/{*}date"),
        published=published,
        granted=published if number.is_grant else None,
    )


def _parse_party(document: Any, role: str) -> str | None:
    """The first party of the role, in the original spelling if present."""
    found = list(document.iterfind(f".//{{*}}{role}"))
    found.sort(key=lambda party: (party.get("data-format") != "original", _parse_sequence(party)))
    return choose_first_name(_get_text(party, f".//{{*}}{role}-name/{{*}}name") for party in found)


def _parse_sequence(party: Any) -> int:
    sequence = party.get("sequence") or ""
    return int(sequence) if sequence.isdecimal() else 10_000


def _pick_english(elements: Iterator[Any]) -> str:
    """The English text, else the first in any language."""
    texts = [((one.get("lang") or "").lower(), " ".join("".join(one.itertext()).split())) for one in elements]
    texts = [(language, text) for language, text in texts if text]
    return next((text for language, text in texts if language == "en"), texts[0][1] if texts else "")


def _get_text(element: Any, path: str) -> str | None:
    return next((text for one in element.iterfind(path) if (text := (one.text or "").strip())), None)


def _local_name(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]
