"""From the rows of an upstream's answer to hits: what is missing or of another kind is left out, and counted."""

from collections.abc import Iterable, Mapping
from typing import Any

from assay.errors import UpstreamFailed
from assay.models import WebHit
from assay.queries import ImageHit, NewsHit
from assay.text.plain import plain
from assay.text.urls import place


class Hits[T](list[T]):
    """What a provider found. `more`: whether it says that there is more; `warnings`: what it could not do as asked."""

    def __init__(self, rows: Iterable[T] = (), *, more: bool | None = None, warnings: Iterable[str] = ()) -> None:
        super().__init__(rows)
        self.more = more
        self.warnings = list(warnings)


def rows(answer: Any, *path: str) -> list[Mapping[str, Any]]:
    """The objects in the list at `path`; [] where the path ends early. What is no object in the list is skipped."""
    node = answer
    if not isinstance(node, Mapping):
        raise TypeError("the answer is no object")
    for step in path:
        if not isinstance(node, Mapping):
            raise TypeError(f"{step} is in no object")
        node = node.get(step)
        if node is None:
            return []
    if not isinstance(node, list):
        raise TypeError(f"{path[-1] if path else 'the answer'} is no list")
    return [row for row in node if isinstance(row, Mapping)]


def dug(row: Any, *path: str | int) -> Any:
    """What lies at `path`, or None where anything on the way is missing or of another kind."""
    for step in path:
        if isinstance(row, Mapping) and isinstance(step, str):
            row = row.get(step)
        elif isinstance(row, list) and isinstance(step, int) and -len(row) <= step < len(row):
            row = row[step]
        else:
            return None
    return row


def counted(value: Any) -> int | None:
    """A count, or None where it is none."""
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return int(value) if whole and not isinstance(value, bool) and abs(value) < 2**53 else None


def web_hit(title: Any, url: Any, snippet: Any = "", **more: Any) -> WebHit | None:
    """A result in plain text, or None where it has no title or no http(s) address."""
    at, name = place(url), plain(title, 300)
    if at is None or not name:
        return None
    return WebHit(title=name, url=at.href, snippet=plain(snippet), display_link=at.host, **more)


def news_hit(title: Any, url: Any, snippet: Any = "", *, source: Any = None, **more: Any) -> NewsHit | None:
    """An article in plain text, or None where it has no title or no http(s) address."""
    at, name = place(url), plain(title, 300)
    if at is None or not name:
        return None
    outlet = plain(source, 100) or at.host.removeprefix("www.")
    return NewsHit(title=name, url=at.href, source=outlet, snippet=plain(snippet), **more)


def as_news(hit: WebHit) -> NewsHit:
    """A result as an article, where the two are one and the same."""
    told = hit.model_dump(include={"title", "url", "snippet", "published_at", "engagement"})
    return NewsHit(**told, source=hit.display_link.removeprefix("www."))


def image_hit(title: Any, link: Any, *, page: Any = None, thumbnail: Any = None, **more: Any) -> ImageHit | None:
    """A picture, or None where it has no http(s) address. One without a title has its page's host for one."""
    at, on, small = place(link), place(page), place(thumbnail)
    if at is None:
        return None
    host = on.host if on else at.host
    name = plain(title, 300) or host
    return ImageHit(
        title=name,
        link=at.href,
        display_link=host,
        context_link=on.href if on else None,
        thumbnail_link=small.href if small else None,
        **more,
    )


def kept[T](hits: Iterable[T | None], provider: str, **more: Any) -> Hits[T]:
    """The usable hits, with a warning that counts the others. UpstreamFailed where none of them is."""
    everything = list(hits)
    good = [hit for hit in everything if hit is not None]
    lost = len(everything) - len(good)
    if lost and not good:
        raise UpstreamFailed(f"{provider} answered {lost} result(s), none of which can be used.", provider=provider)
    warnings = list(more.pop("warnings", ()))
    if lost:
        warnings.append(f"{provider}: {lost} result(s) without a usable title or address were left out.")
    return Hits(good, warnings=warnings, **more)
