"""Text output of works: shortened author lists, and a few lines per work."""

from collections.abc import Iterable

from assay.models.common import Source
from assay.models.papers import Paper

MAX_AUTHORS = 20
BYLINE_AUTHORS = 3
ABSTRACT_CHARS = 300


def shorten_authors(paper: Paper) -> Paper:
    """The paper with at most 20 authors; `author_count` has the full number if some were dropped."""
    authors = paper.authors or []
    if len(authors) <= MAX_AUTHORS:
        return paper
    return paper.model_copy(update={"authors": authors[:MAX_AUTHORS], "author_count": len(authors)})


def format_papers(papers: Iterable[Paper]) -> list[str]:
    """The papers as numbered text: byline, year and journal, URL, retraction notice, PDF and abstract."""
    lines: list[str] = []
    for number, paper in enumerate(papers, 1):
        lines.append(f"{number}. {paper.title} ({'; '.join(_list_facts(paper))})")
        lines.append(f"   {paper.url}")
        if status := paper.retraction_status:
            lines.append(f"   ON RECORD: {status.kind.replace('_', ' ')}, {status.date or 'undated'}")
        if paper.pdf_url:
            lines.append(f"   PDF: {paper.pdf_url}")
        if abstract := paper.abstract or paper.tldr:
            lines.append(
                f"   {abstract if len(abstract) <= ABSTRACT_CHARS else abstract[:ABSTRACT_CHARS].rstrip() + '…'}"
            )
    return lines


def to_sources(papers: Iterable[Paper]) -> list[Source]:
    """The papers as sources of a research session."""
    return [
        Source(
            url=paper.url,
            title=paper.title,
            relevance="academic",
            author="; ".join((paper.authors or [])[:BYLINE_AUTHORS]) or None,
            date=paper.publication_date or (str(paper.year) if paper.year else None),
            doi=paper.doi,
        )
        for paper in papers
    ]


def _list_facts(paper: Paper) -> list[str]:
    authors = paper.authors or []
    byline = ", ".join(authors[:BYLINE_AUTHORS]) + (" et al." if len(authors) > BYLINE_AUTHORS else "")
    cited = f"cited {paper.citation_count} times" if paper.citation_count is not None else ""
    intents = ", ".join(paper.citation_intents or [])
    facts = [byline, str(paper.year or "n.d."), paper.journal or "", cited, f"cites as {intents}" if intents else ""]
    return [fact for fact in facts if fact]
