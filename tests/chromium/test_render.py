"""Rendered pages: text after scripts, final URL, metadata and screenshot."""

import asyncio
import struct

import pytest
import pytest_asyncio
from tests.chromium.conftest import open_browsers, render_with

from assay.errors import ContentEmpty, InvalidInput, Network
from assay.net.exceptions import OffLimits, TooManyRedirects, Unreachable

pytestmark = pytest.mark.asyncio(loop_scope="module")
PAGE = "<!doctype html><title>Otters</title><h1>Otters hold hands</h1><p>They do.</p>"


@pytest.fixture
def fake_hosts(shared_hosts):
    return shared_hosts


@pytest.fixture
def render(shared_browser):
    return render_with(shared_browser)


@pytest_asyncio.fixture(loop_scope="module")
async def browser_of(chrome, fake_hosts):
    async with open_browsers(chrome, fake_hosts) as browser_of:
        yield browser_of


@pytest.fixture
def browser(browser_of):
    """A Chromium of the test's own."""
    return browser_of()


async def test_a_static_page_comes_as_it_is(fake_hosts, render):
    page = await render(fake_hosts.says("/page", PAGE, x_told="yes"))
    assert (page.url, page.status, page.title, page.settled) == ("http://site.example/page", 200, "Otters", True)
    assert "<h1>Otters hold hands</h1>" in page.html
    assert page.html.startswith("<!DOCTYPE html>")
    assert page.headers["x-told"] == "yes"


async def test_what_scripts_make_after_a_while_and_a_request_is_there(fake_hosts, render):
    fake_hosts.says("/api", "from the api", content_type="text/plain")
    page = await render(
        fake_hosts.says(
            "/app",
            "<div id=root>Loading</div><script>setTimeout(async () => {"
            "const said = await (await fetch('/api')).text(); document.title = 'Ready';"
            "root.innerHTML = `<p>${said}</p><a href='/next'>on</a><a href='mailto:a@b'>no</a>`}, 200)</script>",
        )
    )
    assert "<p>from the api</p>" in page.html
    assert page.title == "Ready"
    assert page.links == ("http://site.example/next",)


async def test_a_slow_interface_is_waited_for_longer_than_the_page_is_quiet(fake_hosts, render):
    async def slow(writer):
        await asyncio.sleep(0.5)  # more than the page has to be quiet for, less than requests may hang
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nlate")

    fake_hosts.writes("/api", slow)
    script = "<script>fetch('/api').then(r => r.text()).then(t => document.body.append(t))</script>"
    assert "late" in (await render(fake_hosts.says("/app", f"<body>{script}"))).html


async def test_a_page_that_grows_as_one_scrolls_is_gone_down(fake_hosts, render):
    fake_hosts.says("/more", "more", content_type="text/plain")
    page = await render(
        fake_hosts.says(
            "/feed",
            "<div id=list></div><div id=end>…</div><script>let rows = 0; const add = () => { for (let i = 0; i < 20; i++) {"
            "const row = document.createElement('p'); row.style.height = '90px'; row.textContent = 'row ' + rows++;"
            "list.append(row) } }; add(); new IntersectionObserver(async seen => { if (seen[0].isIntersecting && rows < 100)"
            "{ await fetch('/more'); add() } }).observe(end)</script>",
        )
    )
    assert "row 99" in page.html


async def test_what_waits_to_come_into_sight_is_passed(fake_hosts, render):
    parts = "".join(f"<section data-part={part} style='height:1200px'></section>" for part in range(6))
    page = await render(
        fake_hosts.says(
            "/lazy",
            f"{parts}<script>const seen = new IntersectionObserver(rows => rows.forEach(row => {{ if (row.isIntersecting)"
            "row.target.textContent = 'part ' + row.target.dataset.part }));"
            "document.querySelectorAll('section').forEach(part => seen.observe(part))</script>",
        )
    )
    assert [part for part in range(6) if f"part {part}" in page.html] == list(range(6))


async def test_text_inside_shadows_stands_where_it_is_shown(fake_hosts, render):
    page = await render(
        fake_hosts.says(
            "/shadow",
            "<x-card>light <b>bold</b></x-card><script>customElements.define('x-card', class extends HTMLElement {"
            "connectedCallback() { this.attachShadow({mode: 'open'}).innerHTML ="
            "'<style>p{color:red}</style><p>before</p><slot></slot><p>after</p>' } })</script>",
        )
    )
    output = page.html.split("<script>")[0]
    assert output.index("before") < output.index("light") < output.index("bold") < output.index("after")
    assert "color:red" not in output


