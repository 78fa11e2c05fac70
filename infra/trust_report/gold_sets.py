"""Measures the product on the labelled sets of the tests, which may be shipped."""

import json
import random
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from infra.trust_report.rates import Rate, Rates
from tests.verification.citation_services import GOLD, FakeCitationServices, gold
from tests.verification.gold.vocabulary import STRANGERS
from tests.verification.gold_audit import Case, audit_references, is_found, is_sound

from assay.bibliography.printed_reference import parse_reference
from assay.bootstrap import local_services
from assay.caller import Caller
from assay.context import Context
from assay.models.papers import Paper
from assay.net.provider_client import ProviderClient
from assay.settings import Settings
from assay.verification.author_comparison import compare_names
from assay.verification.citations import verify_citation
from assay.verification.claim_coverage import measure_coverage
from assay.verification.reference_matching import Reference, grade_match
from assay.verification.title_location import fold
from assay.verification.transliteration import find_script

SEED = 20261122
PARTS = {"year": "date", "venue": "container", "volume": "volume", "issue": "issue", "pages": "pages"}
INVENTED = ("fabricated_doi", "fabricated_reference", "near_miss_title", "stolen_title", "wrong_title_doi")
UNKNOWN = ("link_blocked", "link_to_root", "link_trouble", "outage")
GONE = ("link_dead", "link_no_host", "link_to_lost")
WORD = re.compile(r"[^\W\d_]{4,}")


@dataclass
class GoldFigures:
    """What was measured on the sets that the tests hold."""

    checked: Rates = field(default_factory=Rates)  # single citations by kind: the expected outcome
    sound: Rates = field(default_factory=Rates)  # sound citations by kind: flagged
    planted: Rates = field(default_factory=Rates)  # faulty citations by kind: flagged
    unindexed: Rate = field(default_factory=Rate)  # kinds that are not indexed: called not found
    by_language: dict[str, tuple[Rate, Rate]] = field(default_factory=dict)
    by_form: dict[str, tuple[Rate, Rate]] = field(default_factory=dict)
    claims: dict[str, Rates] = field(default_factory=dict)  # outcome by kind
    claims_by_language: dict[str, Rates] = field(default_factory=dict)
    titles: Rates = field(default_factory=Rates)
    parsed: Rates = field(default_factory=Rates)
    parsed_by_language: Rates = field(default_factory=Rates)


async def measure_gold_sets() -> GoldFigures:
    """Measure all; the services that citations are looked up in are invented, on loopback."""
    figures = GoldFigures()
    await _check_citations(figures)
    references = gold("references")
    await _audit_references(figures, references)
    printed = list(_list_printed(references))
    _match_titles(figures, printed)
    _parse(figures, printed)
    _compare_claims(figures)
    return figures


async def _check_citations(figures: GoldFigures) -> None:
    """Check each citation of citations.json by itself."""
    gold_set = gold()
    async with _Services(gold_set) as services:
        for case in gold_set["cases"]:
            found = await verify_citation(Context(services, Caller()), case["citation"])
            expected = (
                ("not_found", "uncertain") if case["kind"] in INVENTED
                else ("uncertain",) if case["kind"] in UNKNOWN
                else ("not_found",) if case["kind"] in GONE
                else ("confirmed",)
            )  # fmt: skip
            figures.checked.add(case["kind"], happened=found.verification_status in expected)


class _Services:
    """The product's services with the invented indexes of a gold set."""

    def __init__(self, gold_set: dict[str, Any]) -> None:
        self._fake = FakeCitationServices(gold_set)
        self._home = tempfile.TemporaryDirectory()

    async def __aenter__(self) -> Any:
        await self._fake.start()
        environ = {"ASSAY_HOME": self._home.name, "ALLOW_PRIVATE_IPS": "true"} | self._fake.environ
        self._services = local_services(Settings.read(environ))
        self._services.http = ProviderClient(self._services.settings, pause=0)
        self._services.web_overrides |= self._fake.seams
        return self._services

    async def __aexit__(self, *_: object) -> None:
        await self._services.close()
        await self._fake.close()
        self._home.cleanup()


async def _audit_references(figures: GoldFigures, references: dict[str, Any]) -> None:
    async with _Services(references) as services:
        for case, entry in await audit_references(services, references["cases"]):
            if case["kind"] == "unindexed":
                figures.unindexed.add(happened="not_found" in entry["flags"])
                continue
            sound = is_sound(case)
            happened = entry["flags"] != case["flags"] if sound else is_found(case, entry)
            (figures.sound if sound else figures.planted).add(case["kind"], happened=happened)
            for name, table in (("language", figures.by_language), ("form", figures.by_form)):
                pair = table.setdefault(case[name], (Rate(), Rate()))
                pair[not sound].add(happened=happened)


