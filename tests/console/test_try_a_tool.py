"""A person tries tools in the console: the form, its errors, the answer in three forms, and long calls."""

import json
import re
import shlex

import httpx
import pytest
from lxml import html
from tests.console.conftest import ADA, BASE, HOSTILE
from tests.console.page_checks import check_html
from tests.console.test_image_cleaning import build_png
from tests.oauth.browsers import read_form

from assay.caller import Caller
from assay.entrypoints.console import tool_pages
from assay.entrypoints.console.tool_forms import PREFIX, build_fields, fill_values, parse_form
from assay.oauth.browser_sessions import session_key
from assay.oauth.secret_values import digest
from assay.settings import Settings
from assay.toolkit import tool_registry

TOOLS = "/console/tools"
PNG = build_png(9, 9)


@pytest.fixture
async def browser(browse):
    return await browse()


@pytest.fixture
def call(browser):
    """`await call("web_search", query="otters")`: the page that follows the filled-in form."""

    async def call(tool, /, **fields):
        page = await browser.open(f"{TOOLS}/{tool}")
        return await browser.submit(f"{TOOLS}/{tool}", page, **{PREFIX + name: text for name, text in fields.items()})

    return call


@pytest.fixture
def real_site(server, site):
    """`site`, reached by the guarded client too."""
    server.web_overrides.clear()
    return site


def read_text(response, path="//main"):
    return " ".join(html.document_fromstring(response.text).xpath(f"string({path})").split())


async def test_tools_are_listed_and_found_by_words(browser):
    page = check_html((await browser.open(TOOLS)).text)
    assert len(page.xpath("//dl[@class='tools']/dt")) >= 40
    found = await browser.open(TOOLS, q="retraction BIBLIOGRAPHY")
    names = html.document_fromstring(found.text).xpath("//dt/code/text()")
    assert "audit_bibliography" in names
    assert len(names) < 10
    assert "0 of" in read_text(await browser.open(TOOLS, q="<script>nothing"))


@pytest.mark.parametrize("name", tool_registry.tool_names())
def test_an_example_goes_through_the_form_unchanged_and_fits_the_tool(name):
    tool = tool_registry.find_tool(name)
    example = tool_pages.read_examples().get(name)
    if example is None:  # it takes the id of something that is stored
        assert {"id", "ids", "sessionId", "pdf_base64"} & set(tool.input_schema["properties"])
        return
    tool.parse(example)
    values = fill_values(tool.input_schema, example)
    filled = parse_form(tool.input_schema, {PREFIX + field: text for field, text in values.items()})
    assert (filled.arguments, filled.errors) == (example, {})
    fields = build_fields(tool.input_schema, values, {})
    assert {field.name for field in fields} == set(tool.input_schema["properties"])
    assert [field.name for field in fields if field.is_required] == [
        name for name in tool.input_schema["properties"] if name in tool.input_schema.get("required", ())
    ]


async def test_an_answer_is_shown_for_people_models_and_programs(call, browser):
    page = await call("dedupe_rank", docs=json.dumps([{"id": "a", "text": "Otters"}, {"id": "b", "text": "Crabs"}]))
    assert page.status_code == 200, page.text
    tree = check_html(page.text)
    [model, program] = tree.xpath("//section[@aria-labelledby='answer']/details/pre/text()")
    assert json.loads(program).keys() >= {"stats"} or json.loads(program)
    assert re.search(r"about \d+ tokens", page.text)
    assert model.strip()
    snippets = dict(
        zip(
            tree.xpath("//section[@aria-labelledby='snippets']//summary/text()"),
            tree.xpath("//section[@aria-labelledby='snippets']//pre/text()"),
            strict=True,
        )
    )
    assert set(snippets) == {"curl", "Command line", "Python", "MCP"}
    words = shlex.split(snippets["curl"])
    assert words[2] == f"{BASE}/tools/dedupe_rank"
    assert json.loads(words[-1]) == json.loads(snippets["MCP"])["params"]["arguments"]
    compile(snippets["Python"], "snippet", "exec")


async def test_a_snippet_quotes_what_a_shell_or_python_would_run(call):
    page = await call("web_search", query="'; rm -rf ~ #\n$(id)")
    tree = check_html(page.text)
    [curl, command, python, _] = tree.xpath("//section[@aria-labelledby='snippets']//pre/text()")
    for line in (curl, command):
        assert json.loads(shlex.split(line)[-1])["query"] == "'; rm -rf ~ #\n$(id)"
    compile(python, "snippet", "exec")


