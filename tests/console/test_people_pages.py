"""What people do about themselves at a browser: keys, memories, workspaces, export, erasure, and their trail."""

import json
import re
from dataclasses import replace
from html import unescape

from tests.console.conftest import ADA, BASE, EVE, HOSTILE
from tests.console.page_checks import check_html
from tests.console.test_operations import CountingTable, read_rows

from assay.caller import Caller
from assay.context import Context
from assay.entrypoints.auth import KeyRing, identify_key
from assay.invoke import invoke
from assay.oauth.grants import Authorization, create_grant
from assay.oauth.principals import Principal
from assay.own_stores import OwnStores
from assay.personal_data.receipts import is_valid_receipt
from assay.state.key_store import list_keys
from assay.workspaces.workspace_store import WorkspaceMembers

ACCOUNT, MEMORY, DATA = "/console/account", "/console/memory", "/console/data"
BOB = Caller("acme", "bob", frozenset({"core", "tool:memory_recall"}))


async def test_a_key_is_shown_once_can_do_no_more_than_its_owner_and_is_revoked(server, browse):
    browser = await browse(BOB)
    page = await browser.open(ACCOUNT)
    created = await browser.submit(ACCOUNT + "/keys", page, name="travel", scopes="core", expires="7d")
    [secret] = check_html(created.text).xpath("//code[@id='secret']/text()")
    caller = await identify_key(secret, KeyRing(), server)
    assert (caller.tenant, caller.user, caller.scopes) == ("acme", "bob", {"core"})
    again = await browser.open(ACCOUNT)
    assert secret not in again.text
    assert "travel" in again.text
    refused = await browser.submit(ACCOUNT + "/keys", page, name="more", scopes="*")
    assert (refused.status_code, "Choose among them" in refused.text) == (403, True)
    assert (await browser.submit(ACCOUNT + "/keys", page, name="<script>", scopes="core")).status_code == 400
    [key] = [key for key in await list_keys(server.table) if key.name == "travel"]
    eve = await browse(EVE)
    foreign = await eve.submit(ACCOUNT + "/keys/revoke", await eve.open(ACCOUNT), id=key.id)
    assert foreign.status_code == 404
    revoked = await browser.submit(ACCOUNT + "/keys/revoke", page, id=key.id)
    assert (revoked.status_code, revoked.headers["location"]) == (303, ACCOUNT)
    assert "travel" not in (await browser.open(ACCOUNT)).text


async def test_memories_are_searched_changed_exported_and_forgotten_whatever_their_text(server, ada, browse):
    ctx = Context(server, ADA)
    note = f"{HOSTILE} walruses \u05d0\u0301 [x](javascript:taken()) " + "w" * 1_000
    reply = await invoke("memory_save", {"note": note, "topic": HOSTILE, "tags": [HOSTILE[:50]]}, ctx)
    assert reply.error is None
    browser = await browse()
    page = await browser.open(MEMORY, query="walruses")
    tree = check_html(page.text)
    assert tree.xpath("count(//article)") == 1
    [text] = tree.xpath("//article//textarea/text()")
    assert text.strip() == note.strip()
    edited = await browser.submit(
        MEMORY, page, id=reply.wire["id"], note="Walruses whistle.", topic="", url="", tags=""
    )
    assert (edited.status_code, edited.headers["location"]) == (303, MEMORY)
    assert "Walruses whistle." in (await browser.open(MEMORY, query="whistle")).text
    eve = await browse(EVE)
    foreign = await eve.submit(MEMORY, await eve.open(MEMORY), id=ada.memory, note="taken over")
    assert foreign.status_code in (400, 404)
    exported = await browser.submit(MEMORY + "/export", page)
    assert exported.headers["content-disposition"] == 'attachment; filename="memories.md"'
    assert "Walruses whistle." in exported.text
    assert (await browser.submit(MEMORY + "/forget", page, id=reply.wire["id"])).status_code == 303
    assert "whistle" not in (await browser.open(MEMORY)).text
    kept = await browser.submit(MEMORY + "/forget", page, everything="yes")
    assert (kept.status_code, "Nothing was deleted" in kept.text) == (400, True)
    await browser.submit(MEMORY + "/forget", page, everything="yes", confirmed="yes")
    assert "0 memories match" in (await browser.open(MEMORY)).text


