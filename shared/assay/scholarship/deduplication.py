"""Merging of records of the same work: by DOI, by archive identifiers, then by title, year and first author."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from assay.bibliography import person_names
from assay.evaluation import source_type
from assay.models.papers import Paper

PREPRINTS = re.compile(
    r"10\.(?:1101/\d|(?:48550|64898|2139|20944|21203|26434|31234|31219|31235|5281|22541|36227|14293)/)", re.ASCII
)
GENERIC_TITLE_WORDS = 3  # titles up to this length may belong to any work: Introduction, Editorial
FILLABLE_FIELDS = tuple(name for name in Paper.model_fields if name not in ("title", "url", "source", "fact_sources"))
# A record with the same title, at least this many citations, and this many times as many, is the likely original.
MIN_ORIGINAL_CITATIONS, MIN_CITATION_RATIO = 50, 10


def merge_papers(papers: Iterable[Paper]) -> list[Paper]:
    """The works in order, without duplicates. Missing fields are filled from the other records of the same work."""
    groups: list[list[Paper]] = []
    by_name: dict[str, list[Paper]] = {}
    by_title: dict[tuple[str, int], list[list[Paper]]] = {}
    for paper in papers:
        group = next((by_name[name] for name in list_identifiers(paper) if name in by_name), None)
        group = group or next(
            (one for one in _find_groups_with_title(paper, by_title) if all(is_same(paper, other) for other in one)),
            None,
        )
        if group is None:
            group = []
            groups.append(group)
        group.append(paper)
        for name in list_identifiers(paper):
            by_name.setdefault(name, group)
        if key := _build_title_and_year(paper):
            listed = by_title.setdefault(key, [])
            if not any(one is group for one in listed):
                listed.append(group)
    return [_merge_group(group) for group in groups]


def list_identifiers(paper: Paper) -> list[str]:
    """The unique identifiers of a work, as `kind:value`."""
    values = {"doi": paper.doi, "arxiv": paper.arxiv_id, "pmid": paper.pmid, "pmcid": paper.pmcid}
    if paper.doi and paper.doi.startswith("10.48550/arxiv."):
        values["arxiv"] = paper.doi.removeprefix("10.48550/arxiv.")
    return [f"{kind}:{name.lower()}" for kind, name in values.items() if name]


def is_same(one: Paper, other: Paper) -> bool:
    """Whether two records with the same title are one work. Two different publisher DOIs are always two works."""
    if one.doi and other.doi and one.doi != other.doi and not (is_preprint(one) or is_preprint(other)):
        return False
    if one.year != other.year and not (is_preprint(one) or is_preprint(other)):
        return False
    if len(build_title_key(one.title).split()) <= GENERIC_TITLE_WORDS and not (one.authors and other.authors):
        return False
    return not (one.authors and other.authors) or _normalise_family_name(one.authors[0]) == _normalise_family_name(
        other.authors[0]
    )


def is_preprint(paper: Paper) -> bool:
    return bool(PREPRINTS.match(paper.doi)) if paper.doi else bool(paper.arxiv_id)


def build_title_key(title: str) -> str:
    """A title normalised for comparison: words only, without case and accents."""
    folded = unicodedata.normalize("NFKD", title.casefold())
    unaccented = "".join(letter for letter in folded if not unicodedata.combining(letter))
    return " ".join(re.findall(r"\w+", unaccented))


def fill_missing(base: Paper, others: Iterable[Paper]) -> Paper:
    """`base` with missing fields filled from the others; `fact_sources` names the source of each filled field."""
    update: dict[str, object] = {}
    sources = dict(base.fact_sources or {})
    for other in others:
        for name in FILLABLE_FIELDS:
            if getattr(base, name) is None and name not in update and (fact := getattr(other, name)) is not None:
                update[name] = fact
                source = (other.fact_sources or {}).get(_to_wire_name(name), other.source)
                if source != base.source:
                    sources[_to_wire_name(name)] = source
    return base.model_copy(update=update | {"fact_sources": sources or None}) if update else base


def sort_papers(papers: Sequence[Paper], *, newest_first: bool) -> list[Paper]:
    """The papers in the given order, or newest first; those without a date come last."""
    if not newest_first:
        return list(papers)
    return sorted(papers, key=lambda paper: paper.publication_date or str(paper.year or ""), reverse=True)


def flag_low_confidence(papers: Sequence[Paper]) -> None:
    """Set `low_confidence_domain` on probable copies: another record with the same title has far more citations,
    and the paper's host is not an academic one.
    """
    for paper in papers:
        same_title = [
            one for one in papers if one is not paper and build_title_key(one.title) == build_title_key(paper.title)
        ]
        most_cited = max((one.citation_count or 0 for one in same_title), default=0)
        is_cited_less = most_cited >= MIN_ORIGINAL_CITATIONS and most_cited >= MIN_CITATION_RATIO * max(
            1, paper.citation_count or 0
        )
        if is_cited_less and source_type.classify(paper.url).domain_category != "academic":
            paper.low_confidence_domain = True


def _merge_group(group: list[Paper]) -> Paper:
    """The published record, or else the first one, filled from the others."""
    base = next((paper for paper in group if not is_preprint(paper) and paper.doi), group[0])
    return fill_missing(base, (paper for paper in group if paper is not base))


def _find_groups_with_title(paper: Paper, by_title: dict[tuple[str, int], list[list[Paper]]]) -> list[list[Paper]]:
    key = _build_title_and_year(paper)
    if key is None:
        return []
    title, year = key
    return [group for near in (year, year - 1, year + 1) for group in by_title.get((title, near), ())]


def _build_title_and_year(paper: Paper) -> tuple[str, int] | None:
    return (build_title_key(paper.title), paper.year) if paper.year else None


def _normalise_family_name(name: str) -> str:
    """The family name, normalised for comparison. PubMed writes `Brook A`, others `Ada Brook`."""
    short = re.fullmatch(r"(.+?)\s+[A-Z]{1,3}", name)
    return build_title_key(short[1] if short else person_names.parse_name(name).family)


def _to_wire_name(name: str) -> str:
    return Paper.model_fields[name].serialization_alias or Paper.model_fields[name].alias or name
