"""Identification of the company in a filing query, by ticker, CIK or name, with EDGAR's list of companies."""

import re
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from assay.errors import ToolError
from assay.models.filings import Company, FilingQuery, Sought, normalise_form
from assay.state.cache import Cache
from assay.state.json_documents import Document
from assay.state.single_flight import SingleFlight
from assay.text.word_lists import parse_words

FRESH_FOR, CACHE_TTL, RETRY_PAUSE = timedelta(hours=24), timedelta(days=30), timedelta(minutes=5)
KEY = "everyone/filers/1"  # increment the number when the stored format changes
WORD = re.compile(r"[^\W_]+")
STATE = re.compile(r"/[A-Z ]{2,10}/?")  # `ACME CORP /DE/`
QUOTED = re.compile(r'"')
CIK = re.compile(r"(?:CIK[\s#:]*)?(\d{1,10})", re.IGNORECASE)
TICKER = re.compile(r"\$?[A-Za-z0-9]{1,6}(?:[.-][A-Za-z0-9]{1,3})?")
FORM = re.compile(  # `8K` alone may mean a screen, `Form 8K` does not
    r"\b(?:form\s+(\d{1,3}-?[A-Z]{0,3}|[A-Z]{1,3}[ -]?\d{1,2}[A-Z]?)|"
    r"(10-[KQ]|8-K|20-F|6-K|40-F|11-K|S-[134]|F-1|DEF 14A|13F(?:-HR)?|SC 13[DG]))(/A)?(?![\w-])",
    re.IGNORECASE,
)
IGNORED_WORDS = parse_words(
    "annual report reports filing filings proxy earnings financial statement statements the for of and inc "
    "incorporated corp corporation co company companies ltd limited llc lp plc sa nv ag se quarterly latest recent sec "
    "edgar form"
)
OPTIONAL_WORDS = parse_words("group holdings holding com trust bancorp")  # often omitted from a company's name


class InterpretedQuery(NamedTuple):
    """A filing query as it was interpreted, with notices about that. `company` is None if it names no company."""

    ask: Sought
    company: Company | None
    notices: list[str]


type Fetch = Callable[[], Awaitable[Iterable[tuple[str, str, str]]]]


class Filers:
    """Companies by ticker and by name."""

    def __init__(self, document: Document) -> None:
        self._tickers, self._names = document["tickers"], document["names"]

    def by_ticker(self, ticker: str) -> Company | None:
        return _to_company(self._tickers.get(ticker))

    def by_name(self, text: str) -> Company | None:
        """The company with exactly this name, else the shortest name that starts with it.

        If the text has several words, the rest of that name may consist of OPTIONAL_WORDS only.
        """
        name = normalise_name(text)
        if not name or name in self._names:
            return _to_company(self._names.get(name))
        candidates = [known for known in self._names if known.startswith(f"{name} ")]
        if " " in name:
            candidates = [known for known in candidates if OPTIONAL_WORDS.issuperset(known.removeprefix(name).split())]
        return _to_company(self._names[min(candidates, key=len)]) if candidates else None


async def load_filers(
    cache: Cache, flights: SingleFlight, clock: Callable[[], float], fetch: Fetch
) -> tuple[Filers, list[str]]:
    """EDGAR's list of companies, at most a day old; an older one, with a notice, if the refresh fails.

    Raises what `fetch` raises if there is no stored list.
    """
    entry = await cache.get(KEY)
    if entry and (clock() - entry.stored < FRESH_FOR.total_seconds() or await cache.get(f"{KEY}/patient")):
        return Filers(entry.document), _measure_age(entry.stored, clock())

    async def refresh() -> Document:
        document = _to_document(await fetch())
        await cache.put(KEY, document, CACHE_TTL)
        return document

    try:
        return Filers(await flights.run(KEY, refresh)), []
    except ToolError:
        if entry is None:
            raise
        await cache.put(f"{KEY}/patient", {}, RETRY_PAUSE)
        return Filers(entry.document), _measure_age(entry.stored, clock())


def normalise_name(text: str) -> str:
    """A company name for comparison: lower case, without punctuation, legal forms and generic words."""
    return " ".join(word for word in WORD.findall(STATE.sub(" ", text).casefold()) if word not in IGNORED_WORDS)


