"""Which addresses are of one site, and which are one page."""

import pytest

from assay.crawl.scope import Scope, key_of
from assay.crawl.url_patterns import compile_patterns


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://a.org", "https://www.a.org/#top"),
        ("http://a.org:80/x", "https://a.org:443/x/"),
        ("http://a.org/x?b=2&a=1", "http://a.org/x?a=1&b=2&utm_campaign=z&fbclid=1"),
        ("http://a.org/x?&&a=1", "http://a.org/x?a=1"),
        ("http://a.org/%7Eme", "http://a.org/~me"),
        ("http://a.org/caf%C3%A9", "http://a.org/café"),
        ("http://a.org/x;jsessionid=0123456789ABCDEF", "http://a.org/x"),
        ("http://a.org/x?sid=0123456789abcdef", "http://a.org/x"),
        ("http://A.ORG/./a/../x", "http://a.org/x"),
    ],
)
def test_these_are_one_page(one, other):
    assert key_of(one) == key_of(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://a.org/x", "http://a.org:8080/x"),
        ("http://a.org/x", "http://b.a.org/x"),
        ("http://a.org/x", "http://a.org/X"),
        ("http://a.org/x?a=1", "http://a.org/x?a=2"),
        ("http://a.org/x?a=1&a=2", "http://a.org/x?a=1"),
        ("http://a.org/x?sid=7", "http://a.org/x?sid=8"),
        ("http://a.org/%E9", "http://a.org/%E8"),
        ("http://a.org/x?q=%E9", "http://a.org/x?q=%E8"),
        ("http://a.org/AC%2FDC", "http://a.org/AC/DC"),
        ("http://a.org/a%3Fb", "http://a.org/a?b"),
        ("http://a.org/x/y", "http://a.org/x"),
    ],
)
def test_these_are_two(one, other):
    assert key_of(one) != key_of(other)


def test_a_site_is_a_host_and_a_port_whatever_www_and_scheme():
    scope = Scope("http://www.a.org/start")
    inside = ["https://a.org/", "http://a.org:80/", "https://www.a.org:443/x"]
    outside = ["http://a.org:8080/", "http://b.a.org/", "http://a.org.evil.example/", "http://wwwa.org/", "nothing"]
    assert [scope.is_on_site(url) for url in [*inside, *outside]] == [True] * 3 + [False] * 5


@pytest.mark.parametrize(
    ("include", "exclude", "url", "wanted"),
    [
        ((), (), "http://a.org/x", True),
        (("/blog",), (), "http://a.org/x", False),
        (("/blog",), (), "http://a.org/my/blog?x", True),
        (("^/blog",), (), "http://a.org/my/blog", False),
        (("page=[0-9]+$",), (), "http://a.org/x?page=12", True),
        (("http://a.org/x",), (), "http://a.org/x", True),
        (("^https?://a",), (), "http://a.org/x", True),
        (("a.org",), (), "http://a.org/x", False),
        ((), ("/x",), "http://a.org/x", False),
        (("/x",), ("/x",), "http://a.org/x", False),
        ((), ("(?i)/X",), "http://a.org/x", False),
        (("/x",), (), "http://b.org/x", False),
        ((), (), "http://a.org/film.MP4?x", False),
        ((), (), "http://a.org/x?file=film.mp4", True),
        (("mp4",), (), "http://a.org/film.mp4", False),
        ((), (), "http://a.org/paper.pdf", False),
        ((r"\.pdf$",), (), "http://a.org/paper.pdf", True),
    ],
)
def test_patterns_are_looked_for_in_path_and_query(include, exclude, url, wanted):
    assert Scope("http://a.org/", compile_patterns(include), compile_patterns(exclude)).allows_page(url) is wanted


async def test_a_crawl_goes_from_a_bare_name_to_www_and_no_further(services, crawl, site, page, visited_paths):
    port = int(site.url.rpartition(":")[2])

    async def resolve(host, _):
        return ["93.184.215.14"]

    services.web_overrides |= {"resolve": resolve, "connect": lambda *_: ("127.0.0.1", port)}
    links = [
        "http://www.acme.example/a",
        "http://sub.acme.example/b",
        "http://acme.example:8080/c",
        "http://evil.example/d",
    ]
    site.says("/", page([*links, "http://www.acme.example/"]))
    site.says("/a", page(n="a"))
    site.says("/robots.txt", "User-agent: *\nDisallow: /closed", kind="text/plain")
    status = await crawl("http://acme.example/")
    assert visited_paths() == ["/", "/a"]
    assert status["pagesFound"] == 2
    assert [request.headers["host"] for request in site.requests if request.path == "/robots.txt"] == [
        "acme.example",
        "www.acme.example",
    ]


@pytest.mark.parametrize(
    "url",
    [
        "http://a.org/logout",
        "http://a.org/account/sign-out/",
        "http://a.org/logoff.php",
        "http://a.org/item/5/delete",
        "http://a.org/wp-login.php?action=logout&nonce=1",
        "http://a.org/list?do=remove",
        "http://a.org/shop/?add-to-cart=17",
        "http://a.org/post/1?upvote",
        "http://a.org/newsletter/unsubscribe?u=1",
    ],
)
def test_what_changes_something_when_it_is_asked_for_is_left_out_whatever_the_patterns_say(url):
    assert Scope("http://a.org/").allows_page(url) is False
    assert Scope("http://a.org/", compile_patterns(("a.org",))).allows_page(url) is False


@pytest.mark.parametrize(
    "url",
    [
        "http://a.org/how-to/delete-files",
        "http://a.org/delete/files",
        "http://a.org/blog/logout-buttons-considered",
        "http://a.org/search?q=delete",
        "http://a.org/x?action=view",
        "http://a.org/undelete",
    ],
)
def test_what_only_speaks_of_it_is_read(url):
    assert Scope("http://a.org/").allows_page(url) is True
