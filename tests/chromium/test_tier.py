"""The browser as tools use it, with a real one: by the path that every caller takes."""

import pytest
import pytest_asyncio
from tests.support.fake_hosts import FakeHosts as Hosts

WWW, BRAND = "www.acme.example", "brand.acme.example"
SENTENCE = "Leave as much room around the logo as the letter A is high, and leave it on every one of its four sides. "


@pytest.fixture
def environ(environ, chrome, site):
    return environ | {"CHROME_PATH": chrome, "CROSSREF_BASE_URL": site.url + "/crossref"}


@pytest_asyncio.fixture
async def hosts(services):
    hosts = await Hosts().start()
    services.web_overrides |= hosts.seams
    yield hosts
    await services.browser.close()
    await hosts.close()


def script_page(text: str, title: str = "", later: int = 150) -> str:
    """A page that is empty until its script has run."""
    return (
        f"<html><head><title>{title}</title></head><body><div id=root></div><script>setTimeout(() => {{"
        f"root.innerHTML = `<article>{text}</article>` }}, {later})</script></body></html>"
    )


async def test_a_page_that_scripts_fill_is_scraped_whole(ask, hosts):
    hosts.says(WWW, "/app", script_page(f"<h1>The mark</h1><p>{SENTENCE * 5}</p>"))
    reply = await ask("scrape_page", url=f"http://{WWW}/app")
    assert reply.error is None, reply.error
    assert reply.wire["extractedBy"] == "browser"
    assert reply.wire["extractionQuality"] == "complete"
    assert "as the letter A is high" in reply.wire["content"]
    assert reply.wire["trust"] == "untrusted-external-content"


async def test_a_page_that_says_enough_starts_no_browser(ask, hosts, services):
    hosts.says(WWW, "/page", f"<html><body><article><h1>The mark</h1><p>{SENTENCE * 20}</p></article></body></html>")
    reply = await ask("scrape_page", url=f"http://{WWW}/page")
    assert reply.wire["extractedBy"] == "html"
    assert "_value" not in services.browser.__dict__


async def test_a_page_that_turns_inward_when_it_is_drawn_is_read_without(ask, hosts):
    hosts.says(
        WWW, "/turn", f"<html><body><p>{SENTENCE}</p><script>location = 'http://127.0.0.1:9/'</script></body></html>"
    )
    reply = await ask("scrape_page", url=f"http://{WWW}/turn")
    assert reply.wire["extractionQuality"] == "partial"
    assert "letter A" in reply.wire["content"]


async def test_a_brands_portal_and_the_pages_inside_it_are_drawn(ask, hosts):
    hosts.says(
        WWW, "/", "<html><head><title>Acme</title></head><body><h1>Acme</h1><p>Anvils since 1949.</p></body></html>"
    )
    inside = "<h1>Brand guidelines</h1><nav><a href='/colors'>Colors</a> <a href='/logo'>Logo</a></nav>"
    hosts.says(BRAND, "/", script_page(inside + f"<p>{SENTENCE}</p>", "Acme brand guidelines"))
    hosts.says(
        BRAND, "/colors", script_page("<h2>Primary colors</h2><p>Rocket Red #E4002B</p><p>Desert Sand #EDC9AF</p>")
    )
    hosts.says(BRAND, "/logo", script_page(f"<h2>Logo usage</h2><p>{SENTENCE * 12}</p>"))
    reply = await ask("brand_research", url=f"http://{WWW}/")
    assert reply.error is None, reply.error
    text = (await ask("read_artifact", id=reply.wire["brand_portal_resource"])).wire["content"]
    assert "Rocket Red" in text
    assert "letter A" in text
    assert reply.wire["guidelines_url"] == f"http://{BRAND}/"
