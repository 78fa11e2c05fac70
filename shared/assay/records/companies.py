"""Whose filings are meant: companies by ticker, number or name, from EDGAR's own list of them."""

import re
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from assay.errors import ToolError
from assay.models.filings import Company, FilingQuery, Sought, form
from assay.state.cache import Cache
from assay.state.json_documents import Document
from assay.state.single_flight import SingleFlight
from assay.text.word_lists import parse_words

FRESH, KEPT, PATIENT = timedelta(hours=24), timedelta(days=30), timedelta(minutes=5)
KEY = "everyone/filers/1"  # another shape of the list is another number
WORD = re.compile(r"[^\W_]+")
STATE = re.compile(r"/[A-Z ]{2,10}/?")  # `ACME CORP /DE/`
QUOTED = re.compile(r'"')
CIK = re.compile(r"(?:CIK[\s#:]*)?(\d{1,10})", re.IGNORECASE)
TICKER = re.compile(r"\$?[A-Za-z0-9]{1,6}(?:[.-][A-Za-z0-9]{1,3})?")
FORM = re.compile(  # `8K` alone may be a screen, `Form 8K` is none
    r"\b(?:form\s+(\d{1,3}-?[A-Z]{0,3}|[A-Z]{1,3}[ -]?\d{1,2}[A-Z]?)|"
    r"(10-[KQ]|8-K|20-F|6-K|40-F|11-K|S-[134]|F-1|DEF 14A|13F(?:-HR)?|SC 13[DG]))(/A)?(?![\w-])",
    re.IGNORECASE,
)
SMALL = parse_words(
    "annual report reports filing filings proxy earnings financial statement statements the for of and inc "
    "incorporated corp corporation co company companies ltd limited llc lp plc sa nv ag se quarterly latest recent sec "
    "edgar form"
)
LOOSE = parse_words("group holdings holding com trust bancorp")  # that people leave off a name


class FilingQuestion(NamedTuple):
    """What a question turned out to ask, and remarks on how it was read. `company` is None where none was meant."""

    ask: Sought
    company: Company | None
    remarks: list[str]


type Fetch = Callable[[], Awaitable[Iterable[tuple[str, str, str]]]]


class Filers:
    """Companies by ticker and by name."""

    def __init__(self, document: Document) -> None:
        self._tickers, self._names = document["tickers"], document["names"]

    def by_ticker(self, ticker: str) -> Company | None:
        return _company(self._tickers.get(ticker))

    def by_name(self, text: str) -> Company | None:
        """The company of exactly this name; one word may also be how the shortest name begins."""
        name = key(text)
        if not name or name in self._names:
            return _company(self._names.get(name))
        alike = [one for one in self._names if one.startswith(f"{name} ")]
        if " " in name:
            alike = [one for one in alike if LOOSE.issuperset(one.removeprefix(name).split())]
        return _company(self._names[min(alike, key=len)]) if alike else None


async def filers(
    cache: Cache, flights: SingleFlight, clock: Callable[[], float], fetch: Fetch
) -> tuple[Filers, list[str]]:
    """EDGAR's list, a day old at most; an older one, with a remark, while a new one cannot be had.

    Raises what `fetch` does where there is none: the next question tries again.
    """
    kept = await cache.get(KEY)
    if kept and (clock() - kept.stored < FRESH.total_seconds() or await cache.get(f"{KEY}/patient")):
        return Filers(kept.document), _age(kept.stored, clock())

    async def refresh() -> Document:
        document = _document(await fetch())
        await cache.put(KEY, document, KEPT)
        return document

    try:
        return Filers(await flights.run(KEY, refresh)), []
    except ToolError:
        if kept is None:
            raise
        await cache.put(f"{KEY}/patient", {}, PATIENT)
        return Filers(kept.document), _age(kept.stored, clock())


def key(text: str) -> str:
    """A name without what names are told with or without: capitals, signs, legal forms."""
    return " ".join(word for word in WORD.findall(STATE.sub(" ", text).casefold()) if word not in SMALL)


