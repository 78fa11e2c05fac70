"""Every page of the console in a real browser: accessible in light, dark and on a phone, and nothing breaks its policy.

With CONSOLE_SCREENSHOTS=folder, a picture of each page in each form is put there.
"""

import asyncio
import base64
import contextlib
import json
import os
import subprocess
from pathlib import Path

import pytest
import pytest_asyncio
from tests.conftest import Site
from tests.console.conftest import ADA, HOSTILE, LIMITS, fail_work, sign_in
from tests.console.test_every_page import GETS, build_address
from tests.oauth.live_server import LiveServer
from tests.support import belongings, sample_calls
from tests.support.fake_hosts import FakeHosts
from tests.support.sample_calls import SampleServices

from assay.bootstrap import local_services
from assay.chromium.browser_process import connect
from assay.chromium.cdp import Refusal
from assay.chromium.launch_options import QUIET, spawn_browser
from assay.consent.consent_records import PURPOSES
from assay.crawl.job import CRAWLS
from assay.entrypoints.console.asset_files import get_asset_address
from assay.entrypoints.console.page_table import HOME
from assay.entrypoints.console.page_templates import build_environment
from assay.net.provider_client import ProviderClient
from assay.settings import Settings

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.asyncio(loop_scope="module")
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
FORMS = {"light": ("light", 1280), "dark": ("dark", 1280), "phone": ("light", 360)}
WATCH = """
window.violations = [];
document.addEventListener('securitypolicyviolation', (each) => violations.push(each.violatedDirective + ' ' + each.blockedURI));
"""
RULES = dict.fromkeys(FORMS, "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']")
RULES["dark"] = "['color-contrast']"  # the rest is as in light


def post_form(form, *, to="location.href", fetch="fetch"):
    """Script that sends a form of the page, and stays on the page."""
    return (
        f"{fetch}({to}, {{method: 'POST', body: new URLSearchParams(new FormData(document.querySelector({form!r})))}})"
    )


def build_check(form):
    """A script that returns what axe-core finds, which describes nothing else."""
    options = f"{{runOnly: {RULES[form]}, resultTypes: ['violations']}}"
    shown = "[one.id, one.nodes.map((node) => node.html + ' ' + node.failureSummary)]"
    return f"axe.run(document, {options}).then((found) => found.violations.map((one) => {shown}))"


