"""What is said of a link: no more than its server said."""

import asyncio
import socket

import pytest

from assay.caller import Caller
from assay.context import Context
from assay.net.dns import KNOWN_NAMES
from assay.net.exceptions import Unreachable
from assay.verification import link_status


@pytest.fixture
def ctx(services):
    return Context(services, Caller())


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (200, "live"),
        (204, "live"),
        (404, "dead"),
        (410, "dead"),
        (400, "dead"),
        (401, "blocked"),
        (403, "blocked"),
        (405, "blocked"),
        (429, "blocked"),
        (451, "blocked"),
        (503, "blocked"),
        (999, "blocked"),
        (408, "unreachable"),
        (500, "unreachable"),
        (502, "unreachable"),
        (304, "unreachable"),
    ],
)
async def test_a_status_says_what_it_says_and_no_more(ctx, fake_hosts, status, outcome):
    fake_hosts.says("a.example", "/paper", "text", status)
    link = await link_status.check_link(ctx, "http://a.example/paper")
    assert (link.outcome, link.status) == (outcome, status)
    assert link.final_url == "http://a.example/paper"
    assert link.checked_at.endswith("Z")
    assert (link.is_live, link.is_dead) == (outcome == "live", outcome == "dead")
    assert str(status) in link.describe()


@pytest.mark.parametrize("status", [405, 501, 404, 403, 500])
async def test_no_to_head_is_not_believed_before_get_says_so_too(ctx, fake_hosts, status):
    fake_hosts.says("a.example", "/paper", "text")
    fake_hosts.refuse_head = True
    assert (await link_status.check_link(ctx, "http://a.example/paper")).outcome == "live"
    assert [visit.method for visit in fake_hosts.visits] == ["HEAD", "GET"]


async def test_a_live_link_costs_one_question(ctx, fake_hosts):
    fake_hosts.says("a.example", "/paper", "text")
    await link_status.check_link(ctx, "http://a.example/paper")
    assert [visit.method for visit in fake_hosts.visits] == ["HEAD"]


@pytest.mark.parametrize(
    ("asked", "leads_to", "outcome"),
    [
        ("/paper", "/", "redirected_to_root"),
        ("/paper", "/index.html", "redirected_to_root"),
        ("/?p=12", "/", "redirected_to_root"),
        ("/paper", "/paper/", "live"),
        ("/paper", "/?id=12", "live"),
        ("/", "/index.html", "live"),
        ("/paper", "/404.html", "dead"),
        ("/paper", "/en/page-not-found", "dead"),
        ("/404", "/en/404", "live"),
        ("/paper", "/account/login", "blocked"),
        ("/login", "/en/login", "live"),
        ("/paper", "/on-404-pages", "live"),
    ],
)
async def test_where_a_redirect_ends_matters(ctx, fake_hosts, asked, leads_to, outcome):
    fake_hosts.says("a.example", asked, "", 301, location="http://b.example" + leads_to)
    fake_hosts.says("b.example", leads_to, "text")
    link = await link_status.check_link(ctx, "http://a.example" + asked)
    assert link.outcome == outcome
    assert link.final_url == "http://b.example" + leads_to


async def test_a_redirect_that_ends_nowhere_is_dead(ctx, fake_hosts):
    fake_hosts.says("a.example", "/paper", "", 302, location="/moved")
    assert (await link_status.check_link(ctx, "http://a.example/paper")).outcome == "dead"


async def test_a_circle_is_not_a_dead_link(ctx, fake_hosts):
    fake_hosts.says("a.example", "/paper", "", 302, location="/paper")
    link = await link_status.check_link(ctx, "http://a.example/paper")
    assert (link.outcome, link.failure, link.status) == ("unreachable", "other", 0)


async def test_a_name_that_does_not_exist_is_dead(ctx, fake_hosts):
    link = await link_status.check_link(ctx, "http://nobody.example/paper")
    assert (link.outcome, link.failure) == ("dead", "dns_failure")


