"""One provider asked inside a lens: in as many questions as it needs, and every result checked."""

import asyncio
from collections.abc import Iterable, Iterator
from itertools import chain, islice, zip_longest

from assay.errors import ConfigError, InvalidInput
from assay.models.common import WebHit, WebQuery
from assay.provider_base.provider import FilteredWebQuery, Provider, find_provider
from assay.provider_base.results import Hits
from assay.search.lenses import Lens
from assay.search.single_query import unique, unsupported_fields
from assay.settings import Settings
from assay.text.query_operators import within
from assay.text.url_text import belongs, place

READ_ANYHOW = 30  # results of a provider that cannot be asked for hosts, to choose from
LEAST_ROOM = 60  # characters of a question that hosts never take away


async def web(source: Provider, ask: WebQuery, lens: Lens | None, *, most_parts: int | None = None) -> Hits[WebHit]:
    """The results of `source`: unique, inside the lens or the site, at most as many as asked for.

    A page of a longer list is left whole: what is cut off it would be on no other page. `most_parts` is how many
    questions a lens may be split into: a lens lists its most important hosts first.
    """
    domains = lens.domains if lens else site_of(ask)
    answers = await _side_by_side(source, list(islice(_questions(source, ask, lens), most_parts)))
    linked = links_only(source, domains) if lens is None else None
    hits, off = _inside(unique(_in_turns(answers), lambda hit: hit.url), () if linked else domains)
    warnings = list(
        dict.fromkeys(chain(unsupported_fields(source, ask, "web"), *(answer.warnings for answer in answers)))
    )
    if linked:
        warnings.append(linked)
    if off:
        warnings.append(f"{off} result(s) outside {f'the lens {lens.name}' if lens else ask.site} were left out.")
    more = any(answer.more for answer in answers) if any(answer.more is not None for answer in answers) else None
    most = None if isinstance(ask, FilteredWebQuery) else ask.num_results
    return Hits(hits[:most], more=more, warnings=warnings)


def links_only(source: Provider, domains: tuple[str, ...]) -> str | None:
    """What to say of results that link to the site but stand elsewhere; None where they can stand on the site."""
    if not domains or not source.own_hosts or source.is_own(domains[0]):
        return None
    return f"{source.name} has its own pages alone: these link to {domains[0]}, or name it."


def only_provider(lens: Lens) -> str:
    """The one provider that can hold to a lens without domains."""
    return "google" if lens.cx else "brave"


def chosen_provider(lens: Lens, settings: Settings) -> str | None:
    """Google for a lens with an engine of its own there, where Google can be asked; None where anyone will do."""
    if lens.cx and find_provider("google").is_configured(settings):
        return "google"
    return None if lens.domains else only_provider(lens)


def site_of(ask: WebQuery) -> tuple[str, ...]:
    """The one domain of `site`, however it was written; InvalidInput where it is none."""
    if not ask.site:
        return ()
    domain = domain_of(ask.site)
    if domain is None:
        raise InvalidInput("site is no domain: write example.org or example.org/path.", field="site")
    return (domain,)


def domain_of(name: str) -> str | None:
    """`host` or `host/path`, however it was written (`https://www.host/`, `*.host`); None for what is no domain."""
    name = name.strip().removeprefix("*").lstrip(".")
    at = place(name if "://" in name else f"https://{name}")
    return at and at.host.removeprefix("www.") + at.path.rstrip("/").lower()


async def _side_by_side(source: Provider, questions: list[WebQuery]) -> list[Hits[WebHit]]:
    if len(questions) == 1:
        return [await _one(source, questions[0])]
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(_one(source, question)) for question in questions]
    except BaseExceptionGroup as several:
        raise several.exceptions[0] from None
    return [task.result() for task in tasks]


async def _one(source: Provider, question: WebQuery) -> Hits[WebHit]:
    await source.wait_for_slot()
    return await source.ask("web", question)


def _questions(source: Provider, ask: WebQuery, lens: Lens | None) -> Iterator[WebQuery]:
    kind = FilteredWebQuery if isinstance(ask, FilteredWebQuery) else WebQuery
    plain = {name: getattr(ask, name) for name in kind.model_fields}
    if lens is None:
        yield kind.model_construct(**plain | {"site": next(iter(site_of(ask)), None)})
    elif lens.cx and source.name == "google":
        yield FilteredWebQuery.model_construct(**plain | {"cx": lens.cx})
    elif not lens.domains:
        if source.name != only_provider(lens):
            raise ConfigError(
                f"The lens {lens.name} names no domains; only {only_provider(lens)} can hold to it.",
                field="lens",
                alternatives=[only_provider(lens)],
            )
        yield FilteredWebQuery.model_construct(**plain | {"goggle": lens.goggle, "cx": lens.cx})
    elif not source.sites_limit:
        yield kind.model_construct(**plain | {"num_results": READ_ANYHOW})
    else:
        for sites in _parts(source, ask, lens.domains):
            yield FilteredWebQuery.model_construct(**plain | {"sites": sites})


def _parts(source: Provider, ask: WebQuery, domains: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The domains in groups that one question of this engine can hold."""
    words = len(ask.query) + len(ask.exact_terms or "") + len(ask.exclude_terms or "") * 2 + 8
    room = max(source.max_query_chars - words, source.max_query_chars // 2, LEAST_ROOM)
    part: tuple[str, ...] = ()
    for domain in domains:
        if part and (len(part) >= source.sites_limit or len(within((*part, domain))) > room):
            yield part
            part = ()
        part = (*part, domain)
    yield part


def _in_turns(answers: Iterable[Hits[WebHit]]) -> Iterator[WebHit]:
    """The best of each answer first, then the second of each."""
    for row in zip_longest(*answers):
        yield from (hit for hit in row if hit is not None)


def _inside(hits: Iterable[WebHit], domains: tuple[str, ...]) -> tuple[list[WebHit], int]:
    everything = list(hits)
    inside = [hit for hit in everything if not domains or belongs(hit.url, domains)]
    return inside, len(everything) - len(inside)
