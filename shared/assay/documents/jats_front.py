"""Front matter of JATS articles: title, authors, keywords, and where and when an article appeared."""

from collections.abc import Callable
from html import escape

from assay.documents.ooxml import find_child, list_children
from assay.text.safe_xml import Element, local_name, read_words

PLACE = ("volume", "issue", "fpage", "lpage", "elocation-id")  # where in a journal a work is

type WriteInside = Callable[[Element], str]


def read_title(meta: Element) -> str:
    return ": ".join(read_words(part) for part in _list_titles(meta))


def _list_titles(meta: Element) -> list[Element]:
    """Return the title and, if there is one, the subtitle."""
    parts = (find_child(meta, "title-group", name) for name in ("article-title", "subtitle"))
    return [part for part in parts if part is not None]


def read_authors(meta: Element) -> tuple[str, ...]:
    """Return the names of the authors, each with the given names first."""
    people = [
        person
        for group in list_children(meta, "contrib-group")
        for person in list_children(group, "contrib")
        if person.get("contrib-type", "author") == "author"
    ]
    return tuple(name for person in people if (name := _read_name(person)))


def _read_name(person: Element) -> str:
    for child in person.iter("{*}name", "{*}string-name", "{*}collab"):
        given, family = find_child(child, "given-names"), find_child(child, "surname")
        if family is None:
            return read_words(child)
        return " ".join(read_words(each) for each in (given, family) if each is not None)
    return ""


def read_date(meta: Element) -> str:
    """Return the first day of the first year in which the article appeared, as far as it is declared."""
    dates = []
    for date in list_children(meta, "pub-date"):
        parts = [read_words(part) for name in ("year", "month", "day") if (part := find_child(date, name)) is not None]
        if parts and all(part.isdecimal() for part in parts):
            dates.append("-".join([parts[0].zfill(4), *(part.zfill(2) for part in parts[1:])]))
    return min(dates, key=lambda date: (date[:4], -len(date), date), default="")


def read_doi(meta: Element) -> str:
    names = (each for each in list_children(meta, "article-id") if each.get("pub-id-type") == "doi")
    return next((read_words(each) for each in names), "")


def write_source(front: Element, meta: Element, published: str, doi: str) -> str:
    """Write journal, volume, issue, pages, date and DOI in one line."""
    journal = next(iter(front.iter("{*}journal-title")), None)
    link = f'<a href="https://doi.org/{escape(doi)}">https://doi.org/{escape(doi)}</a>' if doi else ""
    name = f"<i>{escape(read_words(journal))}</i>" if journal is not None else ""
    return f"<p>{', '.join(part for part in (name, write_place(meta), published, link) if part)}</p>"


def write_place(element: Element) -> str:
    """Write volume, issue and pages as `12(3):45–67`."""
    found = {local_name(child): escape(read_words(child)) for child in element if local_name(child) in PLACE}
    number = found.get("volume", "") + (f"({found['issue']})" if "issue" in found else "")
    pages = "–".join(dict.fromkeys(found[name] for name in ("fpage", "lpage") if name in found))
    return ":".join(part for part in (number, pages or found.get("elocation-id", "")) if part)


def write_keywords(group: Element) -> str:
    words = [escape(read_words(each)) for each in list_children(group, "kwd")]
    title = find_child(group, "title")
    name = "Keywords" if title is None else read_words(title).rstrip(":")
    return f"<p><b>{escape(name)}:</b> {', '.join(words)}</p>" if words else ""