@pytest.mark.parametrize(
    ("tool", "field", "text", "message"),
    [
        ("web_search", "num_results", "many", "Write a whole number."),
        ("dedupe_rank", "docs", "[{", "expecting property name enclosed in double quotes at character 3"),
        ("dedupe_rank", "docs", "[" * 5000, "cannot be read as JSON"),
        ("local_search", "latitude", "nan", "Write a number."),
        ("web_search", "num_results", "100000", "less than or equal|at most|maximum"),
        ("web_search", "query", "", "required"),
        ("audit_bibliography", "entries", '[{"doy": "x"}]', "doy"),
    ],
)
async def test_an_error_is_shown_beside_its_field(call, tool, field, text, message):
    schema = tool_registry.find_tool(tool).input_schema
    field = field if field in schema["properties"] else "numResults"
    fields = {"query": "otters"} if "query" in schema["properties"] else {}
    page = await call(tool, **fields | {field: text})
    assert page.status_code == 400
    tree = check_html(page.text)
    [wrong] = tree.xpath("//*[@aria-invalid='true']")
    assert wrong.get("name") == PREFIX + field
    error = tree.get_element_by_id(wrong.get("aria-describedby").split()[-1]).text_content()
    assert re.search(message, error), error


async def test_hostile_results_are_text_links_and_proxied_images(call, browser, real_site):
    site = real_site
    site.says("/pixel.png", PNG, kind="image/png")
    hits = [
        {"title": HOSTILE, "url": f"{site.url}/pixel.png", "content": "![x](javascript:alert(1)) " + HOSTILE},
        {"title": "x" * 1_000_000, "url": "javascript:alert(1)//https://a.example", "content": "\u202eevil"},
    ]
    site.says("/searxng/search", json.dumps({"results": hits}), kind="application/json")
    page = await call("web_search", query="otters " + HOSTILE, provider="searxng")
    tree = check_html(page.text)
    assert "zander" in page.text
    assert not [link for link in tree.xpath("//a/@href") if "javascript" in link]
    [image, *_] = [source for source in tree.xpath("//img/@src") if "pixel" in source]
    shown = await browser.http.get(image)
    assert (shown.status_code, shown.headers["content-type"], shown.content) == (200, "image/png", PNG)


async def test_the_image_proxy_serves_signed_raster_images_to_their_browser_alone(call, browser, connect, real_site):
    site = real_site
    pictures = {
        "/svg.png": (b"<svg xmlns='http://www.w3.org/2000/svg' onload='x()'/>", "image/svg+xml", 200),
        "/page.png": (b"<script>taken()</script>", "image/png", 200),
        "/big.png": (PNG + b"\0" * 3_000_000, "image/png", 200),
        "/gone.png": (PNG, "image/png", 404),
        "/good.png": (PNG, "text/html", 200),
    }
    for path, (body, kind, status) in pictures.items():
        site.says(path, body, kind=kind, status=status)
    hits = [{"title": path, "url": site.url + path, "content": "x"} for path in pictures]
    site.says("/searxng/search", json.dumps({"results": hits}), kind="application/json")
    tree = check_html((await call("web_search", query="pictures", provider="searxng")).text)
    signed = {path: next(one for one in tree.xpath("//img/@src") if path[1:] in one) for path in pictures}
    seen = {path: await browser.http.get(address) for path, address in signed.items()}
    assert {path: one.status_code for path, one in seen.items()} == dict.fromkeys(pictures, 404) | {"/good.png": 200}
    good = seen["/good.png"]
    assert (good.headers["content-type"], good.content) == ("image/png", PNG)
    assert "sandbox" in good.headers["content-security-policy"]
    sent = site.requests[-1]
    assert sent.path == "/good.png"
    assert not {"cookie", "referer", "authorization"} & set(sent.headers)
    asked, stranger = len(site.requests), await connect()
    forged = re.sub("signature=[0-9a-f]{4}", "signature=0000", signed["/good.png"])
    other = signed["/good.png"].replace("good.png", "svg.png")
    refused = [
        await browser.http.get(forged),
        await browser.http.get(other),
        await stranger.http.get(signed["/good.png"]),
    ]
    assert [one.status_code for one in refused] == [404, 404, 404]
    assert len(site.requests) == asked


async def test_an_outage_is_an_error_with_its_provider_and_never_an_empty_answer(call, site):
    site.says("/searxng/search", HOSTILE, status=503)
    page = await call("web_search", query="otters and an outage", provider="searxng")
    assert page.status_code >= 500
    tree = check_html(page.text)
    assert "searxng" in tree.xpath("string(//article[@role='alert'])")
    assert not tree.xpath("//h2[@id='answer']")


async def test_a_long_call_goes_on_with_a_worker_and_can_be_cancelled(ada, call, browser, browse):
    begun = await call("search_and_scrape", query="otters")
    assert begun.status_code == 303, begun.text
    address = begun.headers["location"]
    page = await browser.open(address)
    tree = check_html(page.text)
    assert tree.xpath("//progress")
    assert tree.xpath("//noscript/meta/@content") == ["5"]
    assert tree.xpath("//*[@data-poll]/@id") == ["call"]
    other = await browse(Caller(ADA.tenant, "carl"))
    assert (await other.open(address)).status_code == 404
    done = await browser.submit(address, page)
    assert done.headers["location"] == address
    assert "cancelled" in read_text(await browser.open(address))


