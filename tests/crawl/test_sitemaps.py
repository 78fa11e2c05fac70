"""Pages that a site names itself."""

import gzip
import time
from dataclasses import replace
from functools import partial

import pytest

HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urlset(*urls: str) -> str:
    return f"{HEAD}<urlset {NS}>{''.join(f'<url><loc> {url} </loc><lastmod>2025</lastmod></url>' for url in urls)}</urlset>"


def index(*urls: str) -> str:
    return f"{HEAD}<sitemapindex {NS}>{''.join(f'<sitemap><loc>{url}</loc></sitemap>' for url in urls)}</sitemapindex>"


@pytest.fixture
def islands(site, page):
    """Pages that no page links."""
    for n in range(6):
        site.says(f"/island/{n}", page(n=n))
    return site.says("/", page())


async def test_they_are_read_when_asked_for_and_only_then(crawl, site, islands, visited_paths):
    site.says("/sitemap.xml", urlset(f"{site.url}/island/1", f"{site.url}/island/2"), kind="application/xml")
    assert (await crawl(islands))["pagesFound"] == 1
    status = await crawl(islands, sitemaps=True)
    assert status["pagesFound"] == 3
    assert visited_paths()[-2:] == ["/island/1", "/island/2"]


async def test_robots_txt_says_where_they_lie_and_an_index_leads_on(crawl, site, islands):
    site.says(
        "/robots.txt",
        f"Sitemap: {site.url}/maps/index.xml # here\nUser-agent: *\nDisallow: /island/3",
        kind="text/plain",
    )
    site.says(
        "/maps/index.xml", index(f"{site.url}/maps/a.xml.gz", f"{site.url}/maps/b.txt", f"{site.url}/maps/index.xml")
    )
    site.says("/maps/a.xml.gz", gzip.compress(urlset(f"{site.url}/island/0", f"{site.url}/island/3").encode()))
    site.says("/maps/b.txt", f"{site.url}/island/4\nno address\n{site.url}/island/5\n", kind="text/plain")
    status = await crawl(islands, sitemaps=True)
    assert [row["url"].removeprefix(site.url) for row in status["pages"]] == [
        "/",
        "/island/0",
        "/island/4",
        "/island/5",
    ]


async def test_patterns_scope_and_budget_hold_for_them_too(crawl, site, islands, visited_paths):
    named = [f"{site.url}/island/{n}" for n in range(6)]
    site.says("/sitemap.xml", urlset("http://other.example/x", "ftp://x/", *named, *named), kind="application/xml")
    status = await crawl(islands, sitemaps=True, excludePatterns=["/0$"], maxPages=4)
    assert status["pagesFound"] == 4
    assert [path for path in visited_paths() if path != "/sitemap.xml"] == ["/", "/island/1", "/island/2", "/island/3"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html><body>no sitemap",
        b"<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><urlset><url><loc>&a;</loc></url></urlset>",
        b"\x1f\x8bbroken",
        partial(gzip.compress, b"\0" * 30_000_000),  # takes long
        b"\x00\xff" * 1000,
    ],
)
async def test_what_is_none_does_no_harm(crawl, site, islands, body):
    site.says("/sitemap.xml", body() if callable(body) else body, kind="application/xml")
    status = await crawl(islands, sitemaps=True)
    assert (status["status"], status["pagesFound"]) == ("completed", 1)


async def test_maps_that_lead_on_for_ever_come_to_an_end(crawl, site, islands):
    for n in range(40):
        site.says(f"/map/{n}.xml", index(f"{site.url}/map/{n + 1}.xml"))
    site.says("/robots.txt", f"Sitemap: {site.url}/map/0.xml", kind="text/plain")
    await crawl(islands, sitemaps=True)
    assert sum(request.path.startswith("/map/") for request in site.requests) == 10


async def test_a_page_they_name_that_fails_does_not_fail_the_crawl(crawl, site, services, page):
    """Several are read at a time, and the one that is not there is told first."""
    services.settings = replace(services.settings, crawl_per_host=4)
    site.says("/sitemap.xml", urlset(f"{site.url}/gone"), kind="application/xml")
    url = site.says("/", page(["/a"]), before=lambda: time.sleep(0.2))
    site.says("/a", page())
    status = await crawl(url, sitemaps=True)
    assert status["pages"][0]["statusCode"] == 404
    assert (status["status"], status["pagesFound"], status["pagesCrawled"]) == ("completed", 3, 2)