def needs_list(ask: FilingQuery) -> bool:
    """Whether EDGAR's list of companies tells what is meant; text in quotes and numbers speak for themselves."""
    return bool(ask.ticker) or not (_cik(ask.query or "") or QUOTED.search(ask.query or ""))


def reading(ask: FilingQuery, known: Filers | None) -> FilingQuestion:
    """Whose filings, of which form, and what is to be found in them. `known` is None where the list cannot be had."""
    text, found_form = _without_form(ask.query or "")
    told = ask.model_dump() | {"form_type": ask.form_type or found_form}
    company, remarks = _company_of(ask, text, known), []
    if ask.ticker and company is None:
        remarks.append(f"EDGAR's list of companies has no ticker {ask.ticker}.")
    words = text if ask.ticker and key(text) and known and _find_company(text, known) is None else None
    if company is None:
        return FilingQuestion(Sought(**told | {"query": text or ask.query, "ticker": ask.ticker}), None, remarks)
    if not ask.ticker and not _cik(ask.query or "") and not (known and _is_plain(text, company, known)):
        remarks.append(f'Read as the company {company.name}; put the words in "quotes" to search the text of filings.')
    return FilingQuestion(Sought(**told | {"query": words, "cik": company.cik}), company, remarks)


def _company_of(ask: FilingQuery, text: str, known: Filers | None) -> Company | None:
    if ask.ticker:
        return known.by_ticker(ask.ticker) if known else None
    if cik := _cik(ask.query or ""):
        return Company(cik=cik, name=f"CIK {cik}")
    return _find_company(text, known) if known and not QUOTED.search(text) else None


def _find_company(text: str, known: Filers) -> Company | None:
    """By number, ticker or name. A ticker stands alone, but for words that every such question has."""
    telling = " ".join(word for word in text.split() if key(word))
    if cik := _cik(telling):
        return Company(cik=cik, name=f"CIK {cik}")
    if TICKER.fullmatch(telling) and (company := known.by_ticker(_ticker(telling))):
        return company
    return known.by_name(text)


def _is_plain(text: str, company: Company, known: Filers) -> bool:
    """Nobody could mean anything else by it: the whole name, or a ticker as tickers are written."""
    return key(text) == key(company.name) or (text == text.upper() and known.by_ticker(_ticker(text)) == company)


def _ticker(text: str) -> str:
    return text.removeprefix("$").upper().replace(".", "-")


def _cik(text: str) -> str | None:
    """Ten digits of a CIK, which may be written with zeros before it or without."""
    found = CIK.fullmatch(text.strip())
    return found[1].zfill(10) if found and found[1].strip("0") else None


def _without_form(text: str) -> tuple[str, str | None]:
    """The text without the form that it names, and that form."""
    found = FORM.search(text)
    if found is None or QUOTED.search(text):
        return text, None
    rest = " ".join((text[: found.start()] + " " + text[found.end() :]).split()).strip(" ,;:")
    named = form((found[1] or found[2]) + (found[3] or ""))
    return rest, "13F-HR" if named == "13F" else named


def _document(listed_: Iterable[tuple[str, str, str]]) -> Document:
    """By ticker and by name; of several with one name the first, for EDGAR lists the largest first."""
    tickers: dict[str, list[str]] = {}
    names: dict[str, list[str]] = {}
    for cik, ticker, name in listed_:
        tickers.setdefault(ticker, [cik, name])
        if short := key(name):
            names.setdefault(short, [cik, name])
    return {"tickers": tickers, "names": names}


def _company(row: list[str] | None) -> Company | None:
    return Company(cik=row[0], name=row[1]) if row else None


def _age(stored: float, now: float) -> list[str]:
    if now - stored < FRESH.total_seconds():
        return []
    day = datetime.fromtimestamp(stored, UTC).date()
    return [f"EDGAR's list of companies could not be had anew; this one is of {day}."]
