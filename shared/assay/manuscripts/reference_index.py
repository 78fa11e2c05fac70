"""Finds the listed references that a marker means: by number, key, author and year, or web address."""

import re
from collections import defaultdict
from collections.abc import KeysView, Sequence
from dataclasses import dataclass

from assay.bibliography.identifiers import identify_url
from assay.bibliography.work import CitedWork
from assay.manuscripts.manuscript_draft import AuthorYear, DraftReference, Label, Marker
from assay.manuscripts.name_keys import fold_name, list_author_forms, list_first_author_forms
from assay.text.url_text import add_scheme, find_urls

LABEL_EDGES = " \t.[]()［］（）【】^"
PRINTED_YEAR = re.compile(r"(?<![\d-])((?:1[5-9]|20)\d\d)([a-z])?(?![\d\w-])")
UNDATED = re.compile(r"\b(?:n\. ?d\.|s\. ?f\.|o\. ?J\.|in press|forthcoming|to appear|im Druck)", re.IGNORECASE)
KEY_PARTS = re.compile(r"([^\W\d_]{2,})[-_:.]?(?:et_?al[-_:.]?)?((?:1[5-9]|20)\d\d)([a-z]?)", re.IGNORECASE)
PRINTED_HEAD = 400  # characters of a printed reference in which names are looked for


@dataclass(frozen=True)
class LabelMatch:
    """The places (from 0) of the references that one label means; several if it is ambiguous."""

    places: tuple[int, ...] = ()
    is_ambiguous: bool = False


class ReferenceIndex:
    """The listed references by everything that a marker may name. Entries beyond the limit of parsing count too."""

    def __init__(self, references: Sequence[DraftReference]) -> None:
        self._references = references
        self._by_label: dict[str, list[int]] = defaultdict(list)
        self._by_author: dict[tuple[str, str], list[int]] = defaultdict(list)
        self._by_address: dict[str, int] = {}
        visible = [place for place, each in enumerate(references) if not each.hidden and not each.origin]
        for place, reference in enumerate(references):
            if not reference.hidden:
                self._add(place, reference)
        numbered = sum(len(places) for label, places in self._by_label.items() if label.isdecimal())
        self.is_numbered = numbered * 2 > len(visible)
        self.has_labels = bool(self._by_label)
        self.chapters = len({references[place].chapter for place in visible})
        places = () if self.has_labels else visible
        self._positions = {str(number): place for number, place in enumerate(places, 1)}  # of a list without numbers
        self.size = len(visible)

    def _add(self, place: int, reference: DraftReference) -> None:
        if label := normalize_label(reference.label):
            self._by_label[label].append(place)
        work, printed = reference.work, reference.text
        for year in _list_years(work, printed):
            for form in list_first_author_forms(work, printed):
                known = self._by_author[form, year]
                if not known or known[-1] != place:
                    known.append(place)
        for address in list_addresses(work, printed):
            self._by_address.setdefault(address, place)

    @property
    def labels(self) -> KeysView[str]:
        return self._by_label.keys()

    def find(self, marker: Marker, label: Label, chapter: int = 0) -> LabelMatch:
        """Find what one label of a marker means; where several references fit, the one that its chapter lists."""
        match = self._find(marker, label)
        if match.is_ambiguous:
            own = tuple(place for place in match.places if self._references[place].chapter == chapter)
            return LabelMatch(own) if len(own) == 1 else match
        return match

    def _find(self, marker: Marker, label: Label) -> LabelMatch:
        if isinstance(label, int):
            return LabelMatch((label,))
        if isinstance(label, AuthorYear):
            return self._find_authors(label)
        if marker.style == "link":
            place = next(
                (self._by_address[each] for each in normalize_address(label) if each in self._by_address), None
            )
            return LabelMatch() if place is None else LabelMatch((place,))
        places = self._by_label.get(normalize_label(label), [])
        if len(places) > 1:
            return LabelMatch(tuple(places), is_ambiguous=True)
        if not places and label in self._positions:
            return LabelMatch((self._positions[label],))
        if not places and marker.style == "key" and (parts := KEY_PARTS.match(label)):
            return self._find_authors(AuthorYear((parts[1],), parts[2], parts[3].casefold()))
        return LabelMatch(tuple(places))

    def _find_authors(self, label: AuthorYear) -> LabelMatch:
        """Find works by first author and year; further names, "et al.", initials and letters narrow several down.

        Names that begin with words of the sentence, as in "However, Smith (2020)", are tried without them.
        """
        for skip in range(len(label.names)):
            found = self._narrow(label._replace(names=label.names[skip:]))
            if found:
                return LabelMatch(tuple(found), is_ambiguous=len(found) > 1)
            if " " in label.names[skip] and (
                found := self._narrow(label._replace(names=(label.names[skip].split()[-1], *label.names[skip + 1 :])))
            ):
                return LabelMatch(tuple(found), is_ambiguous=len(found) > 1)
        return LabelMatch()

    def _narrow(self, label: AuthorYear) -> list[int]:
        year = label.year if label.year[:1].isdigit() else ""
        found = list(
            dict.fromkeys(
                place for form in fold_name(label.names[0]) for place in self._by_author.get((form, year), ())
            )
        )
        if len(label.names) > 1:
            found = [place for place in found if self._has_author(place, label.names[1])]
        if label.letter:
            lettered = [place for place in found if self._letter(place, year)]
            same = [place for place in lettered if self._letter(place, year) == label.letter]
            found = same if lettered else found
            if not lettered and len(found) > 1:
                found = found[ord(label.letter) - 97 :][:1]  # the list has no letters: its order counts
        if label.initials:
            found = _prefer(found, [self._has_initials(place, label.initials) for place in found])
        if len(label.names) == 1:
            found = _prefer(found, [self._has_more_authors(place) == label.has_more_authors for place in found])
        return found

    def _letter(self, place: int, year: str) -> str:
        reference = self._references[place]
        return next((each[2] or "" for each in PRINTED_YEAR.finditer(reference.text) if each[1] == year), "")

    def _has_author(self, place: int, name: str) -> bool:
        reference, wanted = self._references[place], fold_name(name)
        if reference.work and any(
            not wanted.isdisjoint(list_author_forms(each)) for each in reference.work.authors[1:]
        ):
            return True
        words = re.split(r"[\s,;.&]+", reference.text[:PRINTED_HEAD])
        return any(not wanted.isdisjoint(fold_name(word)) for word in words if word[:1].isalpha())

    def _has_more_authors(self, place: int) -> bool:
        work = self._references[place].work
        return bool(work and (len(work.authors) > 1 or work.is_author_list_cut))

    def _has_initials(self, place: int, initials: str) -> bool:
        work = self._references[place].work
        return bool(
            work and work.authors and work.authors[0].format_initials().casefold().startswith(initials[0].casefold())
        )


