"""Invents works in 14 languages and cites them: as CSL items, or printed in the styles below by citeproc-js."""

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from textwrap import wrap
from typing import Any

from anyascii import anyascii
from tests.verification.gold.vocabulary import CONFERENCES, PUBLISHERS, STRANGERS, VOCABULARIES, WORKSHOPS

from assay.bibliography.csl.processor import format_references
from assay.bibliography.csl.style_archive import find_locale, load_style

ANYWHERE = ("apa", "vancouver", "ieee", "modern-language-association", "chicago-author-date", "elsevier-harvard",
            "american-medical-association", "nature", "iso690-author-date-en", "american-chemical-society")  # fmt: skip
STYLES = {
    "en": (*ANYWHERE, "harvard-cite-them-right", "american-political-science-association", "mhra-author-date",
           "american-sociological-association", "springer-basic-author-date"),
    "de": ("din-1505-2", "iso690-author-date-de", "deutsche-sprache", "infoclio-de", "apa", "vancouver"),
    "fr": ("iso690-author-date-fr", "infoclio-fr-nocaps", "la-nouvelle-revue-du-travail", "vancouver", "apa"),
    "es": ("spanish-legal", "iso690-author-date-es", "apa", "vancouver", "chicago-author-date"),
    "it": ("chicago-author-date", "apa", "iso690-author-date-en", "modern-language-association"),
    "pt": ("associacao-brasileira-de-normas-tecnicas", "iso690-author-date-pt-br", "vancouver", "apa"),
    "pl": ("polish-legal", "apa", "iso690-author-date-en"),
    "tr": ("apa", "vancouver", "chicago-author-date"),
    "ru": ("gost-r-7-0-5-2008", "gost-r-7-0-5-2008-numeric", "apa", "ieee"),
    "el": ("apa", "chicago-author-date", "ieee"),
    "zh": ("china-national-standard-gb-t-7714-2015-numeric", "china-national-standard-gb-t-7714-2015-author-date", "apa"),
    "ja": ("sist02", "apa", "ieee"),
    "ko": ("apa", "vancouver", "american-medical-association"),
    "ar": ("apa", "chicago-author-date", "vancouver"),
}  # fmt: skip
SORTING = re.compile(r"<sort>.*?</sort>", re.DOTALL)
SAME_AUTHOR = re.compile(r'\ssubsequent-author-substitute(?:-rule)?="[^"]*"')
NUMBER = re.compile(r"^\s*(?:[\[(（]\d+[\])）]|\d+[.)]?)\s*(?=\D)")
LINE = 84  # characters of a line
MAX_TRIES = 2_000  # titles that are tried for one that is new
CHOICE = re.compile(r"\[([^\[\]|]*)\|([^\[\]|]*)\]")

type Work = dict[str, Any]
type Unprinted = tuple[dict[str, Any], Mapping[str, Any]]  # a citation and its CSL item


