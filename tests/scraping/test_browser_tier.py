"""When a page is rendered in a browser, and the result if that yields more, the same, less, or nothing."""

import pytest
from tests.support.pages import RIVER, WEIR, html, prose

from assay.errors import BrowserUnavailable
from assay.net.exceptions import Unreachable
from assay.state.ports import Rendered

SHELL = html("<div id=root>Loading</div>")
FULL = html(f"<article><h1>Drawn</h1>{prose(RIVER, WEIR)}</article>")
SHORT = html(f"<h1>The weir</h1><p>{RIVER}</p><script>fill()</script>")


class FakeBrowser:
    """A browser that draws one page, or fails."""

    def __init__(self, drawn=FULL, status=200, headers=None):
        self.drawn, self.status, self.headers = drawn, status, headers or {}
        self.requests = []

    async def render(self, url, *, settle, seconds, screenshot=False, console=False):
        self.requests.append((url, settle))
        if isinstance(self.drawn, Exception):
            raise self.drawn
        return Rendered(url, self.status, self.drawn, self.headers)

    async def close(self):
        pass


@pytest.fixture
def drawing(services):
    def use_browser(*args, **more):
        services.browser = FakeBrowser(*args, **more)
        return services.browser

    return use_browser


async def test_a_browser_is_asked_for_what_scripts_fill(ask, site, drawing):
    browser = drawing()
    reply = await ask("scrape_page", url=site.says("/app", SHELL))
    assert (reply.wire["extractedBy"], reply.wire["extractionQuality"]) == ("browser", "complete")
    assert len(site.requests) == len(browser.requests) == 1


async def test_a_page_that_says_enough_is_never_drawn(ask, site, drawing):
    browser = drawing()
    scripted = (
        f'<div id="root"></div><article><h1>The weir</h1>{prose(RIVER, WEIR, times=9)}</article><script>fill()</script>'
    )
    reply = await ask("scrape_page", url=site.says("/page", html(scripted)))
    assert reply.wire["extractedBy"] != "browser"
    assert browser.requests == []


@pytest.mark.parametrize(
    "page",
    [SHORT, html(f"<div id=__next></div><p>{RIVER}</p>"), html(f"<p>{RIVER * 2}</p><style>{'p{}' * 9000}</style>")],
    ids=["little beside scripts", "an empty frame", "little in much markup"],
)
async def test_a_page_that_may_say_more_is_drawn(ask, site, drawing, page):
    browser = drawing()
    reply = await ask("scrape_page", url=site.says("/page", page))
    assert reply.wire["extractedBy"] == "browser"
    assert "old weir" in reply.wire["content"]
    assert len(browser.requests) == 1


async def test_a_browser_that_shows_less_changes_nothing(ask, site, drawing):
    drawing(html("<p>The river has left this page, and nothing of what it said is here any more; go on to others.</p>"))
    reply = await ask("scrape_page", url=site.says("/page", SHORT))
    assert "carries silt" in reply.wire["content"]
    assert reply.wire["extractedBy"] == "html"


@pytest.mark.parametrize(
    "failure", [BrowserUnavailable("Chrome unavailable."), Unreachable("The browser ended.", "reset")]
)
async def test_without_its_browser_a_page_that_may_say_more_is_partial_and_says_why(ask, site, drawing, failure):
    drawing(failure)
    reply = await ask("scrape_page", url=site.says("/page", SHORT))
    assert "carries silt" in reply.wire["content"]
    assert reply.wire["extractionQuality"] == "partial"
    assert "browser failed" in reply.wire["accessNote"]


async def test_a_shell_without_a_browser_is_partial_and_names_it(ask, site, drawing):
    drawing(BrowserUnavailable("Chrome unavailable."))
    reply = await ask("scrape_page", url=site.says("/app", html("<div id=root>Loading the weather</div>")))
    assert reply.wire["extractionQuality"] == "partial"
    assert "browser: browser unavailable" in reply.wire["accessNote"]


async def test_a_page_of_which_nothing_is_left_is_the_browsers_error(ask, site, drawing):
    drawing(BrowserUnavailable("Scrape failed: Chrome unavailable. Set CHROME_PATH or install Chrome."))
    reply = await ask("scrape_page", url=site.says("/empty", html("<div id=root></div><script>fill()</script>")))
    assert reply.error.kind == "browser_unavailable"
    assert "Set CHROME_PATH or install Chrome." in reply.error.message
    assert "html: empty" in reply.error.message


async def test_a_wall_that_the_browser_meets_too_is_a_wall(ask, site, drawing):
    drawing(FULL, 403, {"cf-mitigated": "challenge"})
    reply = await ask("scrape_page", url=site.says("/wall", "<title>No</title>", 403))
    assert reply.error.kind == "blocked"


@pytest.mark.parametrize(("host", "settle"), [("go.dev", 2.0), ("brand.acme.com", 2.0), ("example.org", 0.5)])
def test_sites_that_take_their_time_are_given_it(host, settle):
    from assay.scraping.slow_sites import settle_seconds

    assert settle_seconds(f"https://{host}/page") == settle