def _prefer(places: list[int], fits: Sequence[bool]) -> list[int]:
    """Return the places that fit; all if none does."""
    return [place for place, is_fitting in zip(places, fits, strict=True) if is_fitting] or places


def normalize_label(label: str) -> str:
    stripped = label.strip(LABEL_EDGES)
    return str(int(stripped)) if stripped.isdecimal() and len(stripped) < 6 else stripped


def _list_years(work: CitedWork | None, printed: str) -> set[str]:
    """Return the years under which a work may be cited; "" for one without a date."""
    years = {work.date[:4]} if work and work.date else set()
    if not years:
        years = {found[1] for found in PRINTED_YEAR.finditer(printed[:2000])}
    if not years or UNDATED.search(printed):
        years.add("")
    return years


def list_addresses(work: CitedWork | None, printed: str) -> set[str]:
    """Return the normalized web addresses and DOI of a work."""
    addresses: set[str] = set()
    if work:
        addresses.update(normalize_address(work.url) if work.url else ())
        addresses.update({f"doi:{work.doi}"} if work.doi else ())
        addresses.update({f"arxiv:{work.arxiv_id}"} if work.arxiv_id else ())
    else:
        for url in find_urls(printed):
            addresses.update(normalize_address(add_scheme(url)))
    return addresses


def normalize_address(url: str) -> tuple[str, ...]:
    """Return what to compare of an address: the identifier of its work, and the address without its scheme."""
    found = identify_url(url)
    bare = re.sub(r"^https?://(?:www\.)?", "", url.partition("#")[0], flags=re.IGNORECASE).rstrip("/").casefold()
    return ((f"{found.kind}:{found.value}",) if found else ()) + ((bare,) if bare else ())
