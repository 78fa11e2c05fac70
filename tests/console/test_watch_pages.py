"""Watches at a browser: saved, checked, with changed passages as a diff, and deleted after a confirmation."""

from typing import get_args

import pytest
from tests.console.conftest import ADA, EVE, HOSTILE
from tests.console.page_checks import check_html

from assay.caller import Caller
from assay.consent.consent_records import PURPOSES
from assay.entrypoints.console.watches_page import KINDS
from assay.monitoring.watch_records import WatchKind
from assay.own_stores import OwnStores
from assay.settings import Settings

WATCHES = "/console/watches"
SURVEY = "The survey of last spring counted forty animals between the two weirs, more than in any year before."
BASICS = "Otters live in rivers and along the coasts, and they sleep on the water while they hold hands."


def serve_page(fake_hosts, *passages):
    body = "".join(f"<p>{passage}</p>" for passage in passages)
    html = f"<html><head><title>Otters</title></head><body><main><h1>Otters</h1>{body}</main></body></html>"
    fake_hosts.says("river.test", "/watched", html, content_type="text/html; charset=utf-8")
    return "http://river.test/watched"


async def test_a_watch_is_saved_looked_at_and_deleted_and_its_diff_is_marked_up(server, fake_hosts, browse):
    for purpose in PURPOSES:
        await OwnStores(server, ADA).consents.decide(purpose, granted=True, decided_from="test")
    browser = await browse()
    page = await browser.open(WATCHES)
    address = serve_page(fake_hosts, BASICS, SURVEY)
    saved = await browser.submit(WATCHES, page, query=address, kind="page", everyHours="6", feed="new")
    assert saved.status_code == 200, saved.text
    [feed] = check_html(saved.text).xpath("//pre[@id='atom']/text()")
    assert "/feeds/" in feed
    listed = await browser.open(WATCHES)
    assert feed not in listed.text
    [watch] = check_html(listed.text).xpath("//article//form[contains(@action, 'check')]/input[@name='id']/@value")
    hostile = HOSTILE.replace("<", "&lt;")
    serve_page(fake_hosts, BASICS, SURVEY.replace("forty", f"sixty {hostile}"))
    checked = await browser.submit(WATCHES + "/check", listed, id=watch)
    tree = check_html(checked.text)
    assert tree.xpath("string(//li[del])") == f"Removed: {SURVEY}"
    assert tree.xpath("string(//li[ins])").startswith("Added: The survey of last spring counted sixty zander\\<svg")
    assert tree.xpath("string(//article//h2/a/@href)") == address
    assert (await browser.submit(WATCHES + "/check", listed, id=watch)).text == checked.text  # as it was sent twice
    again = await browser.open(WATCHES)
    assert "Nothing new" in (await browser.submit(WATCHES + "/check", again, id=watch)).text
    eve = await browse(EVE)
    assert (await eve.submit(WATCHES + "/check", await eve.open(WATCHES), id=watch)).status_code == 400
    kept = await browser.submit(WATCHES + "/delete", listed, id=watch)
    assert (kept.status_code, "Nothing was deleted" in kept.text) == (400, True)
    assert (await browser.submit(WATCHES + "/delete", listed, id=watch, confirmed="yes")).status_code == 303
    assert "You have 0 watches" in (await browser.open(WATCHES)).text


async def test_without_consent_the_page_of_watches_says_where_to_consent(server, browse):
    page = await (await browse(Caller("acme", "carl", frozenset({"*"})))).open(WATCHES)
    assert check_html(page.text).xpath("//*[@role='alert']/a/@href") == ["/oauth/personal-data"]


@pytest.mark.parametrize(("path", "variable"), [(WATCHES, "MONITORING_ENABLED"), ("/console/memory", "MEMORY_ENABLED")])
async def test_a_page_of_what_is_off_here_says_how_to_switch_it_on(path, variable, server, environ, browse):
    server.settings = Settings.read({**environ, variable: "false"})
    page = await (await browse()).open(path)
    assert page.status_code == 200
    tree = check_html(page.text)
    assert f"{variable}=true" in tree.xpath("string(//*[@role='alert'])")
    assert not tree.xpath("//main//form[@method='post']")
    assert not tree.xpath("//a[@href='/oauth/personal-data']")


def test_every_kind_of_watch_can_be_chosen():
    assert set(KINDS) == set(get_args(WatchKind.__value__))
