"""Lists of all that an upstream has: kept, refreshed by age, and searched here where they cannot be searched there."""

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

FRESH, KEPT = timedelta(hours=24), timedelta(days=14)
PAUSE = 300.0  # seconds from one failed refresh to the next
VERSION = 1  # another shape of rows is another number
APART = re.compile(r"[\W_]+")
ACRONYM = re.compile(r"[A-Z]{2,5}", re.ASCII)

type Fetch = Callable[[], Awaitable[Iterable[Series]]]


def fold_text(text: str) -> str:
    """Words in small letters without accents, one space apart."""
    if not text.isascii():
        parts = unicodedata.normalize("NFKD", text)
        text = "".join(letter for letter in parts if not unicodedata.combining(letter))
    return APART.sub(" ", text.casefold()).strip()


@dataclass
class CatalogueMatches:
    """What a search of a catalogue found, and what there is to say of it."""

    series: list[Series]
    warnings: list[str] = field(default_factory=list)


class SeriesCatalogue:
    """Series by the words of their names, in memory."""

    def __init__(self, rows: Sequence[dict[str, Any]], fetched: float) -> None:
        self.fetched = fetched
        self._rows = rows
        self._ids = {row["seriesId"].casefold(): place for place, row in enumerate(rows)}
        self._names = [f" {fold_text(row['title'])} " for row in rows]
        self._initials = ["".join(word[0] for word in name.split() if word not in TERM_WORDS) for name in self._names]

    def search(self, query: str, most: int) -> CatalogueMatches:
        """Those whose name holds every word, the closest first.

        An acronym is also met by the words it stands for; where no name holds all words, acronyms are left out.
        """
        given = [word for word in re.split(r"\s+", query) if fold_text(word)]
        words = [part for word in given for part in fold_text(word).split()]
        short = {fold_text(word) for word in given if ACRONYM.fullmatch(word)}
        telling = [word for word in words if word not in TERM_WORDS] or words
        found, warnings = self._holding(telling, short), []
        longer = [word for word in telling if word not in short]
        if not found and longer and len(longer) < len(telling):
            found = self._holding(longer, set())
            left_out = ", ".join(sorted({word.upper() for word in telling if word in short}))
            warnings = [f"No name holds all of these words; {left_out} was left out."] if found else []
        exact = self._ids.get(query.strip().casefold())
        phrase = f" {fold_text(query)} "
        found.sort(key=lambda place: self._rank(place, telling, phrase))
        best = dict.fromkeys([*([exact] if exact is not None else []), *found])
        return CatalogueMatches([Series.model_validate(self._rows[place]) for place in list(best)[:most]], warnings)

    def _holding(self, words: Sequence[str], acronyms: set[str]) -> list[int]:
        places: Iterable[int] = range(len(self._rows)) if words else ()
        for word in words:
            if word in acronyms and len(word) > 2:
                places = [at for at in places if word in self._names[at] or word in self._initials[at]]
            else:
                places = [at for at in places if word in self._names[at]]
        return list(places)

    def _rank(self, place: int, words: Sequence[str], phrase: str) -> tuple[Any, ...]:
        """Whole phrases before whole words before parts of words before acronyms; then short names before long ones."""
        name = self._names[place]
        missing = sum(word not in name for word in words)
        partly = sum(f" {word} " not in name for word in words)
        return missing, phrase not in name, partly, len(name), name, place


class CatalogueStore:
    """The catalogues of all upstreams. One a process; what is in the store serves every process and tenant."""

    def __init__(self, cache: Cache, flights: SingleFlight, clock: Callable[[], float]) -> None:
        self._cache, self._flights, self._clock = cache, flights, clock
        self._held: dict[str, SeriesCatalogue] = {}
        self._patient: dict[str, float] = {}

    async def search(self, name: str, query: str, most: int, fetch: Fetch) -> CatalogueMatches:
        """What the catalogue of upstream `name` has under these words. Raises what `fetch` does while none is kept."""
        held = self._held.get(name)
        if held is None or not self._fresh(held.fetched):
            held = await self._flights.run(f"catalogue/{name}", lambda: self._get_or_refresh(name, fetch))
        listed = held.search(query, most)
        if not self._fresh(held.fetched):
            day = datetime.fromtimestamp(held.fetched, UTC).date()
            listed.warnings.append(f"{name} could not be asked for its list anew; this one is of {day}.")
        return listed

    async def _get_or_refresh(self, name: str, fetch: Fetch) -> SeriesCatalogue:
        """From the store while fresh, else from the upstream; a stale one where that fails."""
        key = f"everyone/catalogue/{VERSION}/{name}"
        kept = await self._cache.get(key)
        if kept is not None and (name not in self._held or kept.stored > self._held[name].fetched):
            self._held[name] = SeriesCatalogue(kept.document["rows"], kept.stored)
        held = self._held.get(name)
        if held and (self._fresh(held.fetched) or self._clock() < self._patient.get(name, 0)):
            return held
        try:
            rows = [one.wire() for one in await fetch()]
            if not rows:
                raise UpstreamFailed(f"{name} answered with an empty list of its series.", provider=name)
        except ToolError:
            if held is None:
                raise
            self._patient[name] = self._clock() + PAUSE
            return held
        stored = await self._cache.put(key, {"rows": rows}, KEPT)
        self._held[name] = SeriesCatalogue(rows, stored.stored)
        return self._held[name]

    def _fresh(self, fetched: float) -> bool:
        return self._clock() - fetched < FRESH.total_seconds()