def _list_printed(references: dict[str, Any]) -> Iterator[tuple[Case, dict[str, Any]]]:
    """Yield the soundly printed references with their works."""
    works = {work["doi"]: work for work in references["works"]}
    for case in references["cases"]:
        if case["kind"] in ("printed", "printed_with_doi"):
            yield case, works[case["work"]]


def _match_titles(figures: GoldFigures, printed: list[tuple[Case, dict[str, Any]]]) -> None:
    """Match printed references with their records, with records of other authors, and with a word exchanged."""
    rng = random.Random(SEED)  # the same each time, on purpose
    for case, work in printed:
        text, script = case["cited"], "Latin" if find_script(work["title"]) == "latin" else "other scripts"
        figures.titles.add(f"{script}: confirmed", happened=_is_confirmed(text, work))
        alike = [other for _, other in printed if other["language"] == work["language"]]
        others = [other["authors"] for other in alike if not _share_names(work["authors"], other["authors"])]
        strangers = others or [[list(name[:2]) for name in STRANGERS.get(work["language"], STRANGERS[""])]]
        stolen = work | {"authors": rng.choice(strangers)}
        figures.titles.add(f"{script}: confirmed with other authors", happened=_is_confirmed(text, stolen))
        words = WORD.findall(work["title"])
        replacements = [word for other in alike for word in WORD.findall(other["title"]) if word not in words]
        if words and replacements and work["title"] in text:
            title = work["title"].replace(rng.choice(words), rng.choice(replacements))
            happened = _is_confirmed(text.replace(work["title"], title), work)
            figures.titles.add(f"{script}: confirmed with a word exchanged", happened=happened)


def _share_names(one: list[list[str]], other: list[list[str]]) -> bool:
    return any(left[1] == right[1] for left in one for right in other)


def _is_confirmed(text: str, work: dict[str, Any]) -> bool:
    authors = [f"{family}, {given}" for given, family in work["authors"]]
    paper = Paper(
        title=work["title"], url="https://example.org", source="crossref", authors=authors, journal=work["journal"]
    )
    return grade_match(Reference.of_text(text), paper).confidence == "high"


def _parse(figures: GoldFigures, printed: list[tuple[Case, dict[str, Any]]]) -> None:
    """Parse printed references; a field counts where the style prints it."""
    for case, work in printed:
        parsed, text = parse_reference(case["cited"]), fold(case["cited"]).letters
        exact = fold(parsed.title).letters == fold(work["title"]).letters
        figures.parsed.add("title", happened=exact)
        figures.parsed_by_language.add(case["language"], happened=exact)
        for name, part in PARTS.items():
            value = str(work["journal"] if name == "venue" else work["page"] if name == "pages" else work[name])
            first = fold(value.partition("-")[0]).letters
            if first and first in text:
                found = fold(getattr(parsed, part)).letters
                figures.parsed.add(
                    name, happened=found == fold(value).letters or (name == "pages" and found.startswith(first))
                )
        names = [name.format_inverted() for name in parsed.authors]
        listed = [f"{family}, {given}" for given, family in work["authors"] if fold(family.split()[-1]).letters in text]
        same = len(names) == len(listed) and all(
            compare_names(*pair) == "same" for pair in zip(names, listed, strict=True)
        )
        figures.parsed.add("all authors", happened=same)


def _compare_claims(figures: GoldFigures) -> None:
    """Compare claims with their pages by words, which needs no model."""
    for path in sorted((GOLD / "claims").glob("*.json")):
        for page in json.loads(path.read_text()):
            text = "\n\n".join([page["title"], " ".join(page["text"])])
            for claim, kind in page["claims"]:
                found = measure_coverage(claim, text)
                kinds, label = (
                    figures.claims.setdefault(kind, Rates()),
                    "supported" if kind == "supported" else "others",
                )
                language = figures.claims_by_language.setdefault(path.stem, Rates())
                kinds.add("not_addressed", happened=found.coverage == "not_addressed")
                kinds.add("contrast", happened=found.contrast)
                language.add(label, happened=found.coverage == "not_addressed" or found.contrast)


def count_claims(folder: Path = GOLD / "claims") -> dict[str, int]:
    """Return the number of claims by language."""
    return {
        path.stem: sum(len(page["claims"]) for page in json.loads(path.read_text()))
        for path in sorted(folder.glob("*.json"))
    }
