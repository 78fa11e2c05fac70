"""Pages of crawls: the list of the person's crawls, a form to start one, and the progress and pages of each."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from fastapi import Response

from assay.entrypoints.console.item_addresses import build_item_path, open_by_id
from assay.entrypoints.console.job_lists import list_own_jobs
from assay.entrypoints.console.page_visit import PageVisit
from assay.errors import InvalidInput, NotFound
from assay.text.url_parts import split_url

PATH = "/console/crawls"
SHOWN = 100  # pages of a crawl at once, as many as its tool returns
MOST_LEVELS = 12  # of the tree; what is deeper stands on the last level
RUNNING = frozenset({"queued", "running"})
FIELDS = ("url", "maxDepth", "maxPages")


@dataclass
class CrawlBranch:
    """The crawled pages below one part of an address, each with its place in the crawl."""

    name: str
    pages: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    below: dict[str, "CrawlBranch"] = field(default_factory=dict)

    @property
    def branches(self) -> Iterator["CrawlBranch"]:
        """The branches below, in the order of their names."""
        return (self.below[name] for name in sorted(self.below))

    @property
    def count(self) -> int:
        """The number of pages here and below."""
        return len(self.pages) + sum(one.count for one in self.below.values())


async def show_crawls(visit: PageVisit) -> Response:
    """The person's crawls and the form of a new one; or the crawl whose id was filled in."""
    if opened := open_by_id(visit):
        return opened
    return visit.show("crawls.html", found=await list_own_jobs(visit, "crawl"))


async def start_crawl(visit: PageVisit) -> Response:
    """Start a crawl, and show it."""
    filled = {name: value for name in FIELDS if (value := visit.form.get(name, "").strip())}
    ticked = {name: visit.form.get(name) == "yes" for name in ("sitemaps", "render")}
    started = await visit.read_tool("cinder_crawl", {**filled, **ticked})
    return visit.redirect(build_item_path(PATH, started["crawlId"]))


async def show_crawl(visit: PageVisit) -> Response:
    """How far a crawl is, and some of its pages."""
    offset = _read_place(visit.query.get("offset") or "0", "offset")
    crawl = await visit.read_tool(
        "cinder_get_crawl_status", {"id": visit.parameters["id"], "offset": offset, "limit": SHOWN}
    )
    return visit.show(
        "crawl.html",
        crawl=crawl,
        is_running=crawl["status"] in RUNNING,
        tree=build_tree(enumerate(crawl["pages"], offset)),
        offset=offset,
        before=max(0, offset - SHOWN) if offset else None,
        after=offset + SHOWN if len(crawl["pages"]) == SHOWN else None,
    )


async def show_crawled_page(visit: PageVisit) -> Response:
    """One page of a crawl with its content."""
    place = _read_place(visit.parameters["place"], "place")
    asked = {"id": visit.parameters["id"], "offset": place, "limit": 1, "includeContent": True}
    crawl = await visit.read_tool("cinder_get_crawl_status", asked)
    if not crawl["pages"]:
        raise NotFound("The crawl has no such page.", field="place")
    return visit.show("crawled_page.html", crawl=crawl, found=crawl["pages"][0], place=place)


async def cancel_crawl(visit: PageVisit) -> Response:
    """End a crawl; what it has read stays, and one that has ended stays as it is."""
    crawl = await visit.read_tool("cinder_cancel_crawl", {"id": visit.parameters["id"]})
    return visit.redirect(build_item_path(PATH, crawl["crawlId"]))


def build_tree(pages: Iterable[tuple[int, dict[str, Any]]]) -> CrawlBranch:
    """The pages as a tree by host and parts of the path."""
    root = CrawlBranch("")
    for place, page in pages:
        branch = root
        for part in split_address(page["url"]):
            branch = branch.below.setdefault(part, CrawlBranch(part))
        branch.pages.append((place, page))
    return root


def split_address(url: str) -> list[str]:
    """The host and the parts of the path, the last with the query."""
    try:
        address = split_url(url)
    except ValueError:
        return ["other addresses", url]
    parts = [part for part in address.path.split("/") if part]
    first, rest = parts[: MOST_LEVELS - 2], parts[MOST_LEVELS - 2 :]
    query = f"?{address.query}" if address.query else ""
    if rest:
        return [address.netloc, *first, "/".join(rest) + query]
    if first and query:
        first[-1] += query
    return [address.netloc, *first] if first or not query else [address.netloc, query]


def _read_place(text: str, name: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 6):
        raise InvalidInput("This is not a page number. Use a whole number.", field=name)
    return int(text)