class ReferenceSet:
    """The works, the citations, and the die that makes both."""

    def __init__(self) -> None:
        self.rng = random.Random(20261123)
        self.works: list[Work] = []
        self.cases: list[dict[str, Any]] = []
        self._changed: dict[str, str] = {}  # titles with their faulty form
        self._unprinted: list[Unprinted] = []

    def build_work(self, language: str, **more: Any) -> Work:
        """Invent a work that is not yet in the set."""
        words, number = VOCABULARIES[language], len(self._changed)
        for _ in range(MAX_TRIES):
            shape = self.rng.choice(words.titles).format(
                s=self.rng.choice(words.subjects), p=self.rng.choice(words.places)
            )
            shape = shape[:1].upper() + shape[1:]
            title, changed = (CHOICE.sub(rf"\{form}", shape) for form in (1, 2))
            if title not in self._changed and title not in self._changed.values():
                break
        else:
            raise ValueError(f"The words for {language} make no further title.")
        self._changed[title] = changed
        names = self.rng.sample(words.names, min(self.rng.choice([1, 2, 2, 3, 3, 4]), len(words.names)))
        journal, short = self.rng.choice(words.journals)
        first = self.rng.randint(2, 880)
        work = {
            "doi": f"10.71234/ref.{number:04}", "title": title, "language": language,
            "authors": [list(name[:2]) for name in names], "journal": journal, "short": short,
            "year": self.rng.randint(1996, 2023), "volume": str(self.rng.randint(2, 90)),
            "issue": str(self.rng.randint(1, 12)), "page": f"{first}-{first + self.rng.randint(4, 30)}",
            "publisher": self.rng.choice(PUBLISHERS), "agency": "crossref", "notice": None,
        } | more  # fmt: skip
        if len(names[0]) > 2:
            work["latin"] = [list(name[2:]) for name in names]
        self.works.append(work)
        return work

    def build_one_word_work(self, language: str, title: str) -> Work:
        work = self.build_work(language)
        self._changed[title] = ""
        work["title"] = title
        return work

    def build_conference_work(self, *, workshop: bool = False) -> Work:
        name, acronym, place = self.rng.choice(CONFERENCES)
        event, year = f"Proceedings of the {self.rng.randint(4, 30)}th {name}", self.rng.randint(2004, 2023)
        if workshop:
            title, short = self.rng.choice(WORKSHOPS)
            event, acronym = f"Proceedings of the {title} at the {name}", f"{short}@{acronym}"
        return self.build_work(
            "en", journal=event, short="", acronym=acronym, place=place, year=year, volume="", issue=""
        )

    def find_faulty_title(self, work: Work) -> str:
        return self._changed[work["title"]]

    def invent_strangers(self, language: str, count: int = 2) -> list[list[str]]:
        return [list(name[:2]) for name in self.rng.sample(STRANGERS.get(language, STRANGERS[""]), count)]

    def add_item(self, kind: str, work: Work, flags: list[str], **changes: Any) -> None:
        """Add a citation in fields; a change to None leaves the field out."""
        self._add(kind, work, flags, "item", "")["cited"] = to_csl_item(work, **changes)

    def add_printed(self, kind: str, work: Work, flags: list[str], *, style: str = "", **changes: Any) -> None:
        """Add a citation printed in a style of the work's language."""
        style = style or self.rng.choice(STYLES[work["language"]])
        case = self._add(kind, work, flags, "printed", style)
        self._unprinted.append((case, to_csl_item(work, **{"DOI": None} | changes)))

    def add_text(self, kind: str, language: str, text: str, flags: list[str]) -> None:
        """Add a citation that is written out."""
        self._add(kind, {"language": language, "doi": ""}, flags, "printed", "")["cited"] = text

    def _add(self, kind: str, work: Work, flags: list[str], form: str, style: str) -> dict[str, Any]:
        case = {"kind": kind, "language": work["language"], "form": form, "style": style, "flags": flags, "cited": ""}
        self.cases.append(case | {"work": work["doi"]} if work["doi"] else case)
        return self.cases[-1]

    def print_all(self) -> None:
        """Print what waits for it; what a style leaves out of a faulty citation is printed in another style."""
        again = self._print(self._unprinted)
        assert not self._print(again)

    def _print(self, unprinted: list[Unprinted]) -> list[Unprinted]:
        """Print all references of a style and language in one call, unsorted; return those that lack a field."""
        again: list[Unprinted] = []
        groups: dict[tuple[str, str], list[Unprinted]] = {}
        for case, item in unprinted:
            groups.setdefault((case["style"], case["language"]), []).append((case, item))
        for (name, language), pairs in groups.items():
            style = load_style(name)
            style = replace(style, csl=SAME_AUTHOR.sub("", SORTING.sub("", style.csl)))
            items = [dict(item) | {"id": str(at)} for at, (_, item) in enumerate(pairs)]
            lines = format_references(items, style, find_locale(language))
            for (case, item), line in zip(pairs, lines, strict=True):
                case["form"] = "wrapped" if "¶" in line else "printed"
                case["cited"] = _break_lines(NUMBER.sub("", line))
                if case["flags"] and not _shows(line, item):
                    case["style"] = "apa"
                    again.append((case, item))
        return again


def _break_lines(text: str) -> str:
    """Break a text that is marked with ¶ into lines that are full, with a break at the mark."""
    before, mark, after = text.partition("¶")
    if not mark:
        return text
    lines = [line[::-1] for line in wrap(before[::-1], LINE, break_on_hyphens=False)][::-1]
    return "\n".join([*lines, after])


def _shows(line: str, item: Mapping[str, Any]) -> bool:
    """Whether a style printed all authors, the pages and the volume of an item."""
    folded = anyascii(line).casefold()
    families = [anyascii(author.get("family", "")).casefold().split()[-1:] for author in item["author"]]
    numbers = item.get("page", "").partition("-")[0], item.get("volume", "")
    return all(part in folded for name in families for part in name) and all(number in line for number in numbers)


def to_csl_item(work: Work, **changes: Any) -> dict[str, Any]:
    """Return the CSL item of a work; a change to None leaves the field out."""
    authors = changes.pop("authors", work["authors"])
    item = {
        "type": "paper-conference" if work.get("acronym") else "article-journal",
        "title": work["title"],
        "author": [{"family": family, "given": given} if given else {"literal": family} for given, family in authors],
        "container-title": work["journal"],
        "issued": {"date-parts": [[changes.pop("year", work["year"])]]},
        "volume": work["volume"],
        "issue": work["issue"],
        "page": work["page"],
        "publisher": work["publisher"],
        "event-place": work.get("place", ""),
        "DOI": work["doi"],
    } | changes
    return {name: value for name, value in item.items() if value}


def to_latin(work: Work) -> list[list[str]]:
    """The authors in Latin letters, as a library writes them."""
    return work.get("latin") or [[anyascii(part) for part in name] for name in work["authors"]]


def list_languages(count: int) -> Iterator[str]:
    """Yield languages by turns: a third of the works are in English."""
    others = [language for language in VOCABULARIES if language != "en"]
    for at in range(count):
        yield "en" if at % 3 == 0 else others[(at - at // 3 - 1) % len(others)]
