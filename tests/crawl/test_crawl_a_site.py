"""Which pages a crawl reads, how often, in which order, and what it says of each."""

from dataclasses import replace

import pytest

from assay.state.ports import Rendered


async def test_every_page_is_read_once_breadth_first(crawl, tree, visited_paths, paths):
    url = tree({"/": ["/a", "/b", "/"], "/a": ["/c", "/b"], "/b": ["/c", "/a", "/d#part"], "/c": ["/"], "/d": ["/c"]})
    status = await crawl(url, maxDepth=10)
    assert status["status"] == "completed"
    assert paths(status) == ["", "a", "b", "c", "d"]
    assert sorted(visited_paths()) == ["/", "/a", "/b", "/c", "/d"]
    assert [row["depth"] for row in status["pages"]] == [1, 2, 2, 3, 3]
    assert (status["pagesFound"], status["pagesCrawled"], status["progress"]) == (5, 5, 100)
    assert status["hasMore"] is False
    assert "nextOffset" not in status
    assert "completedAt" in status


@pytest.mark.parametrize(("depth", "count"), [(1, 1), (2, 3), (3, 5)])
async def test_depth_counts_from_the_start_page(crawl, tree, depth, count):
    url = tree({"/": ["/a", "/b"], "/a": ["/c"], "/b": ["/d"], "/c": ["/e"], "/d": [], "/e": []})
    status = await crawl(url, maxDepth=depth)
    assert status["pagesFound"] == len(status["pages"]) == count


@pytest.mark.parametrize("most", [1, 2, 5, 9])
async def test_no_more_pages_are_tried_than_allowed_failures_among_them(crawl, site, page, most, visited_paths):
    url = site.says("/", page([f"/{n}" for n in range(20)]))
    for n in range(0, 20, 2):
        site.says(f"/{n}", page(n=n))
    status = await crawl(url, maxPages=most)
    assert status["status"] == "completed"
    assert status["pagesFound"] == len(status["pages"]) == len(visited_paths()) == most
    assert status["pagesCrawled"] == sum(row["statusCode"] < 400 for row in status["pages"])


async def test_a_page_that_fails_is_listed_and_fails_no_other(crawl, site, page):
    url = site.says("/", page(["/gone", "/broken", "/sound"]))
    site.says("/broken", "no", status=500)
    site.says("/sound", page(n="sound"))
    status = await crawl(url)
    output = {row["url"].rpartition("/")[2]: row for row in status["pages"]}
    assert status["status"] == "completed"
    assert (output["gone"]["statusCode"], output["gone"]["error"]) == (404, "HTTP 404")
    assert (output["broken"]["statusCode"], output["broken"]["error"]) == (500, "HTTP 500")
    assert output["sound"]["statusCode"] == 200
    assert (status["pagesFound"], status["pagesCrawled"]) == (4, 2)


async def test_what_fails_for_now_is_tried_again(crawl, site, page):
    url = site.says("/", page(["/shy"]))
    site.says("/shy", "busy", status=503, headers={"retry-after": "0"})
    tries = []

    def relent():
        tries.append(1)
        if len(tries) == 2:
            site.says("/shy", page(n="shy"))

    site.pages["/shy"].before = relent
    status = await crawl(url)
    assert status["pages"][1]["statusCode"] == 200
    assert len([request for request in site.requests if request.path == "/shy"]) == 3
    assert status["pagesFound"] == 2


async def test_a_server_that_asks_for_too_long_a_pause_is_left(crawl, site, page):
    url = site.says("/", page(["/later"]))
    site.says("/later", "busy", status=429, headers={"retry-after": "3600"})
    status = await crawl(url)
    assert status["pages"][1]["statusCode"] == 429
    assert len([request for request in site.requests if request.path == "/later"]) == 1


@pytest.mark.parametrize("code", [404, 500, 403])
async def test_a_crawl_whose_start_page_fails_has_failed(crawl, site, page, code):
    status = await crawl(site.says("/", page(["/a"]), status=code))
    assert status["status"] == "failed"
    assert f"HTTP {code}" in status["error"]
    assert [row["statusCode"] for row in status["pages"]] == [code]
    assert (status["pagesFound"], status["pagesCrawled"]) == (1, 0)
    assert "completedAt" in status


async def test_a_crawl_of_a_host_that_does_not_answer_has_failed(crawl, unused_tcp_port):
    status = await crawl(f"http://127.0.0.1:{unused_tcp_port}/")
    assert status["status"] == "failed"
    assert "refuses connections" in status["error"]
    assert "127.0.0.1" not in status["error"] or status["error"].count("127.0.0.1") == 1


async def test_only_links_of_the_site_are_followed(crawl, site, page, visited_paths):
    links = [
        "mailto:a@b.org", "tel:1", "javascript:alert(1)", "data:text/html,x", "https://other.example/", "//other.example/x",
        "ftp://127.0.0.1/", "#top", "", "http://user:pass@127.0.0.1/", "relative", "?q=1", "./", "http://[broken",
        "http://127.0.0.1:1/", "/image.PNG", "/style.css?v=2", "/app.js", "/film.mp4", "/all.tar.gz", "/paper.pdf",
    ]  # fmt: skip
    url = site.says("/dir/", page(links))
    await crawl(url)
    assert sorted(visited_paths()) == ["/dir/", "/dir/?q=1", "/dir/relative"]


