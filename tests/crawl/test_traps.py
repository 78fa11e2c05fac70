"""Sites that never end, by design or by accident: the budget ends them, and their repetition is told."""

import tracemalloc

import pytest

from assay.crawl.job import CRAWLS
from assay.crawl.traps import Traps, shape_of, signature_of


class EndlessPages(dict):
    """The pages of a site, made when they are asked for."""

    def __init__(self, make):
        self._make = make

    def get(self, path, default=None):
        return self._make(path) or default


@pytest.fixture
def endless(site):
    def serve(make):
        response = type(site.says("/x", "x")) and type(site.pages["/x"])
        headers = {"content-type": "text/html; charset=utf-8"}
        site.pages = EndlessPages(
            lambda path: None if path == "/robots.txt" else response(make(path).encode(), 200, headers)
        )

    return serve


def day(path):
    n = int(path.rpartition("=")[2] or 0)
    text = "No event takes place in the house by the river on this day of the month. " * 4
    return f"<title>Day {n}</title><article><h1>Day {n}</h1><p>{text}</p></article><a href='/cal?d={n + 1}'>next</a>"


async def test_a_calendar_ends_at_the_budget_and_is_reported(crawl, site, endless):
    endless(day)
    status = await crawl(site.url + "/cal?d=0", maxDepth=10, maxPages=9)
    assert status["status"] == "completed"
    assert status["pagesFound"] == len(status["pages"]) == 9
    assert status["pages"][5]["nearDuplicateOf"] == site.url + "/cal?d=0"
    assert "nearly repeat" in status["notes"][0]
    assert "/cal?d" in status["notes"][0]


async def test_a_trap_does_not_keep_a_crawl_from_the_pages_beside_it(crawl, site, endless, page):
    """Once it is known for what it is, what it links is read last."""

    def make(path):
        if path.startswith("/cal"):
            return day(path)
        if path == "/":
            return page(["/cal?d=1", "/story/1"])
        n = int(path.rpartition("/")[2])
        tale = " ".join(f"word{chr(97 + n)}{chr(97 + place % 26)}{chr(97 + place // 26)}" for place in range(80))
        return page([f"/story/{n + 1}"]).replace("upstream", tale)

    endless(make)
    status = await crawl(site.url + "/", maxDepth=10, maxPages=16)
    stories = [row["url"] for row in status["pages"] if "/story/" in row["url"]]
    assert len(status["pages"]) == 16
    assert len(stories) == 9  # as deep as the crawl goes; one of each in turn would be seven


@pytest.mark.parametrize("shape", ["/a/{n}/b", "/p?sid=abc&page={n}", "/s;x={n}", "/deep/" + "{n}/" * 9])
async def test_whatever_shape_a_trap_has_it_ends(crawl, site, endless, shape):
    count = iter(range(100_000))
    endless(lambda path: f"<p>{'Words of a page without end. ' * 9}</p><a href='{shape.format(n=next(count))}'>x</a>")
    status = await crawl(site.url + "/", maxDepth=10, maxPages=12)
    assert (status["status"], len(status["pages"])) == ("completed", 10)


async def test_a_page_with_ten_thousand_links_fills_the_budget_and_no_more(crawl, site, endless, services):
    links = iter(range(10_000_000))
    endless(
        lambda _: (
            f"<p>{'Words of a page. ' * 20}</p>" + "".join(f"<a href='/{next(links)}'>x</a>" for _ in range(10_000))
        )
    )
    tracemalloc.start()
    status = await crawl(site.url + "/", maxDepth=10, maxPages=3)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (status["pagesFound"], len(status["pages"])) == (3, 3)
    rows = [item async for item in every(services.table, CRAWLS.key_of(status["crawlId"]), "url/")]
    assert len(rows) <= 2 * 3
    assert peak < 60 * 1024 * 1024


async def every(table, key, prefix):
    after = None
    while True:
        page = await table.query(key, prefix, after=after)
        for item in page.items:
            yield item
        if page.after is None:
            return
        after = page.after


def test_numbers_and_values_do_not_change_a_shape():
    assert shape_of("http://a.org/2025/04/x?page=3&sort=up") == shape_of("http://a.org/1999/12/x?sort=down&page=9")
    assert shape_of("http://a.org/a?x=1") != shape_of("http://a.org/a?y=1")


def test_five_pages_in_a_row_that_say_the_same_are_a_trap_and_news_ends_it():
    traps = Traps()
    same = signature_of("The same words on every page of this long calendar, day after day, week after week. " * 3)
    for n in range(6):
        assert not traps.is_trap("http://a.org/9")
        traps.add_page(f"http://a.org/{n}", same)
    assert traps.is_trap("http://a.org/9")
    assert traps.describe() == ["/0"]
    traps.add_page(
        "http://a.org/7", signature_of("Something else altogether happens at last in the town by the river. " * 3)
    )
    assert not traps.is_trap("http://a.org/9")


@pytest.mark.parametrize("text", ["", "1 2 3", "one", "日本語のページです", "x " * 100_000])
def test_any_text_has_a_signature(text):
    assert signature_of(text) == signature_of(text)
    assert len(signature_of(text)) == 32
