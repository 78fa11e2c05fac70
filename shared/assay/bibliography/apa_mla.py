"""Formats works as APA (7th edition) and MLA (9th edition) references in plain text.

The CSL processors for Python were not used: they write wrong page ranges (`1–0`), double full stops and
repeated titles.
"""

from datetime import date

from assay.bibliography import citation_styles
from assay.bibliography.work import CitedWork

RESOLVER, UNTITLED = "https://doi.org/", "[Untitled]"


def apa(work: CitedWork, accessed: date) -> str:
    """Format `Last, F. M. (2024). Title. Container, 3(2), 1–10. https://doi.org/…`; web pages add the access date."""
    if not work.doi and not work.volume:
        return citation_styles.apa(
            work.url, work.title, work.authors, work.container or citation_styles.host(work.url), work.date, accessed
        )
    byline = citation_styles.apa_names(work.authors)
    when = f"({work.date[:4] or 'n.d.'})."
    named = citation_styles.end_sentence(work.title or UNTITLED)
    issue = f"({work.issue})" if work.issue else ""
    pages = work.pages.replace("-", "–")
    place = ", ".join(part for part in (work.container, f"{work.volume}{issue}", pages) if part)
    head = [citation_styles.end_sentence(byline), when, named] if byline else [named, when]
    return " ".join(part for part in (*head, citation_styles.end_sentence(place), link(work)) if part)


def mla(work: CitedWork, accessed: date) -> str:
    """Format `Last, First, et al. "Title." Container, vol. 3, no. 2, 2024, pp. 1-10, https://doi.org/….`"""
    if not work.doi and not work.volume:
        return citation_styles.mla(
            work.url, work.title, work.authors, work.container or citation_styles.host(work.url), work.date, accessed
        )
    quoted = (work.title or UNTITLED).replace('"', "'").replace("“", "‘").replace("”", "’")
    rest = [
        work.container,
        work.volume and f"vol. {work.volume}",
        work.issue and f"no. {work.issue}",
        citation_styles.mla_date(work.date),
        work.pages and f"pp. {work.pages}" if "-" in work.pages else work.pages and f"p. {work.pages}",
        link(work),
    ]
    byline = citation_styles.end_sentence(citation_styles.mla_names(work.authors))
    place = ", ".join(part for part in rest if part)
    return " ".join(part for part in (byline, f'"{citation_styles.end_sentence(quoted)}"', f"{place}.") if part)


def link(work: CitedWork) -> str:
    """Return the DOI URL of the work, else its own URL; a DOI stays valid when a page moves."""
    return RESOLVER + work.doi if work.doi else work.url
