"""Starting a crawl: what is taken, what is refused at once."""

import json

import pytest

from assay.caller import Caller

ADA, EVE = Caller("acme", "ada"), Caller("evil", "eve")


@pytest.fixture(autouse=True)
def nobody_works(services):
    """A crawl that was started stays as it was started."""
    services.runs_workers = False


async def test_it_answers_at_once_with_what_will_be_done(ask, article):
    reply = await ask("cinder_crawl", url=article + "#part")
    assert reply.error is None
    output = reply.wire
    assert (output["status"], output["pagesFound"], output["pagesCrawled"]) == ("queued", 1, 0)
    assert (output["maxPages"], output["maxDepth"], output["url"]) == (100, 2, article)
    assert len(output["crawlId"]) == 32
    assert output["createdAt"] < output["expiresAt"]


async def test_two_crawls_of_one_page_are_two(ask, article):
    first, second = [await ask("cinder_crawl", url=article) for _ in range(2)]
    assert first.wire["crawlId"] != second.wire["crawlId"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("maxDepth", 0),
        ("maxDepth", 11),
        ("maxDepth", "deep"),
        ("maxPages", 0),
        ("maxPages", 1001),
        ("maxPages", 1e9),
        ("maxPages", float("inf")),
        ("maxPages", -5),
        ("includePatterns", ["["]),
        ("includePatterns", ["(?=look)"]),
        ("includePatterns", [r"(a)\1"]),
        ("includePatterns", ["(x{1000}){1000}"]),
        ("includePatterns", ["x" * 501]),
        ("includePatterns", [""]),
        ("excludePatterns", ["a"] * 51),
        ("excludePatterns", "[a-z]"),
        ("url", "ftp://example.org/"),
        ("url", "file:///etc/passwd"),
        ("url", "javascript:alert(1)"),
        ("url", "no address"),
        ("url", "http://169.254.169.254/latest/"),
        ("url", "http://user:pass@example.org/"),
        ("maxpages", 5),
        ("proxy", "http://127.0.0.1:1/"),
    ],
)
async def test_what_cannot_be_is_refused_with_its_name(ask, article, field, value):
    reply = await ask("cinder_crawl", **{"url": article, field: value})
    assert reply.error.kind == "validation"
    assert (reply.error.field or "").partition(".")[0] == field


async def test_a_range_is_reported(ask, article):
    reply = await ask("cinder_crawl", url=article, maxPages=5000)
    assert "1000" in reply.error.message


@pytest.mark.parametrize("unset", [None, ""])
async def test_nothing_said_of_pages_means_the_default(ask, article, unset):
    assert (await ask("cinder_crawl", url=article, maxPages=unset)).wire["maxPages"] == 100


async def test_null_means_unset(ask, article):
    unset = dict.fromkeys(("render", "maxDepth", "maxPages", "includePatterns", "excludePatterns", "sitemaps"))
    reply = (await ask("cinder_crawl", url=article, **unset)).wire
    assert (reply["maxPages"], reply["maxDepth"]) == (100, 2)
    assert (await ask("cinder_crawl", url=article, depth=None)).error.field == "depth"


async def test_the_operator_may_allow_less(ask, article, services, environ):
    from assay.settings import Settings

    services.settings = Settings.read(environ | {"CRAWL_MAX_PAGES": "20", "CRAWLS_PER_TENANT": "2"})
    assert (await ask("cinder_crawl", url=article)).wire["maxPages"] == 20
    refused = await ask("cinder_crawl", url=article, maxPages=21)
    assert (refused.error.kind, refused.error.field) == ("validation", "maxPages")
    assert "1 to 20" in refused.error.message


async def test_a_tenant_has_so_many_crawls_and_no_more(ask, article, services, environ):
    from assay.settings import Settings

    services.settings = Settings.read(environ | {"CRAWLS_PER_TENANT": "2"})
    mine = [await ask("cinder_crawl", ADA, url=article) for _ in range(3)]
    assert [reply.error.kind if reply.error else None for reply in mine] == [None, None, "rate_limited"]
    assert (await ask("cinder_crawl", EVE, url=article)).error is None
    await ask("cinder_cancel_crawl", ADA, id=mine[0].wire["crawlId"])
    assert (await ask("cinder_crawl", ADA, url=article)).error is None


async def test_a_dangerous_pattern_costs_no_time(ask, article, services):
    services.runs_workers = True
    reply = await ask("cinder_crawl", url=article, excludePatterns=["(a+)+$", "(.*)*(.*)*(.*)*x", "(a|aa)+$"])
    status = await ask("cinder_get_crawl_status", id=reply.wire["crawlId"], waitSeconds=20)
    assert status.wire["status"] == "completed"


async def test_pages_cannot_be_rendered_without_a_browser(ask, article, services):
    services.browser = None
    reply = await ask("cinder_crawl", url=article, render=True)
    assert reply.error.kind == "browser_unavailable"


async def test_without_a_queue_it_says_what_to_set(ask, article, services):
    queue, services.queue = services.queue, None
    reply = await ask("cinder_crawl", url=article)
    services.queue = queue
    assert (reply.error.kind, reply.error.field) == ("config", "ASSAY_QUEUE")


async def test_what_is_kept_on_disk_does_not_show_what_was_asked(ask, site, services, tmp_path):
    url = site.says("/a-very-secret-path", "<p>x</p>")
    await ask("cinder_crawl", url=url)
    stored = b"".join(path.read_bytes() for path in (tmp_path / "home").glob("*.sqlite3*"))
    assert b"a-very-secret-path" not in stored
    assert json.dumps({"crawl": ""})[:8].encode() not in stored