def needs_list(query: FilingQuery) -> bool:
    """Whether EDGAR's list of companies is needed; it is not for a CIK or for quoted text."""
    return bool(query.ticker) or not (_parse_cik(query.query or "") or QUOTED.search(query.query or ""))


def interpret(query: FilingQuery, known: Filers | None) -> InterpretedQuery:
    """The company, the form and the remaining words of a query. `known` is None if the list is not available."""
    text, found_form = _split_form(query.query or "")
    fields = query.model_dump() | {"form_type": query.form_type or found_form}
    company, notices = _identify_company(query, text, known), []
    if query.ticker and company is None:
        notices.append(f"EDGAR lists no company with the ticker {query.ticker}.")
    words = text if query.ticker and normalise_name(text) and known and _find_company(text, known) is None else None
    if company is None:
        return InterpretedQuery(
            Sought(**fields | {"query": text or query.query, "ticker": query.ticker}), None, notices
        )
    if not query.ticker and not _parse_cik(query.query or "") and not (known and _is_unambiguous(text, company, known)):
        notices.append(
            f'The query was interpreted as the company {company.name}; use "quotes" to search the text of filings.'
        )
    return InterpretedQuery(Sought(**fields | {"query": words, "cik": company.cik}), company, notices)


def _identify_company(query: FilingQuery, text: str, known: Filers | None) -> Company | None:
    if query.ticker:
        return known.by_ticker(query.ticker) if known else None
    if cik := _parse_cik(query.query or ""):
        return Company(cik=cik, name=f"CIK {cik}")
    return _find_company(text, known) if known and not QUOTED.search(text) else None


def _find_company(text: str, known: Filers) -> Company | None:
    """The company by CIK, ticker or name. A ticker may be accompanied by generic words only."""
    specific = " ".join(word for word in text.split() if normalise_name(word))
    if cik := _parse_cik(specific):
        return Company(cik=cik, name=f"CIK {cik}")
    if TICKER.fullmatch(specific) and (company := known.by_ticker(_parse_ticker(specific))):
        return company
    return known.by_name(text)


def _is_unambiguous(text: str, company: Company, known: Filers) -> bool:
    """Whether the text can only mean the company: its full name, or its ticker in capitals."""
    return normalise_name(text) == normalise_name(company.name) or (
        text == text.upper() and known.by_ticker(_parse_ticker(text)) == company
    )


def _parse_ticker(text: str) -> str:
    return text.removeprefix("$").upper().replace(".", "-")


def _parse_cik(text: str) -> str | None:
    """The CIK with leading zeros (ten digits); None if the text is not a CIK."""
    found = CIK.fullmatch(text.strip())
    return found[1].zfill(10) if found and found[1].strip("0") else None


def _split_form(text: str) -> tuple[str, str | None]:
    """The text without the form type that it names, and that form type."""
    found = FORM.search(text)
    if found is None or QUOTED.search(text):
        return text, None
    rest = " ".join((text[: found.start()] + " " + text[found.end() :]).split()).strip(" ,;:")
    form_type = normalise_form((found[1] or found[2]) + (found[3] or ""))
    return rest, "13F-HR" if form_type == "13F" else form_type


def _to_document(companies: Iterable[tuple[str, str, str]]) -> Document:
    """The companies by ticker and by name. The first of several with the same name counts: EDGAR sorts by size."""
    tickers: dict[str, list[str]] = {}
    names: dict[str, list[str]] = {}
    for cik, ticker, name in companies:
        tickers.setdefault(ticker, [cik, name])
        if short := normalise_name(name):
            names.setdefault(short, [cik, name])
    return {"tickers": tickers, "names": names}


def _to_company(row: list[str] | None) -> Company | None:
    return Company(cik=row[0], name=row[1]) if row else None


def _measure_age(stored: float, now: float) -> list[str]:
    if now - stored < FRESH_FOR.total_seconds():
        return []
    day = datetime.fromtimestamp(stored, UTC).date()
    return [f"EDGAR's list of companies could not be refreshed; this one is from {day}."]