async def test_a_finished_call_shows_its_answer_as_a_direct_one(ada, browser):
    page = await browser.open(f"/console/calls/{ada.tool_call}")
    tree = check_html(page.text)
    assert tree.xpath("//h2[@id='answer']")
    assert not tree.xpath("//progress")
    assert ada.mark.partition("<")[0] in read_text(page)


async def test_a_key_that_lacks_the_scope_is_told_so(browse):
    browser = await browse(Caller("acme", "bob", frozenset({"json"})))
    page = await browser.open(f"{TOOLS}/web_search")
    refused = await browser.submit(f"{TOOLS}/web_search", page, **{PREFIX + "query": "otters"})
    assert refused.status_code == 403
    assert "tool:web_search" in read_text(check_page(refused))


def check_page(response):
    check_html(response.text)
    return response


async def test_a_tab_from_before_the_sign_out_asks_to_sign_in_and_its_forms_do_nothing(browser, site):
    page = await browser.open(f"{TOOLS}/web_search")
    address = f"{TOOLS}/web_search"
    signed_out = await browser.http.post(
        "/oauth/sign-out", data=read_form(page.text), headers={"origin": BASE, "sec-fetch-site": "same-origin"}
    )
    assert signed_out.status_code == 200
    asked = len(site.requests)
    stale = await browser.submit(address, page, **{PREFIX + "query": "otters"})
    assert stale.status_code == 401
    assert "nothing was done" in read_text(stale)
    assert len(site.requests) == asked
    assert "Your Assay key" in (await browser.open(address)).text


async def test_a_form_that_is_too_long_is_refused(browser):
    page = await browser.open(f"{TOOLS}/web_search")
    refused = await browser.submit(f"{TOOLS}/web_search", page, **{PREFIX + "query": "x" * 300_000})
    assert refused.status_code in (400, 413)


async def test_the_user_of_a_machine_without_keys_needs_no_sign_in(services, site, fake_hosts):
    from assay.entrypoints.http.local_server import create_app

    wire = httpx.ASGITransport(create_app(services), client=("127.0.0.1", 50_000))
    async with httpx.AsyncClient(transport=wire, base_url=BASE) as http:
        page = await http.get(f"{TOOLS}/dedupe_rank")
        assert "User of this machine" in page.text
        fields = read_form(page.text) | {PREFIX + "docs": '[{"id": "a", "text": "Otters"}]'}
        own = {"origin": BASE, "sec-fetch-site": "same-origin"}
        answer = await http.post(f"{TOOLS}/dedupe_rank", data=fields, headers=own)
        assert answer.status_code == 200
        assert "ASSAY_KEY" not in answer.text
        assert (
            await http.post(f"{TOOLS}/dedupe_rank", data=fields | {"form_token": "x"}, headers=own)
        ).status_code == 400
        assert (await http.get("/console/tools", headers={"host": "evil.example"})).status_code == 421


async def test_a_link_fills_in_the_form_of_a_tool_that_only_reads_and_calls_nothing(browser, site):
    page = await browser.http.get(f"{TOOLS}/web_search", params={PREFIX + "query": HOSTILE, PREFIX + "nothing": "x"})
    tree = check_html(page.text)
    assert tree.get_element_by_id(PREFIX + "query").get("value") == HOSTILE
    assert not tree.xpath("//h2[@id='answer']")
    assert site.requests == []
    changing = await browser.http.get(f"{TOOLS}/memory_forget", params={PREFIX + "topic": "Otters"})
    assert check_html(changing.text).get_element_by_id(PREFIX + "topic").get("value") == ""
    assert "deletes or overwrites" in read_text(changing)


async def test_a_large_answer_is_stored_and_linked(call, browser, services):
    usual = services.settings
    services.settings = Settings.read({**usual.environ, "LINK_ALWAYS_BYTES": "2000"})
    documents = [{"id": f"otter-{number}", "text": f"Otters {number} " * 20} for number in range(200)]
    page = await call("dedupe_rank", docs=json.dumps(documents))
    assert page.status_code == 200, page.text
    [link] = [one for one in check_html(page.text).xpath("//a/@href") if "read_artifact" in one]
    form = check_html((await browser.open(link)).text)
    artifact = form.get_element_by_id(PREFIX + "id").get("value")
    assert artifact.startswith("research://artifact/")
    services.settings = usual
    assert "otter-7" in (await call("read_artifact", id=artifact)).text


async def test_a_page_that_fails_unexpectedly_is_a_page_and_in_the_log(browser, server, caplog):
    cookie = browser.http.cookies["assay-sign-in"]
    await server.table.put(session_key(digest(cookie)), "-", b"{not json", until=server.clock() + 60)
    page = await browser.open(TOOLS)
    assert page.status_code == 500
    number = page.text.partition("request id ")[2].partition(".")[0]
    assert number in caplog.text
    assert "not json" not in read_text(page)
    check_html(page.text)
