"""robots_check, through `invoke`, like every entry point."""

import pytest
from tests.support.upstream import CUT, SILENT


@pytest.fixture
def check(ask, site):
    """What is answered of `path` where robots.txt says `text`."""

    async def check(text, path="/x", status=200, **more):
        site.says("/robots.txt", text, status, kind="text/plain")
        return (await ask("robots_check", url=site.url + path, **more)).wire

    return check


async def test_the_groups_lines_and_its_delay_are_reported(check):
    output = await check("User-agent: agentcli\nDisallow: /a # private\nCrawl-delay: 1.5\n")
    assert output == {
        "allowed": True,
        "crawl_delay_ms": 1500,
        "group_rules": ["User-agent: agentcli", "Disallow: /a", "Crawl-delay: 1.5"],
    }


async def test_groups_of_one_robot_are_reported_together_with_the_names_above_each(check):
    text = "User-Agent: other\nUser-agent: AgentCLI\nDisallow: /a\n\nUser-agent: x\nAllow: /\nUser-agent: agentcli\nAllow: /b"
    output = (await check(text))["group_rules"]
    assert output == [
        "User-Agent: other", "User-agent: AgentCLI", "Disallow: /a", "User-agent: agentcli", "Allow: /b"
    ]  # fmt: skip


async def test_where_nobody_is_spoken_to_the_list_is_empty(check):
    assert await check("") == {"allowed": True, "group_rules": []}
    assert await check("<html>not found</html>") == {"allowed": True, "group_rules": []}
    assert await check("User-agent: other\nDisallow: /") == {"allowed": True, "group_rules": []}


async def test_we_name_ourselves(check, site):
    await check("")
    assert "Assay/" in site.requests[0].headers["user-agent"]
    assert site.requests[0].path == "/robots.txt"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 429])
async def test_no_robots_txt_means_free(check, status):
    assert await check("User-agent: *\nDisallow: /", status=status) == {"allowed": True, "group_rules": []}


@pytest.mark.parametrize("status", [500, 502, 503])
async def test_a_failing_server_means_closed(check, status):
    assert await check("User-agent: *\nAllow: /", status=status) == {"allowed": False, "group_rules": []}


@pytest.mark.parametrize(
    ("path", "allowed"), [("", False), ("/", False), ("/robots.txt", True), ("/open", True), ("/open?secret=1", False)]
)
async def test_path_and_query_take_part(check, path, allowed):
    assert (await check("User-agent: *\nDisallow: /\nAllow: /open\nDisallow: /*?secret=", path))["allowed"] is allowed


async def test_a_redirect_within_the_origin_is_followed(check, ask, site):
    site.says("/r2", "User-agent: *\nDisallow: /", kind="text/plain")
    site.says("/robots.txt", b"User-agent: *\nAllow: /", 301, headers={"location": "r2"})
    assert (await ask("robots_check", url=site.url + "/x")).wire["allowed"] is False


async def test_redirects_have_an_end(ask, site):
    site.says("/robots.txt", b"", 302, headers={"location": "/robots.txt"})
    reply = await ask("robots_check", url=site.url + "/x")
    assert reply.error.message == "robots.txt: too many redirects"
    assert len(site.requests) == 6


@pytest.mark.parametrize(
    "to", ["http://127.0.0.1:1/robots.txt", "https://other.example/", "ftp://x.example/", "http://["]
)
async def test_another_origin_is_not_asked_and_a_redirects_body_is_not_read(ask, site, to):
    site.says("/robots.txt", b"User-agent: *\nAllow: /", 302, headers={"location": to})
    reply = await ask("robots_check", url=site.url + "/x")
    assert reply.error.message == "robots.txt redirects to another origin"
    assert len(site.requests) == 1


async def test_an_answer_that_is_invalid_is_not_a_permission(ask, site, upstream):
    site.says("/robots.txt", b"User-agent: *\nAllow: /", 302)
    assert (await ask("robots_check", url=site.url + "/x")).error.message == "robots.txt status 302"
    upstream.says(CUT)
    assert (await ask("robots_check", url=upstream.url)).error.kind == "network"


async def test_a_silent_server_is_not_waited_for(services, upstream):
    import asyncio

    from assay.caller import Caller
    from assay.context import Context
    from assay.invoke import invoke

    upstream.says(SILENT)
    context = Context(services, Caller(), deadline=asyncio.get_running_loop().time() + 0.2)
    reply = await invoke("robots_check", {"url": upstream.url}, context)
    assert reply.error.kind == "network"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("", "missing url"),
        (" ", "missing url"),
        ("ftp://x.example/", "bad url: only http/https are allowed"),
        ("http://", "bad url: invalid host"),
        ("http://169.254.169.254/x", "SSRF blocked: private or loopback address"),
        ("http://x.onion/", "SSRF blocked: onion domains are not allowed"),
    ],
)
async def test_an_address_that_is_invalid_is_refused_in_fixed_words(ask, url, words):
    assert (await ask("robots_check", url=url)).error.message == words


async def test_a_missing_address_is_named(ask):
    assert (await ask("robots_check")).error.message == "missing url"


async def test_a_blank_agent_is_the_usual_one(check):
    assert (await check("User-agent: agentcli\nDisallow: /", user_agent=" "))["allowed"] is False
