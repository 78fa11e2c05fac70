"""Records of one work made one: by DOI, by the archives' own names, then by title, year and first author."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from assay.bibliography import person_names
from assay.evaluation import source_type
from assay.models.papers import Paper

PREPRINTS = re.compile(
    r"10\.(?:1101/\d|(?:48550|64898|2139|20944|21203|26434|31234|31219|31235|5281|22541|36227|14293)/)", re.ASCII
)
GENERIC = 3  # words up to which a title may be any work's: Introduction, Editorial, Letter to the editor
FILLED = tuple(name for name in Paper.model_fields if name not in ("title", "url", "source", "fact_sources"))
CITED_MUCH, CITED_MORE = 50, 10  # citations, and how many times as many, that make a twin the likely original


def merge_papers(papers: Iterable[Paper]) -> list[Paper]:
    """The works in their order, each once: what one record lacks is taken from the others, and told so."""
    groups: list[list[Paper]] = []
    by_name: dict[str, list[Paper]] = {}
    by_title: dict[tuple[str, int], list[list[Paper]]] = {}
    for paper in papers:
        group = next((by_name[name] for name in names(paper) if name in by_name), None)
        group = group or next(
            (one for one in _alike(paper, by_title) if all(is_same(paper, other) for other in one)), None
        )
        if group is None:
            group = []
            groups.append(group)
        group.append(paper)
        for name in names(paper):
            by_name.setdefault(name, group)
        if key := _title_and_year(paper):
            listed = by_title.setdefault(key, [])
            if not any(one is group for one in listed):
                listed.append(group)
    return [_one(group) for group in groups]


def names(paper: Paper) -> list[str]:
    """The names that no other work has."""
    told = {"doi": paper.doi, "arxiv": paper.arxiv_id, "pmid": paper.pmid, "pmcid": paper.pmcid}
    if paper.doi and paper.doi.startswith("10.48550/arxiv."):
        told["arxiv"] = paper.doi.removeprefix("10.48550/arxiv.")
    return [f"{kind}:{name.lower()}" for kind, name in told.items() if name]


def is_same(one: Paper, other: Paper) -> bool:
    """Whether two of one title and year are one work: two DOIs of publishers are two works, whatever their titles."""
    if one.doi and other.doi and one.doi != other.doi and not (is_preprint(one) or is_preprint(other)):
        return False
    if one.year != other.year and not (is_preprint(one) or is_preprint(other)):
        return False
    if len(title_key(one.title).split()) <= GENERIC and not (one.authors and other.authors):
        return False
    return not (one.authors and other.authors) or _family(one.authors[0]) == _family(other.authors[0])


def is_preprint(paper: Paper) -> bool:
    return bool(PREPRINTS.match(paper.doi)) if paper.doi else bool(paper.arxiv_id)


def title_key(title: str) -> str:
    """A title's words without case, accents and marks: equal where two writings of it are."""
    folded = unicodedata.normalize("NFKD", title.casefold())
    kept = "".join(letter for letter in folded if not unicodedata.combining(letter))
    return " ".join(re.findall(r"\w+", kept))


def fill_missing(base: Paper, others: Iterable[Paper]) -> Paper:
    """`base` with what it lacks from the others; `fact_sources` says who told each of these facts."""
    update: dict[str, object] = {}
    told = dict(base.fact_sources or {})
    for other in others:
        for name in FILLED:
            if getattr(base, name) is None and name not in update and (fact := getattr(other, name)) is not None:
                update[name] = fact
                source = (other.fact_sources or {}).get(_wire(name), other.source)
                if source != base.source:
                    told[_wire(name)] = source
    return base.model_copy(update=update | {"fact_sources": told or None}) if update else base


def sort_papers(papers: Sequence[Paper], *, newest_first: bool) -> list[Paper]:
    """As they are, or by date; what has no date comes last."""
    if not newest_first:
        return list(papers)
    return sorted(papers, key=lambda paper: paper.publication_date or str(paper.year or ""), reverse=True)


def doubt(papers: Sequence[Paper]) -> None:
    """Mark those whose twin of the same title is cited far more, and whose own host is not known for scholarship."""
    for paper in papers:
        twins = [one for one in papers if one is not paper and title_key(one.title) == title_key(paper.title)]
        most = max((one.citation_count or 0 for one in twins), default=0)
        far_more = most >= CITED_MUCH and most >= CITED_MORE * max(1, paper.citation_count or 0)
        if far_more and source_type.classify(paper.url).domain_category != "academic":
            paper.low_confidence_domain = True


def _one(group: list[Paper]) -> Paper:
    """The published record before the preprint, each filled from the rest."""
    base = next((paper for paper in group if not is_preprint(paper) and paper.doi), group[0])
    return fill_missing(base, (paper for paper in group if paper is not base))


def _alike(paper: Paper, by_title: dict[tuple[str, int], list[list[Paper]]]) -> list[list[Paper]]:
    key = _title_and_year(paper)
    if key is None:
        return []
    title, year = key
    return [group for near in (year, year - 1, year + 1) for group in by_title.get((title, near), ())]


def _title_and_year(paper: Paper) -> tuple[str, int] | None:
    return (title_key(paper.title), paper.year) if paper.year else None


def _family(name: str) -> str:
    """A family name to compare by. PubMed writes `Brook A`, others `Ada Brook`."""
    short = re.fullmatch(r"(.+?)\s+[A-Z]{1,3}", name)
    return title_key(short[1] if short else person_names.name(name).family)


def _wire(name: str) -> str:
    return Paper.model_fields[name].serialization_alias or Paper.model_fields[name].alias or name