async def test_who_asks_for_consent_is_told_no_and_is_gone(fake_hosts, render):
    page = await render(
        fake_hosts.says(
            "/banner",
            "<p id=text>waiting</p><div id=onetrust-consent-sdk>We value your privacy"
            "<button id=onetrust-accept-btn-handler onclick=\"text.textContent='accepted'\">Yes</button>"
            "<button id=onetrust-reject-all-handler onclick=\"text.textContent='declined'\">No</button></div>",
        )
    )
    assert "declined" in page.html
    assert "privacy" not in page.html


async def test_a_screenshot_is_a_picture_of_the_page(fake_hosts, render):
    page = await render(fake_hosts.says("/page", "<body style='background:#f00'>"), screenshot=True)
    assert page.screenshot.startswith(b"\x89PNG\r\n")
    width, height = struct.unpack(">II", page.screenshot[16:24])
    assert width > 1000 < height * 2
    assert (await render(fake_hosts.says("/page", PAGE))).screenshot is None


async def test_errors_of_scripts_are_reported_when_they_are_asked_for(fake_hosts, render):
    url = fake_hosts.says(
        "/wrong", "<script>console.error('broken', 7); setTimeout(() => { throw new Error('thrown') })</script>"
    )
    text = "\n".join((await render(url, console=True)).console)
    assert "broken 7" in text
    assert "thrown" in text
    assert (await render(url)).console == ()


async def test_a_redirect_is_followed_and_its_end_is_the_address(fake_hosts, render):
    fake_hosts.says("/end", PAGE)
    page = await render(fake_hosts.says("/start", "", 302, location="http://other.example/end#part"))
    assert (page.url, page.status) == ("http://other.example/end", 200)


async def test_where_scripts_lead_is_where_the_page_is(fake_hosts, render):
    fake_hosts.says("/end", PAGE)
    page = await render(fake_hosts.says("/start", "<script>location = '/end'</script>"))
    assert page.url.endswith("/end")
    assert "Otters" in page.html


@pytest.mark.parametrize("status", [403, 404, 500])
async def test_a_refusal_is_a_page_with_its_status(fake_hosts, render, status):
    page = await render(fake_hosts.says("/no", "<p>None of that</p>", status))
    assert (page.status, "None of that" in page.html) == (status, True)


async def test_a_page_larger_than_a_page_may_be_is_cut(fake_hosts, render):
    page = await render(fake_hosts.says("/large", "<p>" + "word " * 400_000))
    assert page.truncated
    assert len(page.html) == 1_000_000


async def test_half_a_character_harms_nobody(fake_hosts, render):
    page = await render(fake_hosts.says("/half", "<p id=x></p><script>x.textContent = 'a\\ud83d'</script>"))
    page.html.encode()


async def test_the_next_page_knows_nothing_of_the_last(fake_hosts, render):
    fake_hosts.says(
        "/set", "<script>document.cookie = 'a=1'; localStorage.b = 2; indexedDB.open('c'); name = 'd'</script>"
    )
    fake_hosts.says(
        "/get", "<script>document.write(document.cookie + '|' + (localStorage.b || '') + '|' + name + '|')</script>"
    )
    await render("http://site.example/set")
    page = await render("http://site.example/get")
    assert "||" in page.html.split("</script>")[1]


async def test_pages_rendered_side_by_side_do_not_meet(fake_hosts, browser):
    for name in "ab":
        fake_hosts.says(
            f"{name}.example/",
            f"<script>localStorage.name = '{name}'; document.cookie = 'who={name}';"
            "setTimeout(() => document.body.append(localStorage.name + document.cookie), 150)</script>",
        )
    pages = await asyncio.gather(
        *(browser.render(f"http://{name}.example/", settle=0.3, seconds=8) for name in ("a", "b", "a", "b"))
    )
    assert [page.html.count(f"{name}who={name}") for page, name in zip(pages, "abab", strict=True)] == [1, 1, 1, 1]


