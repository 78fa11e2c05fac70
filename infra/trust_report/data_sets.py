"""Measures the product on data sets of others, which are given by their path and never become part of the project.

A folder may hold `citetracer*.json` (CiteTracer), `anystyle-core.xml` with `grobid/*.xml` (AnyStyle, GROBID),
`citecheck*.jsonl` (CiteCheck), and other `*.jsonl` files of claims with "claim", "label" and "evidence" or "abstract".
"""

import json
import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from infra.training.labelled_references import LabelledReference, read_references
from infra.trust_report.rates import Rates

from assay.bibliography.printed_reference import parse_reference, split_authors
from assay.models.papers import Paper
from assay.models.work_record import WorkRecord
from assay.verification.author_comparison import parse_author
from assay.verification.claim_coverage import measure_coverage
from assay.verification.field_comparison import CitedFields, compare_fields
from assay.verification.printed_fields import compare_printed_fields, read_fields
from assay.verification.reference_matching import Reference, grade_match
from assay.verification.title_location import fold
from assay.verification.transliteration import find_script

SEED = 20261122
YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")
WORD = re.compile(r"[^\W\d_]{4,}")
SUPPORTED = frozenset({"entailment", "support", "supports", "supported", "1", "true"})
EDGES = " .,;:\"“”«»„'‘’()"


class PrintedReference(NamedTuple):
    """A labelled reference: its text and the fields of which the label says that they are in it."""

    text: str
    title: str
    authors: tuple[str, ...]
    year: str
    container: str
    volume: str
    pages: str


def measure_data_sets(folder: Path) -> dict[str, Rates]:
    """Return the rates by data set, for the sets that the folder holds."""
    results: dict[str, Rates] = {}
    for path in sorted(folder.glob("citetracer*.json")):
        results[f"{path.name}: flagged, by code"] = _measure_citetracer(json.loads(path.read_text()))
    if (folder / "anystyle-core.xml").exists():
        references = [each for each in map(to_printed, read_references(folder)) if len(each.title) > 2]
        results["AnyStyle and GROBID: references and records"] = _match_references(references)
    for path in sorted(folder.glob("*.jsonl")):
        rows = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
        results[f"{path.name}: claims, by words"] = _compare_claims(rows)
    return results


def _measure_citetracer(data: Mapping[str, Any]) -> Rates:
    """Compare each citation with its true record; the code tells which field was changed, if any."""
    rates, citations = Rates(), {each["citation_id"]: each for each in data["citations"]}
    for name, truth in sorted(data["truth"].items(), key=lambda pair: (pair[1]["subtype"], pair[0])):
        seed = truth["seed"]
        if not seed.get("title"):
            continue
        report = compare_fields(_to_cited(citations[name]), [_to_record(seed)])
        unrecorded = truth["subtype"] == "H5" and not seed["doi"]
        rates.add(f"{truth['subtype']}{', no DOI on record' if unrecorded else ''}", happened=bool(report.mismatches))
    return rates


def _to_cited(row: Mapping[str, Any]) -> CitedFields:
    year, volume = str(row["year"] or ""), str(row["volume"] or "")
    return CitedFields(
        row["title"], tuple(row["authors"]), row["venue"], year, volume, "", row["pages"], row["publisher"],
        row["location"], row["doi"], row["arxiv_id"],
    )  # fmt: skip


def _to_record(row: Mapping[str, Any]) -> WorkRecord:
    def one(value: Any) -> tuple[str, ...]:
        return (str(value),) if value else ()

    return WorkRecord(
        source=row.get("_source") or "record",
        titles=one(row["title"]),
        authors=tuple(row["authors"]),
        venues=one(row["venue"]),
        years=frozenset({row["year"]} if row["year"] else ()),
        volume=str(row["volume"] or ""),
        pages=one(row["pages"]),
        publishers=one(row["publisher"]),
        places=one(row["location"]),
        dois=frozenset(one(row["doi"])),
        arxiv_ids=frozenset(one(row["arxiv_id"])),
    )