async def test_an_export_of_many_long_memories_is_one_file_unless_lambda_cannot_send_it(server, ada, browse):
    ctx, browser = Context(server, ADA), await browse()
    for number in range(90):
        note = f"Note {number} " + f"<&>{number} \n" * 9_000
        assert (await invoke("memory_save", {"note": note[:65_000]}, ctx)).error is None
    page = await browser.open(MEMORY)
    assert len(page.text) < 5_000_000
    assert check_html(page.text).xpath("//a[text()='More']")
    exported = await browser.submit(MEMORY + "/export", page)
    assert exported.headers["content-disposition"] == 'attachment; filename="memories.md"'
    assert exported.headers["x-content-type-options"] == "nosniff"
    assert exported.text.count("# Memories\n\nExported ") > 2
    assert [f"> Note {number} " in exported.text for number in range(90)] == [True] * 90
    server.settings = replace(server.settings, table_name="assay")
    refused = await browser.submit(MEMORY + "/export", page)
    assert (refused.status_code, "over 5 MB" in refused.text, "memory_export" in refused.text) == (400, True, True)


async def test_a_long_note_is_edited_as_browsers_send_it(server, ada, browse):
    ctx, browser = Context(server, ADA), await browse()
    note = "湿地\n" * 9_362 + "ab"
    saved = (await invoke("memory_save", {"note": note}, ctx)).wire
    assert len(note.encode()) == 65_536
    sent = note.replace("\n", "\r\n")
    edited = await browser.submit(MEMORY, await browser.open(MEMORY), id=saved["id"], note=sent, tags="wet")
    assert (edited.status_code, edited.headers["location"]) == (303, MEMORY)
    [entry] = (await invoke("memory_recall", {"query": "wet"}, ctx)).wire["memories"]
    assert (entry["note"], entry["tags"]) == (note, ["wet"])


async def test_without_consent_the_page_says_where_to_consent(server, browse):
    page = await (await browse(Caller("acme", "carl", frozenset({"*"})))).open(MEMORY)
    check_html(page.text)
    assert "/oauth/personal-data" in page.text
    assert not check_html(page.text).xpath("//article")


async def test_where_memory_is_off_the_page_says_how_to_turn_it_on(server, browse):
    server.settings = replace(server.settings, memory_enabled=False)
    page = await (await browse()).open(MEMORY)
    assert (page.status_code, "MEMORY_ENABLED" in page.text) == (200, True)
    check_html(page.text)


async def test_contributions_are_read_and_only_ones_own_are_withdrawn(server, ada, browse):
    await OwnStores(server, EVE).consents.decide("workspace", granted=True, decided_from="test")
    await WorkspaceMembers(server.table, ada.workspace).add(EVE.tenant, EVE.user)
    place = f"/console/workspaces/{ada.workspace}"
    eve, browser = await browse(EVE), await browse()
    shown = await eve.open(place)
    assert HOSTILE in unescape(shown.text)
    check_html(shown.text)
    assert "Withdraw" not in shown.text
    assert (await eve.submit(place, shown, id=ada.contribution)).status_code == 404
    assert ada.workspace in (await browser.open("/console/workspaces")).text
    page = await browser.open(place)
    assert (await browser.submit(place, page, id=ada.contribution)).status_code == 303
    assert "Nothing is shared here" in (await browser.open(place)).text
    stranger = await (await browse(BOB)).open(place)
    assert ada.mark not in stranger.text