async def test_the_browser_names_itself_as_browsers_do_unless_told_otherwise(fake_hosts, browser_of):
    url = fake_hosts.says(
        "/page", PAGE + "<script>document.body.append(navigator.userAgent + navigator.webdriver)</script>"
    )
    page = await browser_of().render(url, settle=0.2, seconds=8)
    assert "Headless" not in page.html
    assert page.html.count("false") == 1
    assert b"Headless" not in b"".join(fake_hosts.heads)
    honest = browser_of(environ={"BROWSER_USER_AGENT": "assay"})
    assert "Assay/" in (await honest.render(url, settle=0.2, seconds=8)).html
    assert b"Assay/" in fake_hosts.heads[-1]


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "chrome://version", "javascript:alert(1)", "data:text/html,x", "about:blank", "ftp://a.example/",
     "view-source:http://site.example/", "http://127.0.0.1/", "http://[::1]/", "http://localhost/", "http://2130706433/",
     "http://169.254.169.254/", "http://user:pass@site.example/", "blob:http://site.example/x", "http:///x", "devtools://x"],
)  # fmt: skip
async def test_an_address_that_is_never_fetched_is_refused_before_a_browser_is_started(fake_hosts, browser, url):
    with pytest.raises(InvalidInput):
        await browser.render(url, settle=0.2, seconds=5)
    assert browser._engine is None
    assert fake_hosts.requests == []


async def test_a_name_nobody_knows_is_reported_as_such(browser_of):
    async def unknown(host, port):
        raise Unreachable(f"No address was found for {host}; check the name.", "dns")

    with pytest.raises(Unreachable) as failure:
        await browser_of(resolve=unknown).render("http://nowhere.example/", settle=0.2, seconds=5)
    assert failure.value.reason == "dns"


async def test_a_host_that_refuses_is_reported_as_such(browser_of, closed_port):
    browser = browser_of(connect=lambda *_: ("127.0.0.1", closed_port))
    for url in ("http://site.example/", "https://site.example/"):
        with pytest.raises(Unreachable) as failure:
            await browser.render(url, settle=0.2, seconds=5)
        assert failure.value.reason == "refused"


async def test_a_page_that_leads_inward_is_refused_as_such(fake_hosts, render):
    for way in (
        "<script>location = 'http://127.0.0.1:9/'</script>",
        "<meta http-equiv=refresh content='0;url=http://10.0.0.1/'>",
    ):
        with pytest.raises(OffLimits):
            await render(fake_hosts.says("/in", way))
    with pytest.raises(OffLimits):
        await render(fake_hosts.says("/hop", "", 302, location="http://169.254.169.254/latest/meta-data/"))


async def test_too_many_redirects_are_named(fake_hosts, render):
    for step in range(9):
        fake_hosts.says(f"/{step}", "", 302, location=f"/{step + 1}")
    with pytest.raises(TooManyRedirects):
        await render("http://site.example/0")
    fake_hosts.says("/a", "", 302, location="/b")
    fake_hosts.says("/b", "", 302, location="/a")
    with pytest.raises(TooManyRedirects):
        await render("http://site.example/a")


async def test_a_host_that_says_nothing_is_out_of_time(fake_hosts, render):
    async def silent(_):
        await asyncio.sleep(30)

    with pytest.raises(Network):
        await render(fake_hosts.writes("/silent", silent), seconds=1.5)


async def test_a_certificate_nobody_vouches_for_is_refused(town_of_tls, browser_of):
    browser = browser_of(connect=lambda *_: ("127.0.0.1", town_of_tls))
    with pytest.raises(Unreachable) as failure:
        await browser.render("https://site.example/", settle=0.2, seconds=5)
    assert failure.value.reason == "tls"


async def test_a_file_to_store_is_not_a_page(fake_hosts, render):
    with pytest.raises(ContentEmpty):
        await render(fake_hosts.says("/file", b"\0" * 1000, content_type="application/octet-stream"))
    with pytest.raises(ContentEmpty):
        await render(fake_hosts.says("/named", PAGE, content_disposition="attachment; filename=a.html"))


async def test_domains_that_are_not_allowed_are_not_asked_by_the_page_either(fake_hosts, browser_of):
    fake_hosts.says("/other", "leaked")
    url = fake_hosts.says(
        "/page", "<p id=x>none</p><script>fetch('http://other.test/other').then(() => x.textContent = 'got')</script>"
    )
    page = await browser_of(environ={"ALLOWED_DOMAINS": "example"}).render(url, settle=0.2, seconds=5)
    assert "none" in page.html
    assert fake_hosts.requests == ["site.example/page"]