def to_printed(reference: LabelledReference) -> PrintedReference:
    """Return the fields of a labelled reference."""
    fields: dict[str, list[tuple[int, int]]] = {}
    before = ""
    for token, label in zip(reference.tokens, reference.labels, strict=True):
        kind = label[2:]
        if kind and label[0] == "I" and before == kind:
            fields[kind][-1] = fields[kind][-1][0], token.end
        elif kind:
            fields.setdefault(kind, []).append((token.start, token.end))
        before = kind

    def read(kind: str) -> str:
        return reference.text[slice(*fields[kind][0])].strip(EDGES) if kind in fields else ""

    authors = tuple(
        name.format_inverted() for name in split_authors(read("author")) if not set(name.family) <= set("—–-_ ")
    )
    year = YEAR.search(read("date"))
    return PrintedReference(
        reference.text, read("title"), authors, year[0] if year else "", read("container"), read("volume"),
        read("pages"),
    )  # fmt: skip


def _match_references(references: list[PrintedReference]) -> Rates:
    rates, rng = Rates(), random.Random(SEED)  # the same each time, on purpose
    words = [word for each in references for word in WORD.findall(each.title) if word.isascii()]
    for each in references:
        script = "Latin" if find_script(each.title) in ("latin", "") else "other scripts"
        rates.add(f"{script}: confirmed", happened=_is_confirmed(each.text, each.title, each))
        if script == "Latin":
            own = [word for word in WORD.findall(each.title) if word.isascii()]
            other = rng.choice(words)
            if own and each.title in each.text and other.casefold() not in each.title.casefold():
                title = each.title.replace(rng.choice(own), other, 1)
                happened = _is_confirmed(each.text.replace(each.title, title), each.title, each)
                rates.add(f"{script}: confirmed with a word exchanged", happened=happened)
            stranger = rng.choice(references)
            scripts = {find_script(author) for author in stranger.authors}
            if each.authors and scripts == {"latin"} and not _families(each) & _families(stranger):
                rates.add(
                    f"{script}: confirmed with other authors", happened=_is_confirmed(each.text, each.title, stranger)
                )
        record = WorkRecord(
            "label", (each.title,), each.authors, venues=(each.container,) if each.container else (),
            years=frozenset({int(each.year)} if each.year else ()), volume=each.volume,
            pages=(each.pages,) if each.pages else (),
        )  # fmt: skip
        report = compare_printed_fields(each.text, read_fields(each.text), [record])
        rates.add(f"{script}: a field falsely flagged", happened=bool(report.mismatches))
        exact = fold(parse_reference(each.text).title).letters == fold(each.title).letters
        rates.add(f"{script}: title parsed exactly (the parser was trained on this half)", happened=exact)
    return rates


def _families(reference: PrintedReference) -> set[str]:
    return {word for author in reference.authors for word in parse_author(author).tokens}


def _is_confirmed(text: str, title: str, named: PrintedReference) -> bool:
    paper = Paper(
        title=title, url="https://example.org", source="crossref", authors=list(named.authors) or None,
        journal=named.container or None,
    )  # fmt: skip
    return grade_match(Reference.of_text(text), paper).confidence == "high"


def _compare_claims(rows: list[Mapping[str, Any]]) -> Rates:
    rates = Rates()
    for claim, text, supported in _read_claims(rows):
        found = measure_coverage(claim, text)
        label = "supported" if supported else "not supported"
        rates.add(f"{label}: not_addressed", happened=found.coverage == "not_addressed")
        rates.add(f"{label}: contrast", happened=found.contrast)
    return rates


def _read_claims(rows: list[Mapping[str, Any]]) -> Iterator[tuple[str, str, bool]]:
    for row in rows:
        claim = row.get("claim") or row.get("statement")
        text = row.get("evidence") or row.get("quote") or row.get("abstract")
        text = " ".join(map(str, text)) if isinstance(text, list) else text
        if claim and isinstance(text, str) and row.get("label") is not None:
            yield claim, text, str(row["label"]).casefold() in SUPPORTED
