"""A redirect from https to http is told in the answer, since anybody on the way can change what is read behind it."""

import pytest
from tests.conftest import ARTICLE

from assay.net.guarded_client import LEFT_HTTPS
from assay.settings import Settings


def response_bytes(body, status=200, **headers):
    lines = [f"HTTP/1.1 {status} Told", "Content-Type: text/html", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body.encode()


@pytest.fixture
async def secure(services, peers, peer, server_context, trusting_environment, network):
    """https://site.example leads to http://other.example, which holds an article."""
    served = await peers(server_context("site.example"))
    network.ports[443] = served.port
    served.default = response_bytes("", 302, Location="http://other.example/")
    peer.default = response_bytes(ARTICLE)
    services.settings = Settings.read({**services.settings.environ, **trusting_environment})
    services.web_overrides |= {"resolve": network.resolve, "connect": network.connect}


@pytest.mark.usefixtures("secure")
async def test_it_is_reported_by_every_tool_that_reads_a_page(ask):
    scraped = await ask("scrape_page", url="https://site.example/")
    assert scraped.wire["redirectWarning"] == LEFT_HTTPS
    assert LEFT_HTTPS in scraped.text
    raw = await ask("scrape_page", url="https://site.example/", mode="raw")
    assert raw.wire["redirectWarning"] == LEFT_HTTPS
    lookups = await ask("cinder_scrape", url="https://site.example/", mode="static")
    assert LEFT_HTTPS in lookups.text
    fetched = await ask("http_fetch", url="https://site.example/")
    assert fetched.meta["warning"] == LEFT_HTTPS


@pytest.mark.usefixtures("secure")
async def test_a_page_that_was_http_from_the_start_is_not_warned_of(ask):
    scraped = await ask("scrape_page", url="http://other.example/")
    assert "redirectWarning" not in scraped.wire
    assert "warning" not in (await ask("http_fetch", url="http://other.example/")).meta
