"""Notes of up to 64 KiB, in memories and workspaces, on both stores: kept whole, found, and read in pages that end early."""

import json
import random
import string

import pytest
from tests.support.table_instances import in_engine  # noqa: F401  a fixture

from assay.caller import Caller
from assay.context import MCP_ANSWER_BYTES, Context
from assay.invoke import invoke
from assay.personal_data.erasure import count_items
from assay.personal_data.namespaces import Person
from assay.settings import Settings
from assay.state.artifacts import measure_answer

MOST = 65_536
NOTES = {
    "letters": "x" * MOST,
    "two bytes each": "é" * (MOST // 2),
    "three bytes each": "湿" * (MOST // 3) + "a",
    "four bytes each": "🦦" * (MOST // 4),
    "lines and quotation marks": 'He said "otters"\n' * 3_855 + "a",
}


@pytest.fixture
def environ(environ):
    return environ | {"MEMORY_ENABLED": "true", "WORKSPACES_ENABLED": "true", "ASSAY_CONSENT": "memory,workspace"}


@pytest.fixture(autouse=True, params=["SQLite", "DynamoDB"])
async def store(request, services):
    """The store in which the services keep rows."""
    if request.param == "SQLite":
        yield
        return
    local, services.table = services.table, request.getfixturevalue("in_engine")()
    yield
    await services.table.close()
    services.table = local


@pytest.fixture
def ask_over_mcp(services):
    async def call(tool, **arguments):
        return await invoke(tool, arguments, Context(services, Caller(), entrypoint="mcp"))

    return call


def write_note(number, size=MOST, *, vocabulary=200):
    """A note of this size in bytes, in so many different words, which other notes do not have."""
    chance = random.Random(number)
    words = ["".join(chance.choices(string.ascii_lowercase, k=7)) for _ in range(vocabulary)]
    text = f"Note {number} " + " ".join(words * (size // (8 * vocabulary) + 1))
    return text[:size].rstrip().ljust(size, "x")


@pytest.mark.parametrize("name", NOTES)
async def test_a_note_of_64_kib_is_kept_whole_and_one_byte_more_is_refused(ask, river, name):
    note = NOTES[name]
    assert len(note.encode()) == MOST
    saved = (await ask("memory_save", note=note)).wire
    assert saved["status"] == "ok"
    [entry] = (await ask("memory_recall")).wire["memories"]
    assert entry["note"] == note
    [entry] = (await open_link(await ask("memory_export", format="json"), ask))["document"]
    assert entry["note"] == note
    await ask("workspace_contribute", workspace_id="river", note=note)
    [entry] = (await ask("workspace_read", workspace_id="river")).wire["contributions"]
    assert entry["note"] == note
    calls = {
        "memory_save": [{}, {"id": saved["id"]}],
        "workspace_contribute": [{"workspace_id": "river"}],
    }
    for tool, more in ((tool, more) for tool, each in calls.items() for more in each):
        error = (await ask(tool, note=f"{note}a", **more)).error
        assert (error.kind, error.field) == ("validation", "note")
        for part in (f"{tool}: note: ", "65,537 bytes", "at most 65,536", "split it", "URL of the document"):
            assert part in error.message


async def test_what_is_over_the_limit_in_bytes_only_is_refused(ask, river):
    note = "湿" * 21_846  # a third of the limit in characters
    for tool, more in (("memory_save", {}), ("workspace_contribute", {"workspace_id": "river"})):
        assert "65,538 bytes" in (await ask(tool, note=note, **more)).error.message


async def test_a_note_that_does_not_fit_a_row_is_refused_with_the_reason_and_leaves_nothing(ask, river, services):
    note = "\x01" * MOST  # six bytes each as JSON
    before = (await count_items(services, Person("local", "local")))["workspaces"]
    saved = (await ask("memory_save", note="Otters")).wire["id"]
    for tool, more in (
        ("memory_save", {}),
        ("memory_save", {"id": saved}),
        ("workspace_contribute", {"workspace_id": "river"}),
    ):
        error = (await ask(tool, note=note, **more)).error
        assert (error.kind, error.field) == ("validation", "note")
        assert "control characters" in error.message
    assert [entry["note"] for entry in (await ask("memory_recall")).wire["memories"]] == ["Otters"]
    assert (await ask("workspace_read", workspace_id="river")).wire["contributions"] == []
    assert (await count_items(services, Person("local", "local")))["workspaces"] == before


async def test_words_anywhere_in_a_note_find_it(ask):
    note = write_note(1, vocabulary=8_192)
    await ask("memory_save", note=note)
    await ask("memory_save", note=write_note(2, vocabulary=8_192))
    words = note.split()
    for word in [*random.Random(3).sample(words[2:], 40), words[-1], words[len(words) // 2]]:
        [found] = (await ask("memory_recall", query=word)).wire["memories"]
        assert found["note"] == note


async def test_pages_of_long_notes_end_early_and_together_are_complete(ask, ask_over_mcp, clock):
    sizes = [MOST, 100, 20_000, 20_000, 20_000, 100, MOST, MOST, 30_000, 4_000, 4_000, 4_000]
    notes = [write_note(number, size) for number, size in enumerate(sizes)]
    for note in notes:
        clock.forward(1)
        await ask("memory_save", note=note, topic="Long")
    for arguments in ({}, {"query": "note"}, {"topic": "long", "limit": 3}):
        read, offset, pages = [], 0, 0
        while offset is not None:
            reply = await ask_over_mcp("memory_recall", **arguments, offset=offset)
            page = await open_link(reply, ask)
            assert page["total"] == len(notes)
            assert page["count"] == len(page["memories"]) <= arguments.get("limit", 20)
            if page["count"] > 1:
                assert reply.linked is None
                assert measure_answer(reply.wire, None) <= MCP_ANSWER_BYTES
            read += [entry["note"] for entry in page["memories"]]
            offset, pages = page.get("nextOffset"), pages + 1
        assert sorted(read) == sorted(notes)
        assert pages >= 7
    whole = (await ask("memory_recall")).wire
    assert (whole["count"], "nextOffset" in whole) == (len(notes), False)


async def test_pages_of_long_contributions_end_early_and_together_are_complete(ask, ask_over_mcp, river, clock):
    sizes = [MOST, 100, 20_000, 20_000, 20_000, 100, MOST, 30_000, 4_000, 4_000, 4_000]
    notes = [write_note(number, size) for number, size in enumerate(sizes)]
    for note in notes:
        clock.forward(1)
        await ask("workspace_contribute", workspace_id="river", note=note)
    for limit in (2, 100):
        read, cursor, pages = [], None, 0
        while cursor is not None or not pages:
            reply = await ask_over_mcp("workspace_read", workspace_id="river", limit=limit, cursor=cursor)
            page = await open_link(reply, ask)
            assert page["count"] == len(page["contributions"]) <= limit
            assert page["count"] == 1 or reply.linked is None
            read += [entry["note"] for entry in page["contributions"]]
            cursor, pages = page.get("nextCursor"), pages + 1
        assert read == notes[::-1]
        assert pages >= 6
    whole = (await ask("workspace_read", workspace_id="river")).wire
    assert (whole["count"], "nextCursor" in whole) == (len(notes), False)


async def test_an_export_of_many_long_notes_comes_in_parts_that_are_complete_whatever_is_forgotten_meanwhile(
    services, ask, clock
):
    services.settings = Settings.read({**services.settings.environ, "LINK_BYTES": "100000000"})
    notes = [write_note(number) for number in range(30)]
    for number, note in enumerate(notes):
        clock.forward(1)
        await ask("memory_save", note=note, topic=f"Topic {number % 3}")
    first = (await ask("memory_export", format="json")).wire
    assert 10 <= first["count"] < 30
    created = [entry["createdAt"] for entry in first["document"]]
    assert created == sorted(created)
    assert len(json.dumps(first)) < 1_500_000
    text = (await ask("memory_export")).text
    assert f"[More memories: cursor {first['nextCursor']}]" in text
    assert f"number of memories in this part: {first['count']}." in text
    gone = {first["nextCursor"], first["document"][0]["id"]}
    await ask("memory_forget", ids=list(gone), dryRun=False)
    read = [entry["note"] for entry in first["document"]]
    cursor = first["nextCursor"]
    while cursor is not None:
        part = (await ask("memory_export", format="json", cursor=cursor)).wire
        markdown = (await ask("memory_export", cursor=cursor)).wire
        assert markdown.get("nextCursor") == part.get("nextCursor")
        assert [entry["note"] in markdown["document"] for entry in part["document"]] == [True] * part["count"]
        read += [entry["note"] for entry in part["document"]]
        cursor = part.get("nextCursor")
    assert sorted(read) == sorted(notes)
    error = (await ask("memory_export", cursor="x")).error
    assert (error.kind, error.field) == ("validation", "cursor")


async def test_many_long_notes_are_named_and_forgotten(ask):
    for number in range(60):
        await ask("memory_save", note=write_note(number, 20_000), topic="Even" if number % 2 else "Odd")
    dry = (await ask("memory_forget", topic="even")).wire
    assert (dry["count"], len(dry["memories"])) == (30, 30)
    assert (await ask("memory_forget", topic="even", dryRun=False)).wire["count"] == 30
    everything = (await ask("memory_forget", everything=True)).wire
    assert (everything["count"], len(everything["memories"])) == (30, 30)
    assert everything["memories"][0]["note"].startswith("Note 0 ")
    assert (await ask("memory_forget", everything=True, dryRun=False)).wire["count"] == 30
    assert (await ask("memory_recall")).wire["total"] == 0


async def open_link(reply, ask):
    """The whole answer, of a page with one note that is too long to be sent."""
    if reply.linked is None:
        return reply.wire
    text, offset = "", 0
    while offset is not None:
        part = (await ask("read_artifact", id=reply.wire["resource"], offset=offset, length=200_000)).wire
        text, offset = text + part["content"], part.get("nextOffset")
    whole = json.loads(text)
    assert whole.get("nextOffset") == reply.wire.get("nextOffset")
    assert whole.get("nextCursor") == reply.wire.get("nextCursor")
    return whole