class BrowserTab:
    """A tab where Ada is signed in."""

    def __init__(self, pipe, session, url):
        self._pipe, self._session, self.url = pipe, session, url
        self.loaded = asyncio.Event()
        self.logged = []
        pipe.listeners[session] = self._note

    def _note(self, method, params):
        if method == "Page.loadEventFired":
            self.loaded.set()
        elif method == "Runtime.exceptionThrown":
            self.logged.append(params["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.logged.append(params["entry"]["text"])

    async def send(self, method, **params):
        return await self._pipe.send(method, self._session, **params)

    async def open(self, path):
        self.logged.clear()
        await self._load(self.send("Page.navigate", url=self.url + path))

    async def follow(self, script):
        """Run the script, which leads to another page."""
        await self._load(self.evaluate(script))

    async def follow_key(self, key, text, code):
        """Press a key that leads to another page."""
        await self._load(
            self.send("Input.dispatchKeyEvent", type="keyDown", key=key, text=text, windowsVirtualKeyCode=code)
        )

    async def _load(self, work):
        self.loaded.clear()
        async with asyncio.timeout(60):
            await work
            await self.loaded.wait()

    async def evaluate(self, script):
        answer = await self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    async def wait_for(self, script):
        async with asyncio.timeout(60):
            while True:
                with contextlib.suppress(Refusal, AssertionError):  # the page navigates meanwhile
                    if value := await self.evaluate(script):
                        return value
                await asyncio.sleep(0.02)

    async def press(self, key, code=0):
        for kind in ("rawKeyDown", "keyUp"):
            await self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    async def type(self, text):
        await self.send("Input.insertText", text=text)

    async def look_like(self, scheme, width):
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"},
        ]
        await self.send("Emulation.setEmulatedMedia", features=features)
        await self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500
        )

    async def photograph(self, path):
        size = (await self.send("Page.getLayoutMetrics"))["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 5000), "scale": 1}
        shot = await self.send("Page.captureScreenshot", captureBeyondViewport=True, optimizeForSpeed=True, clip=clip)
        path.write_bytes(base64.b64decode(shot["data"]))


@pytest.fixture(scope="module")
def axe():
    done = subprocess.run([ROOT / "infra/scripts/axe"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip()).read_text()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def installation(tmp_path_factory):
    """A server with Ada, whose stored texts are hostile: its address, what she has, the cookie of her browser, upstreams, and her key."""
    site, fake_hosts = Site(), await FakeHosts().start()
    home = {"ASSAY_HOME": str(tmp_path_factory.mktemp("home")), "CHROME_PATH": "disabled", "ALLOW_PRIVATE_IPS": "true"}
    environ = home | sample_calls.environ(site.url) | belongings.SETTINGS | LIMITS
    services = local_services(Settings.read(environ))
    services.runs_workers, services.http = False, ProviderClient(services.settings, pause=0)
    services.web_overrides |= fake_hosts.seams
    SampleServices(services, site, fake_hosts).answers()
    ada = await belongings.fill(services, ADA, consents=PURPOSES, mark=HOSTILE)
    await fail_work(services, ada)
    below = {"url": "https://otters.example/sea", "title": HOSTILE, "status": 404, "depth": 2, "error": HOSTILE}
    count = {"tried": 2, "crawled": 1, "found": 3, "progress": 66}
    row = json.dumps(below | {"count": count}).encode()
    await services.table.put(CRAWLS.key_of(ada.crawl), "page/000001", row, until=services.clock() + 9_000)
    key, cookie = await sign_in(services, ADA)
    await services.close()
    live = LiveServer(environ, prepare=prepare_server)
    yield live.url, ada, cookie, site, key
    live.stop()
    await fake_hosts.close()
    site.close()


def prepare_server(services):
    services.runs_workers, services.requires_keys = False, True


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def tab(chrome, installation):
    """The one browser of this module."""
    url, _, cookie, _, _ = installation
    settings = Settings.read({"CHROME_PATH": chrome})
    process = await connect(spawn_browser(settings, lambda *_: [*QUIET, "--no-sandbox", "--disable-dev-shm-usage"]))
    target = await process.pipe.send("Target.createTarget", url="about:blank")
    attached = await process.pipe.send("Target.attachToTarget", targetId=target["targetId"], flatten=True)
    tab = BrowserTab(process.pipe, attached["sessionId"], url)
    for domain in ("Page", "Runtime", "Log", "Network"):
        await tab.send(f"{domain}.enable")
    await tab.send("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
    await tab.send("Network.setCookie", name="assay-sign-in", value=cookie, url=url)
    yield tab
    await process.end()


@pytest.mark.parametrize("page", GETS, ids=lambda page: page.path)
async def test_a_page_is_accessible_in_every_form_and_keeps_to_its_policy(page, tab, installation, axe):
    await tab.look_like("light", 1280)
    await tab.open(build_address(page, installation[1]))
    await tab.evaluate(axe)
    for form, (scheme, width) in FORMS.items():
        await tab.look_like(scheme, width)
        violations = await tab.evaluate(build_check(form))
        assert violations == [], f"{form}: {json.dumps(violations, indent=1)}"
        assert await tab.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, f"{form} scrolls sideways"
        if folder := os.environ.get("CONSOLE_SCREENSHOTS"):
            Path(folder).mkdir(parents=True, exist_ok=True)
            name = page.path.strip("/").replace("/", "-").replace("{", "").replace("}", "")
            await tab.photograph(Path(folder) / f"{name}-{form}.png")
    assert await tab.evaluate("violations") == []
    assert await tab.evaluate("'taken' in window") is False
    assert tab.logged == []


async def test_a_person_tries_a_tool_with_the_keyboard_and_hostile_results_stay_text(tab, installation):
    site = installation[3]
    site.says("/pixel.png", PIXEL, kind="image/png")
    hits = [
        {"title": HOSTILE, "url": "https://a.example/pixel.png", "content": f"</bdi></p>{HOSTILE}\u202e"},
        {"title": "<img src=x onerror=taken()>", "url": "javascript:taken()", "content": "&lt;script&gt;"},
    ]
    site.says("/searxng/search", json.dumps({"results": hits}), kind="application/json")
    await tab.look_like("light", 1280)
    await tab.open("/console/tools/web_search")
    await tab.evaluate("document.getElementById('in-query').focus()")
    await tab.type(f"otters {HOSTILE}")
    await tab.evaluate("document.getElementById('in-provider').focus()")
    await tab.type("searxng")
    await tab.follow_key("Enter", "\r", 13)
    assert await tab.evaluate("document.activeElement.id") == "answer"
    assert "zander<svg" in await tab.evaluate("document.querySelector('.answer-view').innerText")
    assert await tab.evaluate("document.querySelectorAll('.answer-view svg, .answer-view script').length") == 0
    source = await tab.evaluate("document.querySelector('.answer-view img').src")
    assert source.startswith(f"{tab.url}/console/image?")
    assert await tab.evaluate("document.getElementById('in-query').value") == f"otters {HOSTILE}"
    assert await tab.evaluate("[...document.links].filter((one) => one.protocol === 'javascript:').length") == 0
    assert await tab.evaluate("violations") == []
    assert await tab.evaluate("'taken' in window && taken !== undefined") is False


async def test_the_first_wrong_field_receives_the_focus(tab):
    await tab.open("/console/tools/dedupe_rank")
    await tab.evaluate("document.getElementById('in-docs').value = '[{'")
    await tab.follow("document.querySelector('form[data-call] button').click()")
    assert await tab.evaluate("document.activeElement.id") == "in-docs"
    assert "cannot be read as JSON" in await tab.evaluate("document.getElementById('in-docs-error').innerText")


async def test_a_long_call_shows_its_end_without_a_new_page_and_one_that_is_cancelled_says_so(tab):
    await tab.open("/console/tools/search_and_scrape")
    await tab.evaluate("document.getElementById('in-query').value = 'otters'")
    await tab.follow("document.querySelector('form[data-call] button').click()")
    assert await tab.evaluate("location.pathname.startsWith('/console/calls/')")
    await tab.evaluate("window.same = true; document.querySelector('[data-poll]').dataset.poll = '0.05'")
    cancel = post_form("#call form")
    assert await tab.evaluate(f"{cancel}.then((answer) => answer.ok)")
    await tab.wait_for("document.getElementById('call').innerText.includes('cancelled')")
    assert await tab.evaluate("window.same") is True
    assert await tab.evaluate("document.querySelector('[data-poll]')") is None
    assert await tab.evaluate("violations") == []


async def test_a_chart_is_drawn_from_its_table_within_the_policy(tab):
    rows = [[1_790_000_000 + 3600 * hour, hour % 7, None if hour == 5 else hour] for hour in range(48)]
    template = build_environment().from_string(
        "{% from 'parts.html' import time_chart, chart_assets %}{{ chart_assets() }}{{ time_chart('Calls', columns, rows) }}"
    )
    markup = template.render(columns=["time", "errors", HOSTILE], rows=rows)
    await tab.open(HOME)
    await tab.evaluate(f"document.querySelector('main').insertAdjacentHTML('beforeend', {json.dumps(markup)})")
    for name in ("uplot.js", "charts.js"):
        kind = "module" if name == "charts.js" else "text/javascript"
        script = f"{{type: {kind!r}, src: {get_asset_address(name)!r}, onload: done}}"
        await tab.evaluate(
            f"new Promise((done) => document.head.append(Object.assign(document.createElement('script'), {script})))"
        )
    assert await tab.evaluate("document.querySelector('.plot canvas').width") > 100
    assert await tab.evaluate("document.querySelectorAll('.chart details tbody tr').length") == 48
    assert (await tab.evaluate("document.querySelector('.u-legend').innerText")).startswith("UTC")
    assert await tab.evaluate("document.querySelector('.plot').getAttribute('aria-hidden')") == "true"
    assert await tab.evaluate("violations") == []
    assert await tab.evaluate("'taken' in window") is False


async def test_operations_are_plotted_from_their_tables(tab):
    await tab.open("/console/operations?grain=hour")
    await tab.wait_for("document.querySelectorAll('.plot canvas').length === 3")
    rows = "[...document.querySelector('.chart details tbody').rows]"
    assert await tab.evaluate(f"{rows}.length") == 48
    assert await tab.evaluate(f"{rows}.reduce((sum, row) => sum + Number(row.cells[1].textContent), 0)") > 0
    await tab.evaluate("document.querySelector('select[name=grain]').value = 'day'")
    await tab.follow("document.querySelector('main form button').click()")
    assert "grain=day" in await tab.evaluate("location.search")
    assert await tab.evaluate("violations") == []


async def test_failed_work_is_dropped_only_with_the_box_ticked(tab):
    await tab.open("/console/operations/work")
    form = "document.querySelector('button[aria-label^=\"Drop job\"]').form"
    await tab.evaluate(f"{form}.requestSubmit()")
    assert await tab.evaluate(f"{form}.confirmed.matches(':invalid')")
    await tab.evaluate(f"{form}.confirmed.checked = true")
    await tab.follow("document.querySelector('button[aria-label^=\"Drop job\"]').click()")
    assert "Drop job" not in await tab.evaluate("document.querySelector('main').innerHTML")


async def test_a_person_makes_a_key_and_revokes_it_at_the_browser(tab):
    await tab.open("/console/account")
    await tab.evaluate("document.querySelector('input[name=name]').value = 'from-the-browser'")
    await tab.follow("document.querySelector('form[action$=keys] button').click()")
    secret = await tab.evaluate("document.getElementById('secret').textContent")
    assert secret.startswith("assaykey_")
    await tab.open("/console/account")
    row = "[...document.querySelectorAll('tr')].find((row) => row.textContent.includes('from-the-browser'))"
    assert secret not in await tab.evaluate("document.body.innerText")
    await tab.follow(f"{row}.querySelector('button').click()")
    assert await tab.evaluate(f"{row} === undefined")


async def test_an_erasure_needs_the_typed_word(tab):
    await tab.open("/console/data/erase")
    await tab.evaluate("document.querySelector('main form').requestSubmit()")
    assert await tab.evaluate("document.querySelector('input[name=word]').matches(':invalid')")
    assert await tab.evaluate("location.pathname") == "/console/data/erase"


async def test_without_scripts_every_page_reads_and_a_form_works(tab, installation):
    await tab.send("Emulation.setScriptExecutionDisabled", value=True)
    try:
        for page in GETS:
            await tab.open(build_address(page, installation[1]))
            assert len(await tab.evaluate("document.querySelector('main').innerText")) > 20
        await tab.open("/console/tools/dedupe_rank?example=1")
        await tab.follow("document.querySelector('form[data-call] button').click()")
        assert await tab.evaluate("!!document.getElementById('answer')")
    finally:
        await tab.send("Emulation.setScriptExecutionDisabled", value=False)


async def test_no_page_is_shown_in_a_frame_of_another_site(tab, installation):
    site = installation[3]
    site.says("/frame", f"<title>Frame</title><iframe src='{tab.url}/console'></iframe>")
    await tab.send("Page.navigate", url=site.url + "/frame")
    await tab.wait_for("document.title === 'Frame' && document.readyState === 'complete'")
    assert any("frame-ancestors" in text for text in tab.logged), tab.logged


async def test_a_session_of_the_console_is_signed_out_in_every_tab(tab, installation):
    await tab.open("/console/tools/dedupe_rank?example=1")
    await tab.evaluate(post_form("header form", to="'/oauth/sign-out'"))
    await tab.follow("document.querySelector('form[data-call] button').click()")
    assert "nothing was done" in await tab.evaluate("document.querySelector('main').innerText")
    await tab.open("/console/tools/dedupe_rank")
    await tab.evaluate(f"document.getElementById('key').value = {installation[4]!r}")
    await tab.follow("document.querySelector('form button').click()")
    assert await tab.evaluate("location.pathname") == "/console/tools/dedupe_rank"


async def test_the_keyboard_reaches_the_content_first_and_shows_where_it_is(tab):
    await tab.look_like("light", 1280)
    await tab.open(HOME)
    await tab.press("Tab", 9)
    assert await tab.evaluate("document.activeElement.className") == "skip"
    assert await tab.evaluate("document.activeElement.getBoundingClientRect().left") >= 0
    await tab.press("Tab", 9)
    assert await tab.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert await tab.evaluate("document.activeElement.matches('header a')")


async def test_a_watched_page_shows_its_changed_passages_accessibly(tab, installation, axe):
    site = installation[3]
    address = site.says(
        "/watched", "<main><h1>Otters</h1><p>The survey of last spring counted forty animals.</p></main>"
    )
    await tab.look_like("light", 1280)
    await tab.open("/console/watches")
    await tab.evaluate(f"document.querySelector('input[name=query]').value = {address!r}")
    await tab.evaluate("document.querySelector('select[name=kind]').value = 'page'")
    await tab.follow("document.querySelector('form[action$=watches] button').click()")
    site.says("/watched", "<main><h1>Otters</h1><p>The survey of last spring counted sixty animals.</p></main>")
    watch = f"[...document.querySelectorAll('article')].find((one) => one.innerText.includes({address!r}))"
    await tab.follow(f"{watch}.querySelector('form[action$=check] button').click()")
    assert "forty" in await tab.evaluate("document.querySelector('del').innerText")
    assert "sixty" in await tab.evaluate("document.querySelector('ins').innerText")
    await tab.evaluate(axe)
    for form, (scheme, width) in FORMS.items():
        await tab.look_like(scheme, width)
        assert await tab.evaluate(build_check(form)) == [], form
    assert await tab.evaluate("violations") == []


async def test_a_crawl_goes_on_without_a_new_page_and_keeps_its_tree_as_it_was_opened(tab, installation):
    await tab.open(f"/console/crawls/{installation[1].crawl}")
    await tab.evaluate("window.same = true; document.querySelector('.tree details').open = false")
    await tab.evaluate("document.querySelector('[data-poll]').dataset.poll = '0.05'")
    cancel = post_form("#crawl form")
    assert await tab.evaluate(f"{cancel}.then((answer) => answer.ok)")
    await tab.wait_for("document.getElementById('crawl').innerText.includes('cancelled')")
    assert await tab.evaluate("window.same") is True
    assert await tab.evaluate("document.querySelectorAll('.tree details a').length") == 2
    assert await tab.evaluate("document.querySelector('.tree details').open") is False
    assert await tab.evaluate("violations") == []


async def test_a_server_that_fails_for_a_moment_does_not_end_the_page_of_a_call(tab):
    await tab.open("/console/tools/search_and_scrape")
    await tab.evaluate("document.getElementById('in-query').value = 'otters'")
    await tab.follow("document.querySelector('form[data-call] button').click()")
    failing = "asked = 0; fetch = async () => new Response('Busy', {status: asked++ % 2 ? 503 : 429})"
    await tab.evaluate(f"window.same = true; window.real = fetch; {failing}")
    await tab.evaluate("document.querySelector('[data-poll]').dataset.poll = '0.05'")
    await tab.wait_for("window.same && asked > 3")
    cancel = post_form("#call form", fetch="real")
    assert await tab.evaluate(f"{cancel}.then((answer) => {{ fetch = real; return answer.ok; }})")
    await tab.wait_for("document.getElementById('call').innerText.includes('cancelled')")
    assert await tab.evaluate("window.same") is True


async def test_an_audit_is_started_and_its_evidence_opened_filtered_and_cancelled(tab, axe):
    listed = f"[1] Brook A. Salmon and weirs {HOSTILE}. River Letters. 2015."
    text = f"# Weirs\n\nSalmon return [1].\n\n# References\n\n{listed}"
    await tab.look_like("light", 1280)
    await tab.open("/console/audits")
    await tab.evaluate(f"document.querySelector('textarea[name=text]').value = {json.dumps(text)}")
    await tab.follow("document.querySelector('form[data-call] button').click()")
    assert await tab.evaluate("location.pathname.startsWith('/console/audits/')")
    await tab.evaluate("document.querySelectorAll('.references details').forEach((one) => (one.open = true))")
    assert "Salmon return" in await tab.evaluate("document.querySelector('.references details').innerText")
    await tab.evaluate(axe)
    assert await tab.evaluate(build_check("light")) == []
    await tab.look_like("light", 360)
    assert await tab.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    await tab.evaluate("document.querySelector('select[name=flag]').value = 'flagged'")
    await tab.follow("document.querySelector('main form[method=get] button').click()")
    assert "flag=flagged" in await tab.evaluate("location.search")
    await tab.follow("document.querySelector('#audit form[method=post] button').click()")
    assert "cancelled" in await tab.evaluate("document.getElementById('audit').innerText")
    assert await tab.evaluate("violations") == []
    assert await tab.evaluate("'taken' in window && taken !== undefined") is False
