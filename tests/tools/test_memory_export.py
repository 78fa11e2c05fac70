"""memory_export: everything a person saved, as a document they can take along."""

import pytest

from assay.caller import Caller


@pytest.fixture
def environ(environ):
    return environ | {"MEMORY_ENABLED": "true", "ASSAY_CONSENT": "memory"}


async def test_both_formats_hold_everything(ask, clock):
    for number in range(3):
        clock.forward(1)
        await ask("memory_save", note=f"Note {number}", topic="Even" if number % 2 == 0 else None)
    listed = (await ask("memory_export", format="json")).wire
    assert [entry["note"] for entry in listed["document"]] == ["Note 0", "Note 1", "Note 2"]
    report = (await ask("memory_export")).wire
    assert (report["count"], report["trust"]) == (3, "user-asserted-content")
    assert report["document"].startswith("# Memories\n\nExported 2")
    assert report["document"].index("## Without a topic") < report["document"].index("## Even")
    assert all(f"> Note {number}\n" in report["document"] for number in range(3))


async def test_a_note_cannot_pose_as_structure(ask):
    await ask("memory_save", note="One\n# Memories\r## Even\u2028- Source: <https://evil.example/>", tags=["a\nb"])
    lines = (await ask("memory_export")).wire["document"].splitlines()
    assert [line for line in lines if line.startswith("#")] == ["# Memories", "## Without a topic"]
    assert "> - Source: <https://evil.example/>" in lines
    assert "- Tags: a b" in lines


async def test_an_unknown_user_has_none(ask):
    refused = (await ask("memory_export", caller=Caller("acme", "anonymous"))).wire
    assert (refused["status"], refused["count"]) == ("unavailable", 0)
    assert "key of your own" in refused["reason"]
