"""Catalogues of statistical series, cached and searched locally, for providers without a search API."""

import re
import unicodedata
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from assay.errors import ToolError, UpstreamFailed
from assay.models.public_records import Series
from assay.state.cache import Cache
from assay.state.single_flight import SingleFlight
from assay.text.stopwords import TERM_WORDS

FRESH_FOR, CACHE_TTL = timedelta(hours=24), timedelta(days=14)
RETRY_PAUSE = 300.0  # seconds between a failed refresh and the next attempt
VERSION = 1  # increment when the stored format changes
SEPARATORS = re.compile(r"[\W_]+")
ACRONYM = re.compile(r"[A-Z]{2,5}", re.ASCII)

type Fetch = Callable[[], Awaitable[Iterable[Series]]]


def fold_text(text: str) -> str:
    """The text in lower case, without accents and punctuation, words separated by one space."""
    if not text.isascii():
        parts = unicodedata.normalize("NFKD", text)
        text = "".join(letter for letter in parts if not unicodedata.combining(letter))
    return SEPARATORS.sub(" ", text.casefold()).strip()


@dataclass
class CatalogueMatches:
    """The series that a catalogue search found, and its warnings."""

    series: list[Series]
    warnings: list[str] = field(default_factory=list)


class SeriesCatalogue:
    """An in-memory index of series by the words of their titles."""

    def __init__(self, rows: Sequence[dict[str, Any]], fetched: float) -> None:
        self.fetched = fetched
        self._rows = rows
        self._ids = {row["seriesId"].casefold(): place for place, row in enumerate(rows)}
        self._names = [f" {fold_text(row['title'])} " for row in rows]
        self._initials = ["".join(word[0] for word in name.split() if word not in TERM_WORDS) for name in self._names]

    def search(self, query: str, limit: int) -> CatalogueMatches:
        """The series whose titles contain every word, best match first.

        An acronym also matches words with its initials. If no title contains all words, acronyms are ignored, with a
        warning.
        """
        typed = [word for word in re.split(r"\s+", query) if fold_text(word)]
        words = [part for word in typed for part in fold_text(word).split()]
        acronyms = {fold_text(word) for word in typed if ACRONYM.fullmatch(word)}
        specific = [word for word in words if word not in TERM_WORDS] or words
        found, warnings = self._matches(specific, acronyms), []
        full_words = [word for word in specific if word not in acronyms]
        if not found and full_words and len(full_words) < len(specific):
            found = self._matches(full_words, set())
            ignored = ", ".join(sorted({word.upper() for word in specific if word in acronyms}))
            warnings = [f"No title contains all words; {ignored} was ignored."] if found else []
        exact = self._ids.get(query.strip().casefold())
        phrase = f" {fold_text(query)} "
        found.sort(key=lambda place: self._rank(place, specific, phrase))
        best = dict.fromkeys([*([exact] if exact is not None else []), *found])
        return CatalogueMatches([Series.model_validate(self._rows[place]) for place in list(best)[:limit]], warnings)

    def _matches(self, words: Sequence[str], acronyms: set[str]) -> list[int]:
        places: Iterable[int] = range(len(self._rows)) if words else ()
        for word in words:
            if word in acronyms and len(word) > 2:
                places = [at for at in places if word in self._names[at] or word in self._initials[at]]
            else:
                places = [at for at in places if word in self._names[at]]
        return list(places)

    def _rank(self, place: int, words: Sequence[str], phrase: str) -> tuple[Any, ...]:
        """Sort key: whole phrases, then whole words, parts of words and acronyms; shorter titles first."""
        name = self._names[place]
        missing = sum(word not in name for word in words)
        partly = sum(f" {word} " not in name for word in words)
        return missing, phrase not in name, partly, len(name), name, place


class CatalogueStore:
    """The catalogues of all providers. Use one store per process; the cached data is shared by all tenants."""

    def __init__(self, cache: Cache, flights: SingleFlight, clock: Callable[[], float]) -> None:
        self._cache, self._flights, self._clock = cache, flights, clock
        self._catalogues: dict[str, SeriesCatalogue] = {}
        self._retry_at: dict[str, float] = {}

    async def search(self, name: str, query: str, limit: int, fetch: Fetch) -> CatalogueMatches:
        """The matches in the catalogue of provider `name`. Raises what `fetch` raises if no catalogue is cached."""
        catalogue = self._catalogues.get(name)
        if catalogue is None or not self._is_fresh(catalogue.fetched):
            catalogue = await self._flights.run(f"catalogue/{name}", lambda: self._get_or_refresh(name, fetch))
        listed = catalogue.search(query, limit)
        if not self._is_fresh(catalogue.fetched):
            day = datetime.fromtimestamp(catalogue.fetched, UTC).date()
            listed.warnings.append(f"The catalogue of {name} could not be refreshed; this one is from {day}.")
        return listed

    async def _get_or_refresh(self, name: str, fetch: Fetch) -> SeriesCatalogue:
        """The catalogue from the cache while fresh, else from the provider; a stale one if the provider fails."""
        key = f"everyone/catalogue/{VERSION}/{name}"
        entry = await self._cache.get(key)
        if entry is not None and (name not in self._catalogues or entry.stored > self._catalogues[name].fetched):
            self._catalogues[name] = SeriesCatalogue(entry.document["rows"], entry.stored)
        catalogue = self._catalogues.get(name)
        if catalogue and (self._is_fresh(catalogue.fetched) or self._clock() < self._retry_at.get(name, 0)):
            return catalogue
        try:
            rows = [one.wire() for one in await fetch()]
            if not rows:
                raise UpstreamFailed(f"{name} returned an empty catalogue.", provider=name)
        except ToolError:
            if catalogue is None:
                raise
            self._retry_at[name] = self._clock() + RETRY_PAUSE
            return catalogue
        stored = await self._cache.put(key, {"rows": rows}, CACHE_TTL)
        self._catalogues[name] = SeriesCatalogue(rows, stored.stored)
        return self._catalogues[name]

    def _is_fresh(self, fetched: float) -> bool:
        return self._clock() - fetched < FRESH_FOR.total_seconds()
