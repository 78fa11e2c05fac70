"""Formats citations of web pages in APA, MLA and BibTeX."""

import re
import unicodedata
from collections.abc import Sequence
from datetime import date

from assay.bibliography import person_names
from assay.bibliography.person_names import Name
from assay.models.common import Citation, CitationFormats, CitationMetadata
from assay.text.url_parts import split_url

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
UNTITLED = "[Untitled page]"
DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?")
LATEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
    }
)
NOT_IN_KEY = re.compile(r"[^a-z0-9]+")
MOST = 20  # authors that APA lists; of more it lists the first 19 and the last


def build_citation(
    url: str,
    *,
    accessed: date,
    title: str = "",
    authors: Sequence[str] = (),
    site: str = "",
    published: str = "",
    doi: str = "",
) -> Citation:
    """Build the citation of the page at `url`, accessed on the day `accessed`.

    `published` is an ISO 8601 date, complete or partial; "" means unknown. Each of `authors` is one full name.
    """
    title, site = " ".join(title.split()), " ".join(site.split())
    names = [person_names.parse_name(author) for author in authors if author.strip()]
    place, today = site or find_host(url), accessed.isoformat()
    return Citation(
        url=url,
        accessed_date=today,
        metadata=CitationMetadata(title=title, author="; ".join(authors), site=site, date=published),
        formatted=CitationFormats(
            apa=format_apa(url, title, names, place, published, today),
            mla=format_mla(url, title, names, place, published, today),
            bibtex=format_bibtex(url, title, names, place, published, doi, today),
        ),
    )


def find_host(url: str) -> str:
    try:
        return (split_url(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def format_apa(url: str, title: str, names: Sequence[Name], site: str, published: str, accessed: str) -> str:
    """Format `Last, F. M. (2024, May 1). Title. Site. Retrieved 2026-01-31, from URL`."""
    when = f"({_format_apa_date(published)})."
    byline = format_apa_names(names)
    named = end_sentence(title or UNTITLED)
    parts = [end_sentence(byline), when, named] if byline else [named, when]
    if site and site.casefold() != byline.casefold():
        parts.append(end_sentence(site))
    return " ".join([*parts, f"Retrieved {accessed}, from {url}"])


def format_mla(url: str, title: str, names: Sequence[Name], site: str, published: str, accessed: str) -> str:
    """Format `Last, First. "Title." Site, 1 May 2024, URL. Accessed 2026-01-31.`"""
    byline = format_mla_names(names)
    quoted = (title or UNTITLED).replace('"', "'").replace("“", "‘").replace("”", "’")
    rest = ", ".join(filter(None, (site, format_mla_date(published), url)))
    cited = f'"{end_sentence(quoted)}" {rest}. Accessed {accessed}.'
    return f"{end_sentence(byline)} {cited}" if byline else cited


def format_bibtex(
    url: str, title: str, names: Sequence[Name], site: str, published: str, doi: str, accessed: str
) -> str:
    """Format a BibTeX entry: `@article` with a DOI, else `@misc`. Values are escaped for LaTeX, URLs are not."""
    link = url.replace("{", "%7B").replace("}", "%7D").replace("\\", "%5C")
    year = published[:4]
    fields = {
        "author": " and ".join(_format_bibtex_name(name) for name in names),
        "title": f"{{{escape_bibtex(title or UNTITLED)}}}",
        "journal" if doi else "howpublished": escape_bibtex(site) if doi else f"\\url{{{link}}}",
        "organization": "" if doi else escape_bibtex(site),
        "year": year,
        "doi": doi,
        "url": link,
        "urldate": accessed,
    }
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    return f"@{'article' if doi else 'misc'}{{{build_key(title, names, year, site)},\n" + ",\n".join(lines) + "\n}"


def build_key(title: str, names: Sequence[Name], year: str, site: str = "") -> str:
    """Build a citation key of surname, year and first title word in lower-case ASCII: `smith2024how`."""
    surname = _fold_word(names[0].family) if names else ""
    first = next((word for word in map(_fold_word, title.split()) if word), "")
    return f"{surname or _fold_word(site.partition('.')[0])}{year}{first}" or "page"


def escape_bibtex(text: str) -> str:
    return text.translate(LATEX)


def _fold_word(word: str) -> str:
    if not word.isascii():
        word = unicodedata.normalize("NFKD", word.replace("ß", "ss").replace("ø", "o").replace("ł", "l"))
    return NOT_IN_KEY.sub("", word.lower())


def end_sentence(text: str) -> str:
    return text if not text or text[-1] in ".?!…。？！" else f"{text}."


def format_apa_names(names: Sequence[Name]) -> str:
    formatted = [", ".join(filter(None, (name.family, name.format_initials(), name.suffix))) for name in names]
    if len(formatted) > MOST:
        return f"{', '.join(formatted[: MOST - 1])}, … {formatted[-1]}"
    return f"{', '.join(formatted[:-1])}, & {formatted[-1]}" if len(formatted) > 1 else "".join(formatted)


def format_mla_names(names: Sequence[Name]) -> str:
    if len(names) > 2:
        return f"{names[0].format_inverted()}, et al."
    return ", and ".join([names[0].format_inverted(), *(name.format_direct() for name in names[1:])]) if names else ""


def _format_bibtex_name(name: Name) -> str:
    if not name.given:
        return f"{{{escape_bibtex(name.family)}}}"
    return escape_bibtex(", ".join(filter(None, (name.family, name.suffix, name.given))))


def _format_apa_date(published: str) -> str:
    """Format `2024, May 1` or the known part of it; `n.d.` without a date."""
    year, month, day = _split_date(published)
    return f"{year}, {MONTHS[month - 1]}{f' {day}' if day else ''}" if month else year or "n.d."


def format_mla_date(published: str) -> str:
    year, month, day = _split_date(published)
    if not month:
        return year
    name = MONTHS[month - 1]
    short = name if len(name) <= 4 else "Sept." if month == 9 else f"{name[:3]}."
    return " ".join(filter(None, (str(day or ""), short, year)))


def _split_date(published: str) -> tuple[str, int, int]:
    found = DATE.match(published)
    if not found:
        return "", 0, 0
    month = int(found[2] or 0)
    return found[1], month if month <= 12 else 0, int(found[3] or 0)
