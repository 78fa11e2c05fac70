"""memory_save: what a person asks to remember is stored with their consent only, with its source, and once."""

import pytest

from assay.caller import Caller
from assay.own_stores import OwnStores
from assay.services import Services
from assay.settings import Settings

ADA, BOB, EVE = Caller("acme", "ada"), Caller("acme", "bob"), Caller("evil", "ada")
NOTE = {
    "note": "Otters hold hands",
    "topic": "Otters",
    "url": "HTTPS://River.example:443/otters#top",
    "tags": ["sleep"],
}


@pytest.fixture
def environ(environ):
    return environ | {"MEMORY_ENABLED": "true", "ASSAY_CONSENT": "memory"}


async def test_a_note_is_saved_with_its_source_and_found_again(ask):
    saved = (await ask("memory_save", **NOTE)).wire
    assert saved["status"] == "ok"
    assert "merged" not in saved
    [entry] = (await ask("memory_recall")).wire["memories"]
    assert entry.items() >= {"id": saved["id"], "tenantId": "local", "userId": "local", "note": NOTE["note"]}.items()
    assert (entry["topic"], entry["url"], entry["tags"]) == ("Otters", "https://river.example/otters", ["sleep"])
    assert entry["createdAt"] == saved["createdAt"] < entry["expiresAt"] == saved["expiresAt"]


async def test_the_research_session_is_kept_as_provenance(ask):
    step = {"searchStep": "Look", "stepNumber": 1, "nextStepNeeded": True, "researchGoal": "Why otters float"}
    session = (await ask("sequential_search", **step)).wire["sessionId"]
    await ask("memory_save", note="Their fur holds air", sessionId=session)
    [entry] = (await ask("memory_recall")).wire["memories"]
    assert (entry["sessionId"], entry["researchGoal"]) == (session, "Why otters float")
    missing = await ask("memory_save", note="Another", sessionId="nobody's")
    assert missing.error.kind == "session_not_found"
    assert (await ask("memory_recall")).wire["total"] == 1


async def test_the_same_note_is_kept_once(ask, clock):
    first = (await ask("memory_save", **NOTE)).wire
    clock.forward(86_400)
    again = (await ask("memory_save", note=" otters HOLD hands", topic="otters", url="https://b.example/")).wire
    assert (again["merged"], again["id"], again["createdAt"]) == (True, first["id"], first["createdAt"])
    [entry] = (await ask("memory_recall")).wire["memories"]
    assert (entry["url"], entry["otherUrls"]) == ("https://river.example/otters", ["https://b.example/"])
    assert entry["updatedAt"] > entry["createdAt"]


async def test_an_edit_replaces_what_it_names(ask):
    saved = (await ask("memory_save", **NOTE)).wire
    await ask("memory_save", id=saved["id"], note="Otters hold paws", tags=[])
    [entry] = (await ask("memory_recall", query="paws")).wire["memories"]
    assert (entry["id"], entry["note"], entry["topic"]) == (saved["id"], "Otters hold paws", "Otters")
    assert "tags" not in entry
    assert (await ask("memory_recall", query="hands")).wire["total"] == 0


@pytest.mark.parametrize(
    ("arguments", "kind", "field"),
    [
        ({"note": "x" * 65_537}, "validation", "note"),
        ({"note": "é" * 32_769}, "validation", "note"),
        ({"note": "   "}, "validation", "note"),
        ({"note": "a\0b"}, "validation", "note"),
        ({"note": "x", "topic": "t" * 201}, "validation", "topic"),
        ({"note": "x", "tags": ["t"] * 21}, "validation", "tags"),
        ({"note": "x", "tags": ["t" * 51]}, "validation", "tags.0"),
        ({"note": "x", "url": "javascript:alert(1)"}, "validation", "url"),
        ({"note": "x", "url": "https://ada:secret@river.example/"}, "validation", "url"),
        ({"note": "x", "id": "../../etc"}, "validation", "id"),
        ({"note": "x", "id": "0" * 32}, "not_found", "id"),
        ({"note": "x", "id": "0" * 32, "sessionId": "s"}, "validation", "sessionId"),
    ],
)
async def test_what_cannot_be_kept_is_refused_with_the_field(ask, arguments, kind, field):
    error = (await ask("memory_save", **arguments)).error
    assert (error.kind, error.field) == (kind, field)
    assert (await ask("memory_recall")).wire["total"] == 0