async def test_a_document_is_read_where_a_pattern_names_it(crawl, site, page, visited_paths):
    site.says("/notes.txt", "Plain notes about otters, which a person might well want to read. " * 5, kind="text/plain")
    url = site.says("/", page(["/notes.txt", "/other"]))
    await crawl(url, includePatterns=[r"\.txt$"])
    assert visited_paths() == ["/", "/notes.txt"]


async def test_relative_links_start_from_the_base_and_from_where_the_page_was_found(crawl, site, page, visited_paths):
    site.says("/old", b"", status=302, headers={"location": "/new/place"})
    site.says("/new/place", page(["next"]))
    site.says("/new/next", page(["x"]).replace("<head>", '<head><base href="/based/">'))
    site.says("/based/x", page())
    status = await crawl(site.url + "/old", maxDepth=5)
    assert visited_paths() == ["/old", "/new/place", "/new/next", "/based/x"]
    assert status["pages"][0]["finalUrl"] == site.url + "/new/place"


@pytest.mark.parametrize(
    "other",
    ["/a/", "/a#x", "/a?utm_source=z", "/a?PHPSESSID=0123456789abcdef0123", "/a;jsessionid=0123456789ABCDEF", "/%61"],
)
async def test_addresses_of_one_page_are_one_page(crawl, site, page, other, visited_paths):
    url = site.says("/", page(["/a", other]))
    site.says("/a", page(n="a"))
    status = await crawl(url)
    assert visited_paths() == ["/", "/a"]
    assert status["pagesFound"] == 2


async def test_facets_in_another_order_are_one_page_and_other_values_are_another(crawl, site, page, visited_paths):
    url = site.says("/", page(["/s?a=1&b=2", "/s?b=2&a=1", "/s?a=1&b=3"]))
    site.says("/s", page(n="s"))
    await crawl(url)
    assert visited_paths() == ["/", "/s?a=1&b=2", "/s?a=1&b=3"]


async def test_what_was_read_under_another_address_is_not_read_again(crawl, site, page, visited_paths):
    site.says("/start", b"", status=301, headers={"location": "/home"})
    site.says("/home", page(["/home", "/start", "/a"]))
    site.says("/a", page())
    await crawl(site.url + "/start")
    assert visited_paths() == ["/start", "/home", "/a"]


async def test_a_redirect_off_the_site_is_reported_and_not_followed(crawl, site, page, visited_paths):
    elsewhere = type(site)()
    try:
        url = site.says("/", page(["/out", "/a"]))
        site.says("/out", b"", status=302, headers={"location": elsewhere.url + "/there"})
        site.says("/a", page())
        status = await crawl(url)
        assert elsewhere.requests == []
        assert status["pages"][1]["statusCode"] == 302
        assert elsewhere.url in status["pages"][1]["error"]
        assert status["status"] == "completed"
    finally:
        elsewhere.close()


async def test_a_start_page_that_leads_off_the_site_says_where_to_begin(crawl, site):
    site.says("/", b"", status=301, headers={"location": "http://other.example/"})
    status = await crawl(site.url + "/")
    assert status["status"] == "failed"
    assert "http://other.example/" in status["error"]


async def test_a_redirect_loop_is_one_failed_page(crawl, site, page):
    url = site.says("/", page(["/x"]))
    site.says("/x", b"", status=302, headers={"location": "/y"})
    site.says("/y", b"", status=302, headers={"location": "/x"})
    status = await crawl(url)
    assert status["pages"][1]["statusCode"] == 0
    assert "redirects in a circle" in status["pages"][1]["error"]


async def test_patterns_choose_and_exclusion_wins_and_the_start_page_is_read_anyway(crawl, site, page, visited_paths):
    url = site.says("/", page(["/blog/1", "/blog/2?draft=1", "/docs/1", "/about"]))
    for path in ("/blog/1", "/blog/2", "/docs/1", "/about"):
        site.says(path, page(n=path))
    await crawl(url, includePatterns=["/blog/", f"^{site.url}/docs"], excludePatterns=["draft", "^/$"])
    assert visited_paths() == ["/", "/blog/1", "/docs/1"]


async def test_content_is_kept_as_markdown_and_counted_in_characters(crawl, site, page, ask):
    url = site.says("/", page(["/é"], title="Über Otter", n="Straße"))
    site.says("/%C3%A9", page(n="é"))
    status = await crawl(url)
    read = await ask("cinder_get_crawl_status", id=status["crawlId"], includeContent=True)
    for row in read.wire["pages"]:
        assert len(row["content"]) == row["contentLength"]
    assert "holds its Straße stones" in read.wire["pages"][0]["content"]
    assert read.wire["pages"][0]["title"] == "Über Otter"


