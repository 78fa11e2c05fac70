"""A form that is sent twice, by a double click or a reload, does once what it says, and shows its outcome twice."""

import asyncio

import pytest
from tests.console.conftest import ADA, EVE
from tests.console.page_checks import check_html
from tests.console.test_every_page import FORMS, build_address
from tests.isolation.isolation_rows import CONSOLE_PAGES
from tests.oauth.browsers import read_form

from assay.context import Context
from assay.entrypoints.idempotency import REPLAYED
from assay.invoke import invoke
from assay.state.key_store import list_keys
from assay.state.owned_data import list_owned
from assay.state.table_rows import query_all

ACCOUNT, KEYS, STEP = "/console/account", "/console/account/keys", "/console/tools/sequential_search"
[REPLAYED_HEADER] = REPLAYED
STEP_FIELDS = {"in-searchStep": "Where do otters sleep?", "in-stepNumber": "1", "in-nextStepNeeded": "true"}


@pytest.mark.parametrize("page", [each for each in FORMS if each.once_seconds], ids=lambda page: page.path)
async def test_the_same_form_is_answered_by_the_outcome_of_the_first(page, ada, browse):
    browser, address = await browse(), build_address(page, ada)
    fields = CONSOLE_PAGES[f"POST {page.path}"](ada)[0].get("form", {})
    if page.path.endswith("/work"):
        fields = fields | {"confirmed": "yes"}
    shown = await browser.open("/console/tools/dedupe_rank")
    first, second = [await browser.submit(address, shown, **fields) for _ in range(2)]
    if page.path.endswith("/breaker"):  # for the operator
        assert (first.status_code, REPLAYED_HEADER in second.headers) == (403, False)
        return
    assert first.status_code < 400, first.text
    assert (second.status_code, second.text) == (first.status_code, first.text)
    assert second.headers.get("location") == first.headers.get("location")
    assert (REPLAYED_HEADER in first.headers, REPLAYED_HEADER in second.headers) == (False, True)
    assert second.headers.get("content-security-policy") == first.headers["content-security-policy"]


async def test_a_key_is_made_once_by_two_clicks_and_both_show_its_secret_that_is_stored_nowhere(server, browse):
    browser = await browse()
    page, before = await browser.open(ACCOUNT), len(await list_keys(server.table))
    answers = await asyncio.gather(*(browser.submit(KEYS, page, name="laptop") for _ in range(2)))
    [secret] = {check_html(each.text).xpath("string(//code[@id='secret'])") for each in answers}
    assert secret
    assert len(await list_keys(server.table)) == before + 1
    names = await list_owned(server.table, ADA.tenant, ADA.user, "idempotency")
    [row] = [row for name in names for row in await query_all(server.table, f"idempotency/{ADA.tenant}/{name}")]
    assert secret.encode() not in row.value
    assert b"sealed" in row.value
    again = await browser.submit(KEYS, await browser.open(ACCOUNT), name="laptop")  # meant, from a page of its own
    assert check_html(again.text).xpath("string(//code[@id='secret'])") not in ("", secret)
    other = await browser.submit(KEYS, page, name="desktop")
    assert other.headers.get(REPLAYED_HEADER) is None
    assert len(await list_keys(server.table)) == before + 3


async def test_a_call_is_made_once_and_a_failed_form_may_be_sent_again(server, browse):
    browser = await browse()
    page = await browser.open(STEP)
    first, second = [await browser.submit(STEP, page, **STEP_FIELDS) for _ in range(2)]
    assert first.text == second.text
    listed = check_html((await browser.open("/console/sessions")).text)
    assert len(set(listed.xpath("//main//a[starts-with(@href, '/console/sessions/')]/@href"))) == 1
    empty = await browser.submit(STEP, page, **STEP_FIELDS | {"in-searchStep": ""})
    assert empty.status_code == 400
    unknown = [await browser.submit(KEYS, page, name="x", scopes="nonsense") for _ in range(2)]
    assert [(each.status_code, each.headers.get(REPLAYED_HEADER)) for each in unknown] == [(400, None)] * 2


async def test_the_number_of_a_form_is_worth_nothing_in_another_browser_or_at_another_page(server, ada, browse):
    browser, eve = await browse(), await browse(EVE)
    page = await browser.open(ACCOUNT)
    made = await browser.submit(KEYS, page, name="laptop")
    secret = check_html(made.text).xpath("string(//code[@id='secret'])")
    number = read_form(page.text)["form_once"]
    for stranger in (eve, await browse()):  # the second one is Ada at another machine
        answer = await stranger.submit(KEYS, await stranger.open(ACCOUNT), name="laptop", form_once=number)
        assert answer.status_code == 200
        assert secret not in answer.text
    saved = await browser.submit("/console/memory", page, note="Otters sleep.", name="laptop")
    assert saved.headers.get(REPLAYED_HEADER) is None


async def test_a_tab_that_was_left_open_says_that_nothing_was_done(server, ada, browse):
    browser = await browse()
    stale = await browser.open(ACCOUNT)
    await browser.submit("/oauth/sign-out", stale)
    out = await browser.submit(KEYS, stale, name="late")
    assert (out.status_code, "You are signed out, and nothing was done." in out.text) == (401, True)
    back = await browser.sign_in(await browser.open(ACCOUNT), ada.key)
    assert back.status_code == 303
    old = await browser.submit(KEYS, stale, name="late")
    assert old.status_code == 400
    assert "Nothing was done." in old.text
    assert check_html(old.text).xpath(f"//main//a[@href='{ACCOUNT}']")
    assert not [key for key in await list_keys(server.table) if key.name == "late"]
    assert (await invoke("monitor_list", {}, Context(server, ADA))).error is None