async def test_nothing_is_stored_without_consent_and_the_answer_says_how_to_give_it(ask, services):
    refused = (await ask("memory_save", caller=ADA, **NOTE)).wire
    assert refused["status"] == "no_consent"
    assert "assay consent grant memory --tenant acme --user ada" in refused["reason"]
    assert "id" not in refused
    await record_consent(services, ADA, granted=True)
    assert (await ask("memory_recall", caller=ADA)).wire["total"] == 0


async def test_a_withdrawn_consent_stops_saving_and_recalling_but_not_deleting(ask, services):
    await record_consent(services, ADA, granted=True)
    await ask("memory_save", caller=ADA, **NOTE)
    await record_consent(services, ADA, granted=False)
    for tool, arguments in (("memory_save", NOTE), ("memory_recall", {})):
        assert (await ask(tool, caller=ADA, **arguments)).wire["status"] == "no_consent"
    exported = (await ask("memory_export", caller=ADA, format="json")).wire
    assert [entry["note"] for entry in exported["document"]] == [NOTE["note"]]
    forgotten = await ask("memory_forget", caller=ADA, topic="Otters", dryRun=False)
    assert forgotten.wire["count"] == 1
    assert (await ask("memory_export", caller=ADA)).wire["count"] == 0


async def test_a_refusal_is_audited(ask, services):
    calls = []
    services.observers.append(calls.append)
    await ask("memory_save", caller=ADA, **NOTE)
    await ask("memory_recall", caller=Caller("acme", "anonymous"))
    assert [(call.tool, call.error) for call in calls] == [
        ("memory_save", "no_consent"), ("memory_recall", "unavailable")
    ]  # fmt: skip


async def test_nobody_sees_counts_edits_or_deletes_what_another_saved(ask, services):
    for caller in (ADA, BOB, EVE):
        await record_consent(services, caller, granted=True)
    saved = (await ask("memory_save", caller=ADA, **NOTE)).wire
    for stranger in (BOB, EVE, Caller()):
        for arguments in ({}, {"query": "otters"}, {"topic": "Otters"}):
            assert (await ask("memory_recall", caller=stranger, **arguments)).wire["total"] == 0
        assert (await ask("memory_export", caller=stranger)).wire["count"] == 0
        for arguments in ({"ids": [saved["id"]]}, {"topic": "Otters"}, {"url": NOTE["url"]}):
            assert (await ask("memory_forget", caller=stranger, dryRun=False, **arguments)).wire["count"] == 0
        unknown = await ask("memory_save", caller=stranger, note="Mine", id=saved["id"])
        assert unknown.error.kind == "not_found"
    assert (await ask("memory_recall", caller=ADA)).wire["memories"][0]["note"] == NOTE["note"]


async def test_where_memories_are_off_the_answer_says_who_turns_them_on(ask, services, environ):
    services.settings = Settings.read(environ | {"MEMORY_ENABLED": "false"})
    for tool, arguments in (("memory_save", NOTE), ("memory_recall", {}), ("memory_export", {})):
        error = (await ask(tool, **arguments)).error
        assert (error.kind, error.field) == ("config", "MEMORY_ENABLED")
        assert "MEMORY_ENABLED=true" in error.message


async def test_a_full_memory_says_how_to_make_room(ask, services, environ):
    services.settings = Settings.read(environ | {"MEMORY_MAX": "1"})
    await ask("memory_save", note="One")
    error = (await ask("memory_save", note="Two")).error
    assert error.kind == "validation"
    assert "You have 1 memories" in error.message
    assert "memory_forget" in error.message


async def record_consent(services: Services, caller: Caller, *, granted: bool) -> None:

    await OwnStores(services, caller).consents.decide("memory", granted=granted, decided_from="admin_api")