async def test_an_export_has_everything_and_an_erasure_leaves_a_receipt_and_nobody_signed_in(server, ada, browse):
    browser = await browse()
    page = await browser.open(DATA + "/erase")
    assert int(read_rows(page, "Stored about you")["memories"][0]) == 2
    assert read_rows(await browser.open(DATA + "/export"), "Items")["memories"] == ["2"]
    file = await browser.submit(DATA + "/export", page)
    assert file.headers["content-type"].startswith("application/json")
    assert len(json.loads(file.text)["namespaces"]["memories"]) == 2
    kept = await browser.submit(DATA + "/erase", page, word="erase")
    assert (kept.status_code, "Nothing was erased" in kept.text) == (400, True)
    stale = await browse()  # another tab
    old = await stale.open(ACCOUNT)
    erased = await browser.submit(DATA + "/erase", page, word="ERASE")
    [text] = check_html(erased.text).xpath("//code[@id='receipt']/text()")
    receipt = json.loads(text)
    assert receipt["deleted"]["memories"] == 2
    assert await is_valid_receipt(server.table, receipt)
    assert "Your Assay key" in (await browser.open(DATA)).text
    late = await stale.submit(ACCOUNT + "/keys", old, name="late")
    assert (late.status_code, "nothing was done" in late.text) == (401, True)
    assert not [key for key in await list_keys(server.table) if key.user == ADA.user]


async def test_the_trail_shows_ones_own_calls_and_the_causes_of_failures(server, browse):
    for caller in (BOB, ADA):
        for number in range(3):
            ctx = Context(server, caller, entrypoint="mcp", request_id=f"{caller.user}-{number}")
            await invoke("memory_recall", {"limit": "<b>many</b>"}, ctx)
    refused = await (await browse(BOB)).open("/console/activity")
    assert (refused.status_code, "a key for every tool" in refused.text) == (403, True)
    page = await (await browse(replace(BOB, scopes=frozenset({"*"})))).open("/console/activity")
    assert len(check_html(page.text).xpath("//div[@aria-label='Audit trail']//tbody/tr")) == 4  # and the refusal
    assert len(check_html(page.text).xpath("//div[@aria-label='Failed in the last day']//tbody/tr")) == 3
    assert all(row[-1] for row in read_rows(page, "Failed in the last day").values())
    assert not re.search(r"\bada\b", page.text)  # a form's random number may hold the three letters


async def test_the_page_of_grants_offers_a_key_for_some_tools_what_can_do_no_more(server, browse):
    grants = {}
    for scope in ("tool:*", "core"):
        principal = Principal(BOB.tenant, BOB.user, frozenset({"*"}), "key", "1" * 64)
        names = {"client": scope, "client_name": f"App of {scope}", "host": "app.example", "resource": BASE}
        allowed = Authorization(principal, scopes=frozenset({scope}), **names)
        grants[scope] = (await create_grant(server.table, allowed, server.clock())).grant
    browser = await browse(BOB)
    page = await browser.open(ACCOUNT)
    assert ("App of core" in page.text, "App of tool:*" in page.text) == (True, False)
    assert (await browser.submit(f"{ACCOUNT}/grants/revoke", page, id=grants["tool:*"])).status_code == 403
    assert (await browser.submit(f"{ACCOUNT}/grants/revoke", page, id=grants["core"])).status_code == 303
    every = await (await browse(replace(BOB, scopes=frozenset({"*"})))).open(ACCOUNT)
    assert ("App of core" in every.text, "App of tool:*" in every.text) == (False, True)


async def test_a_person_with_hundreds_of_workspaces_has_a_page_of_bounded_reads(server, browse):
    browser = await browse(replace(BOB, scopes=frozenset({"tool:workspace_read"})))
    for number in range(300):
        await WorkspaceMembers(server.table, f"w{number:03}").add("acme", "bob")
    counted = server.table = CountingTable(server.table)
    page = await browser.open("/console/workspaces")
    assert "There are more." in page.text
    assert counted.requests.count("query") <= 2
    assert len(counted.requests) <= 120
