"""Conversion of an upstream's rows to hits. Invalid values are dropped; unusable rows are dropped and counted."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from assay.errors import UpstreamFailed
from assay.models.common import WebHit
from assay.models.papers import Paper
from assay.models.search_queries import ImageHit, NewsHit
from assay.text.plain_text import to_plain_text
from assay.text.url_text import parse_http_url

ABSTRACT = 500  # characters
AUTHORS = 500


class Hits[T](list[T]):
    """The hits of a provider. `more`: whether it reports further hits; `total`: their number in all, None if unknown.

    `warnings`: sentences about parts of the query that it could not serve.
    """

    def __init__(
        self,
        rows: Iterable[T] = (),
        *,
        more: bool | None = None,
        warnings: Iterable[str] = (),
        total: int | None = None,
    ) -> None:
        super().__init__(rows)
        self.more = more
        self.warnings = list(warnings)
        self.total = total


def get_rows(answer: Any, *path: str) -> list[Mapping[str, Any]]:
    """The objects in the list at `path`, without other values; [] if the path ends early. Raises TypeError."""
    node = answer
    if not isinstance(node, Mapping):
        raise TypeError("the answer is not an object")
    for step in path:
        if not isinstance(node, Mapping):
            raise TypeError(f"{step} is not in an object")
        node = node.get(step)
        if node is None:
            return []
    if not isinstance(node, list):
        raise TypeError(f"{path[-1] if path else 'the answer'} is not a list")
    return [row for row in node if isinstance(row, Mapping)]


def require_rows(answer: Any, name: str) -> list[Mapping[str, Any]]:
    """The objects in the list in field `name`. Raises LookupError or TypeError if there is no such list."""
    if not isinstance(answer[name], list):
        raise TypeError(f"{name} is not a list")
    return get_rows(answer, name)


def get_path(row: Any, *path: str | int) -> Any:
    """The value at `path`, or None if a step is missing or of another type."""
    for step in path:
        if isinstance(row, Mapping) and isinstance(step, str):
            row = row.get(step)
        elif isinstance(row, list) and isinstance(step, int) and -len(row) <= step < len(row):
            row = row[step]
        else:
            return None
    return row


def get_list(row: Any, *path: str | int) -> list[Any]:
    """The list at `path`; [] if there is none."""
    found = get_path(row, *path)
    return found if isinstance(found, list) else []


def as_count(value: Any) -> int | None:
    """The value as an integer, or None if it is not a whole number."""
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return int(value) if whole and not isinstance(value, bool) and abs(value) < 2**53 else None


def build_web_hit(title: Any, url: Any, snippet: Any = "", **more: Any) -> WebHit | None:
    """A web result in plain text; None without a title or an http(s) address."""
    at, name = parse_http_url(url), to_plain_text(title, 300)
    if at is None or not name:
        return None
    return WebHit(title=name, url=at.href, snippet=to_plain_text(snippet), display_link=at.host, **more)


class Scored(WebHit):
    """A result with the upstream's own positive score; higher is better."""

    score: float


def with_score(hit: WebHit | None, score: Any) -> WebHit | None:
    """The hit with the upstream's score, if the score is a positive number."""
    is_one = isinstance(score, int | float) and not isinstance(score, bool) and 0 < score < 1e9
    return Scored.model_construct(**dict(hit), score=float(score)) if hit and is_one else hit


def build_news_hit(title: Any, url: Any, snippet: Any = "", *, source: Any = None, **more: Any) -> NewsHit | None:
    """A news article in plain text; None without a title or an http(s) address."""
    at, name = parse_http_url(url), to_plain_text(title, 300)
    if at is None or not name:
        return None
    outlet = to_plain_text(source, 100) or at.host.removeprefix("www.")
    return NewsHit(title=name, url=at.href, source=outlet, snippet=to_plain_text(snippet), **more)


def to_news_hit(hit: WebHit) -> NewsHit:
    """The web result as a news article."""
    fields = hit.model_dump(include={"title", "url", "snippet", "published_at", "engagement"})
    return NewsHit(**fields, source=hit.display_link.removeprefix("www."))


