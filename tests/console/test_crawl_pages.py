"""Crawls at a browser: started, followed, read as a tree, and cancelled."""

from dataclasses import replace

from tests.console.conftest import ADA, EVE, HOSTILE
from tests.console.page_checks import check_html

from assay.entrypoints.console.crawl_pages import MOST_LEVELS, SHOWN, build_tree, split_address
from assay.work_queue.work_timing import WorkTiming
from assay.work_queue.worker import Worker

CRAWLS = "/console/crawls"
QUICK = WorkTiming(idle=0.05, lease=2.0, beat=0.2, sweep=0.2)
SLEEP = "They sleep on the water while they hold hands, so that they do not drift apart."


async def test_a_crawl_is_started_opened_by_its_id_and_cancelled(server, fake_hosts, browse):
    fake_hosts.says("river.test", "/", "<title>River</title><p>Otters</p>", content_type="text/html")
    browser, eve = await browse(), await browse(EVE)
    page = await browser.open(CRAWLS)
    started = await browser.submit(CRAWLS, page, url="http://river.test/", maxPages="5", sitemaps="yes")
    assert started.status_code == 303, started.text
    place = started.headers["location"]
    shown = await browser.open(place)
    tree = check_html(shown.text)
    assert tree.xpath("//section[@id='crawl']/@data-poll")
    assert tree.xpath("//noscript/meta[@http-equiv='refresh']")
    opened = await browser.open(CRAWLS, id=f" {place.rpartition('/')[2]} ")
    assert (opened.status_code, opened.headers["location"]) == (303, place)
    listed = check_html((await browser.open(CRAWLS)).text)
    [row] = listed.xpath("//section[h2='Your crawls']//tbody/tr")
    assert (row.xpath("string(th/a)"), row.xpath("string(th/a/@href)")) == ("http://river.test/", place)
    assert row.xpath("normalize-space(td[1])") == "queued, 0 pages"
    assert "None yet" in (await eve.open(CRAWLS)).text
    foreign = await eve.submit(place, await eve.open(CRAWLS))
    assert foreign.status_code == 404
    assert (await browser.submit(place, shown)).headers["location"] == place
    ended = await browser.open(place)
    assert not check_html(ended.text).xpath("//@data-poll")
    assert "cancelled" in ended.text
    wrong = await browser.submit(CRAWLS, page, url="javascript:taken()")
    assert (wrong.status_code, "url" in wrong.text) == (400, True)


async def test_a_key_that_may_crawl_and_list_nothing_has_the_form_and_is_told_why(server, browse):
    page = await (await browse(replace(ADA, scopes=frozenset({"tool:cinder_crawl"})))).open(CRAWLS)
    assert page.status_code == 200
    tree = check_html(page.text)
    assert "key for every tool" in tree.xpath("string(//section[h2='Your crawls'])")
    assert tree.xpath("//input[@name='maxPages']")


async def test_a_finished_crawl_is_a_tree_of_what_was_read_and_what_was_not(server, fake_hosts, browse):
    for path, body, status in (
        ("/robots.txt", "User-agent: *\nCrawl-delay: 0\n", 200),
        (
            "/",
            "<title>River</title><p>Read of <a href='/sea/otters'>otters</a> and <a href='/sea/gone'>others</a>.",
            200,
        ),
        ("/sea/otters", f"<title>Otters</title><p>{SLEEP} ![x](javascript:taken())", 200),
        ("/sea/gone", "gone", 404),
    ):
        kind = "text/plain" if path == "/robots.txt" else "text/html; charset=utf-8"
        fake_hosts.says("river.test", path, body, status, content_type=kind)
    browser = await browse()
    started = await browser.submit(CRAWLS, await browser.open(CRAWLS), url="http://river.test/", maxPages="5")
    await Worker(server, server.queue, QUICK).run()
    tree = check_html((await browser.open(started.headers["location"])).text)
    assert tree.xpath("string(//dt[text()='state']/following-sibling::dd)") == "completed"
    [sea] = tree.xpath("//details[@data-key='river.test/sea']")
    pages = {" ".join(each.text_content().split()) for each in sea.xpath("ul/li")}
    assert {text.split()[0] for text in pages} == {"otters", "gone"}
    assert any("HTTP 404" in text for text in pages)
    [otters] = sea.xpath(".//a[contains(., 'Otters')]/@href")
    content = check_html((await browser.open(otters)).text)
    assert SLEEP in content.xpath("string(//div[@class='markdown'])")


async def test_a_crawled_page_is_read_as_markdown_and_hostile_text_stays_text(ada, browse):
    browser = await browse()
    place = f"{CRAWLS}/{ada.crawl}"
    shown = check_html((await browser.open(place)).text)
    [link] = shown.xpath("//ul[@class='tree']//a[contains(@href, '/pages/')]")
    assert HOSTILE[:10] in link.text_content()
    page = check_html((await browser.open(link.get("href"))).text)
    assert page.xpath("string(//div[@class='markdown']/h3)").startswith("Otters zander<svg")
    for missing in ("1", "-1", "x", "9" * 7):
        assert (await browser.open(f"{place}/pages/{missing}")).status_code in (400, 404)
    assert (await browser.open(place, offset="x")).status_code == 400


def test_addresses_make_a_tree_of_bounded_depth():
    urls = [
        "https://a.test/",
        "https://a.test/x/y?q=1",
        "https://a.test/x",
        "https://b.test/" + "d/" * 5_000,
        "http://[",
        "https://a.test/?q",
    ]
    tree = build_tree((place, {"url": url}) for place, url in enumerate(urls))
    assert tree.count == len(urls)
    assert sorted(tree.below) == ["a.test", "b.test", "other addresses"]
    assert [place for place, _ in tree.below["a.test"].below["x"].pages] == [2]
    assert list(tree.below["a.test"].below["x"].below) == ["y?q=1"]
    assert max(len(split_address(url)) for url in urls) == MOST_LEVELS
    assert SHOWN == 100