async def test_a_page_behind_a_wall_is_reported_with_its_status(crawl, site, page):
    url = site.says("/", page(["/wall"]))
    wall = "<title>Just a moment...</title><body>Checking your browser before accessing. Enable JavaScript and cookies to continue</body>"
    site.says("/wall", wall, headers={"cf-mitigated": "challenge"})
    status = await crawl(url)
    assert status["pages"][1]["statusCode"] == 200
    assert "bot detection" in status["pages"][1]["error"]


async def test_a_picture_under_an_address_of_a_page_does_no_harm(crawl, site, page):
    url = site.says("/", page(["/photo", "/a"]))
    site.says("/photo", b"\x89PNG\r\n\x1a\n" + bytes(2000), kind="image/png")
    site.says("/a", page())
    status = await crawl(url)
    assert status["status"] == "completed"
    assert "PNG image (2,008 bytes" in status["pages"][1]["error"]
    assert "contentLength" not in status["pages"][1]
    assert status["pages"][2]["statusCode"] == 200


async def test_several_walkers_read_each_page_once(crawl, site, page, services, visited_paths):
    services.settings = replace(services.settings, crawl_per_host=8)
    links = {f"/{n}": [f"/{(n * 3 + step) % 120}" for step in range(6)] for n in range(120)}
    for path, leads in links.items():
        site.says(path, page(leads, n=path))
    status = await crawl(site.url + "/0", maxDepth=10, maxPages=200)
    assert sorted(visited_paths()) == sorted(links)
    assert (status["pagesFound"], status["pagesCrawled"]) == (120, 120)


class FakeBrowser:
    """A browser that fills each page by a script, and follows where it is led."""

    def __init__(self, site, leads=()):
        self._site, self._leads = site, dict(leads)
        self.requests = []

    async def render(self, url, *, settle, seconds, screenshot=False, console=False):
        self.requests.append(url.removeprefix(self._site))
        result = self._leads.get(url.removeprefix(self._site), url)
        text = "What a script alone can write stands on this page, and it is long enough to be read. " * 3
        html = f"<article><h1>Drawn</h1><p>{text}</p><a href='/a'>a</a><a href='/out'>out</a></article>"
        return Rendered(result, 200, html)

    async def close(self):
        pass


async def test_pages_are_rendered_where_that_is_asked_for(crawl, site, services, page, visited_paths):
    services.browser = browser = FakeBrowser(site.url, {"/out": "http://other.example/"})
    status = await crawl(site.says("/", "<div id=root></div>"), render=True, maxDepth=3)
    assert sorted(browser.requests) == ["/", "/a", "/out"]
    assert visited_paths() == []
    output = {row["url"].removeprefix(site.url): row for row in status["pages"]}
    assert output["/a"]["contentLength"] > 100
    assert "other.example" in output["/out"]["error"]
    assert "contentLength" not in output["/out"]


async def test_pages_are_not_rendered_where_it_is_not(crawl, site, services, page):
    services.browser = browser = FakeBrowser(site.url)
    await crawl(site.says("/", page(["/a"])))
    assert browser.requests == []


async def test_a_page_that_is_too_large_is_said_to_be_cut(crawl, site, page):
    site.says("/long", page(n=1).replace("</article>", "<p>They eat mussels and crabs.</p>" * 300_000 + "</article>"))
    status = await crawl(site.says("/", page(["/long"])))
    assert [row.get("truncated") for row in status["pages"]] == [None, True]


@pytest.mark.parametrize(
    ("head", "headers", "is_followed"),
    [
        ('<meta name="robots" content="noindex, nofollow">', {}, False),
        ('<META NAME="Robots" CONTENT="NONE">', {}, False),
        ('<meta name="assay" content="nofollow">', {}, False),
        ('<meta name="googlebot" content="nofollow">', {}, True),
        ('<meta name="robots" content="noindex">', {}, True),
        ("", {"x-robots-tag": "noindex, NoFollow"}, False),
        ("", {"x-robots-tag": "max-snippet: 20, nofollow"}, False),
        ("", {"x-robots-tag": "googlebot: noindex, nofollow"}, True),
        ("", {"x-robots-tag": "googlebot: noindex, assay: none"}, False),
        ("", {"x-robots-tag": "googlebot: noindex\r\nx-robots-tag: nofollow"}, False),
    ],
)
async def test_no_link_is_followed_of_a_page_that_tells_robots_not_to(
    crawl, site, page, visited_paths, head, headers, is_followed
):
    site.says("/a", page(n=1))
    status = await crawl(site.says("/", page(["/a"]).replace("<head>", f"<head>{head}"), headers=headers))
    assert visited_paths() == (["/", "/a"] if is_followed else ["/"])
    assert status["pages"][0].get("nofollow") is (None if is_followed else True)


async def test_what_changes_something_and_what_robots_shall_not_follow_is_not_asked_for(
    crawl, site, page, visited_paths
):
    links = '<a href="/paid" rel="sponsored nofollow">paid</a><a href="/logout">leave</a><a href="/5/delete">delete</a>'
    url = site.says("/", page(["/a"]).replace("</body>", f"{links}</body>"))
    site.says("/a", page(n=1))
    status = await crawl(url)
    assert sorted(visited_paths()) == ["/", "/a"]
    assert status["pagesFound"] == 2