def build_image_hit(title: Any, link: Any, *, page: Any = None, thumbnail: Any = None, **more: Any) -> ImageHit | None:
    """An image; None without an http(s) address. The page's host replaces a missing title."""
    at, on, small = parse_http_url(link), parse_http_url(page), parse_http_url(thumbnail)
    if at is None:
        return None
    host = on.host if on else at.host
    name = to_plain_text(title, 300) or host
    return ImageHit(
        title=name,
        link=at.href,
        display_link=host,
        context_link=on.href if on else None,
        thumbnail_link=small.href if small else None,
        **more,
    )


def usable_results[T](hits: Iterable[T | None], provider: str, **more: Any) -> Hits[T]:
    """The usable hits, with a warning that counts the others. Raises UpstreamFailed if no row is usable."""
    everything = list(hits)
    good = [hit for hit in everything if hit is not None]
    unusable = len(everything) - len(good)
    if unusable and not good:
        raise UpstreamFailed(f"{provider} returned {unusable} result(s), none of which is usable.", provider=provider)
    warnings = list(more.pop("warnings", ()))
    if unusable:
        warnings.append(f"{provider}: {unusable} result(s) without a usable title or address were left out.")
    return Hits(good, warnings=warnings, **more)


def build_paper(title: Any, url: Any, source: str, *, doi_first: bool = False, **more: Any) -> Paper | None:
    """A work in plain text; None without a title, or with neither an http(s) address nor a DOI.

    Its address is `url`, else its DOI's; with `doi_first` the reverse. `more` has further fields of Paper as the
    upstream returns them; invalid values are left out.
    """
    from assay.bibliography.identifiers import build_doi_url

    name, doi = to_plain_text(title, 500), _parse_doi(more.pop("doi", None))
    both = parse_http_url(url), parse_http_url(build_doi_url(doi)) if doi else None
    at = (both[1] or both[0]) if doi_first else (both[0] or both[1])
    if at is None or not name:
        return None
    return Paper(title=name, url=at.href, source=source, doi=doi, **_clean_facts(more))


def _clean_facts(values: dict[str, Any]) -> dict[str, Any]:
    """The fields of a work, cleaned by type, without empty ones."""
    readers: dict[str, Callable[[Any], Any]] = {
        "authors": clean_names,
        "year": _parse_year,
        "citation_count": _to_count,
        "abstract": lambda text: to_plain_text(text, ABSTRACT),
        "tldr": lambda text: to_plain_text(text, ABSTRACT),
        "pdf_url": _parse_pdf_url,
    }
    known: dict[str, Any] = {}
    for field, value in values.items():
        reader = readers.get(field)
        clean = reader(value) if reader else to_plain_text(value, 300) if isinstance(value, str) else value
        if clean not in (None, "", []):
            known[field] = clean
    return known


def clean_names(names: Any) -> list[str]:
    """Names in plain text, in order, without duplicates."""
    cleaned = (to_plain_text(name, 200) for name in (names if isinstance(names, list) else [])[:AUTHORS])
    return list(dict.fromkeys(name for name in cleaned if name))


def _parse_pdf_url(url: Any) -> str | None:
    """The address of a PDF. A DOI leads to a page, so it gives None; an arXiv page gives the address of its PDF."""
    from assay.bibliography.identifiers import identify_url

    at = parse_http_url(url)
    if at is None or at.host in ("doi.org", "dx.doi.org"):
        return None
    identifier = identify_url(at.href)
    return (identifier.pdf_url if identifier else None) or at.href


def _parse_doi(value: Any) -> str | None:
    from assay.bibliography.doi import normalize

    return normalize(value) if isinstance(value, str) else None


def _parse_year(value: Any) -> int | None:
    year = int(value) if isinstance(value, str) and value.isdecimal() else as_count(value)
    return year if year is not None and 1000 <= year <= 2100 else None


def _to_count(value: Any) -> int | None:
    count = as_count(value)
    return count if count is not None and count >= 0 else None