async def test_where_no_name_exists_at_all_no_link_is_dead(ask, fake_hosts):
    fake_hosts.knows_names = False
    answer = (await ask("verify_citation", citation="http://nobody.example/paper")).wire
    assert (answer["linkOutcome"], answer["linkFailure"]) == ("unreachable", "dns_failure")
    assert answer["verificationStatus"] == "uncertain"
    assert answer.get("exists") is None


@pytest.mark.parametrize(
    ("number", "outcome"),
    [(socket.EAI_NONAME, "dead"), (socket.EAI_AGAIN, "unreachable"), (socket.EAI_FAIL, "unreachable")],
)
async def test_a_resolver_in_trouble_says_nothing_of_the_name(ctx, services, number, outcome):
    async def resolve(host, _):
        if host in KNOWN_NAMES:
            return ["93.184.215.14"]
        raise Unreachable("No address.", "dns") from socket.gaierror(number, "said the system")

    services.web_overrides |= {"resolve": resolve}
    link = await link_status.check_link(ctx, "http://a.example/")
    assert (link.outcome, link.failure) == (outcome, "dns_failure")


async def test_a_host_that_refuses_connections_is_not_dead(ctx, services, closed_port):
    link = await link_status.check_link(ctx, f"http://127.0.0.1:{closed_port}/")
    assert (link.outcome, link.failure) == ("unreachable", "connection_refused")


@pytest.mark.parametrize("reply", [b"", b"SSH-2.0-OpenSSH_9.9\r\n"])
async def test_a_host_that_speaks_no_http_is_not_dead(ctx, reply):
    async def say(reader, writer):
        writer.write(reply)
        writer.close()

    server = await asyncio.start_server(say, "127.0.0.1", 0)
    link = await link_status.check_link(ctx, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/")
    server.close()
    assert link.outcome == "unreachable"
    assert link.failure in ("connection_reset", "other")


async def test_a_silent_host_is_given_up(ctx):
    gone = asyncio.Event()

    async def wait(reader, writer):
        await gone.wait()
        writer.close()

    server = await asyncio.start_server(wait, "127.0.0.1", 0)
    link = await link_status.check_link(ctx, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/", seconds=0.2)
    gone.set()
    server.close()
    assert (link.outcome, link.failure, link.status) == ("unreachable", "timeout", 0)


@pytest.mark.parametrize(
    ("url", "failure"),
    [
        ("http://169.254.169.254/latest/meta-data/", "ssrf_blocked"),
        ("http://metadata.google.internal/", "ssrf_blocked"),
        ("ftp://a.example/paper", "other"),
        ("http://me:secret@a.example/", "other"),
        ("not an address", "other"),
        ("http://[::1", "other"),
        ("", "other"),
    ],
)
async def test_what_may_not_be_asked_is_not_asked_and_not_dead(ctx, fake_hosts, url, failure):
    link = await link_status.check_link(ctx, url)
    assert (link.url, link.outcome, link.failure, link.final_url) == (url, "unreachable", failure, None)
    assert fake_hosts.visits == []


async def test_a_redirect_inward_is_not_followed(ctx, fake_hosts):
    fake_hosts.says("a.example", "/paper", "", 302, location="http://169.254.169.254/latest/")
    link = await link_status.check_link(ctx, "http://a.example/paper")
    assert (link.outcome, link.failure) == ("unreachable", "ssrf_blocked")


async def test_many_links_are_asked_once_each_and_few_at_a_time_of_one_host(ctx, fake_hosts):
    for number in range(20):
        fake_hosts.says("a.example", f"/{number}", "text")
    fake_hosts.seconds = 0.01
    urls = [f"http://a.example/{number}" for number in range(20)] * 2
    results = await link_status.check_links(ctx, urls)
    assert set(results) == set(urls)
    assert all(link.is_live for link in results.values())
    assert len(fake_hosts.visits) == 20
    assert fake_hosts.most_at_once <= link_status.MAX_PER_HOST


async def test_one_bad_link_spoils_no_other(ctx, fake_hosts):
    fake_hosts.says("a.example", "/paper", "text")
    result = await link_status.check_links(ctx, ["http://a.example/paper", "nonsense", "http://b.example/"])
    assert [link.outcome for link in result.values()] == ["live", "unreachable", "dead"]
