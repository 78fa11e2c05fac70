"""Works as a reader sees them: long lists of authors cut, one work a few lines of text."""

from collections.abc import Iterable

from assay.models.common import Source
from assay.models.papers import Paper

AUTHORS = 20
NAMED = 3  # authors in a line of text
ABSTRACT = 300  # characters in a line of text


def cut(paper: Paper) -> Paper:
    """The paper with its first authors, and how many there are."""
    authors = paper.authors or []
    if len(authors) <= AUTHORS:
        return paper
    return paper.model_copy(update={"authors": authors[:AUTHORS], "author_count": len(authors)})


def lines(papers: Iterable[Paper]) -> list[str]:
    """The papers as numbered text: who, when, where; what is recorded against them; where to read them."""
    told: list[str] = []
    for number, paper in enumerate(papers, 1):
        told.append(f"{number}. {paper.title} ({'; '.join(_facts(paper))})")
        told.append(f"   {paper.url}")
        if status := paper.retraction_status:
            told.append(f"   ON RECORD: {status.kind.replace('_', ' ')}, {status.date or 'undated'}")
        if paper.pdf_url:
            told.append(f"   PDF: {paper.pdf_url}")
        if abstract := paper.abstract or paper.tldr:
            told.append(f"   {abstract if len(abstract) <= ABSTRACT else abstract[:ABSTRACT].rstrip() + '…'}")
    return told


def sources(papers: Iterable[Paper]) -> list[Source]:
    return [
        Source(
            url=paper.url,
            title=paper.title,
            relevance="academic",
            author="; ".join((paper.authors or [])[:NAMED]) or None,
            date=paper.publication_date or (str(paper.year) if paper.year else None),
            doi=paper.doi,
        )
        for paper in papers
    ]


def _facts(paper: Paper) -> list[str]:
    authors = paper.authors or []
    byline = ", ".join(authors[:NAMED]) + (" et al." if len(authors) > NAMED else "")
    cited = f"cited {paper.citation_count} times" if paper.citation_count is not None else ""
    intents = ", ".join(paper.citation_intents or [])
    facts = [byline, str(paper.year or "n.d."), paper.journal or "", cited, f"cites as {intents}" if intents else ""]
    return [fact for fact in facts if fact]
