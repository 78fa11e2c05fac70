"""memory_forget: says what would go, and deletes it for good only when told to."""

import pytest


@pytest.fixture
def environ(environ):
    return environ | {"MEMORY_ENABLED": "true", "ASSAY_CONSENT": "memory"}


@pytest.fixture
async def saved(ask):
    """The ids of three memories."""
    notes = (
        ("Otters hold hands", "Otters", "https://a.example/"),
        ("Otters eat crabs", "Otters", None),
        ("Tea", None, None),
    )
    return [(await ask("memory_save", note=note, topic=topic, url=url)).wire["id"] for note, topic, url in notes]


@pytest.mark.parametrize(
    ("which", "left"),
    [
        (lambda saved: {"topic": "OTTERS"}, ["Tea"]),
        (lambda saved: {"url": "https://A.example"}, ["Otters eat crabs", "Tea"]),
        (lambda _: {"everything": True}, []),
        (lambda saved: {"ids": [saved[2], saved[1], saved[1], "0" * 32]}, ["Otters hold hands"]),
    ],
    ids=["topic", "source", "everything", "ids"],
)
async def test_a_dry_run_names_what_would_go_and_the_second_call_deletes_it(ask, saved, which, left):
    dry = (await ask("memory_forget", **which(saved))).wire
    assert (dry["status"], dry["dryRun"], dry["count"]) == ("ok", True, 3 - len(left))
    assert (await ask("memory_recall")).wire["total"] == 3
    done = (await ask("memory_forget", **which(saved), dryRun=False)).wire
    assert (done["dryRun"], done["count"]) == (False, dry["count"])
    assert done["memories"] == dry["memories"]
    assert sorted(entry["note"] for entry in (await ask("memory_recall")).wire["memories"]) == left
    assert (await ask("memory_forget", **which(saved), dryRun=False)).wire["count"] == 0


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"topic": "a", "url": "https://a.example/"},
        {"everything": True, "topic": "a"},
        {"ids": ["x"]},
        {"ids": ["0" * 32] * 101},
    ],
)
async def test_it_must_be_clear_what_is_meant(ask, saved, arguments):
    assert (await ask("memory_forget", dryRun=False, **arguments)).error.kind == "validation"
    assert (await ask("memory_recall")).wire["total"] == 3


async def test_no_ids_are_no_memories(ask, saved):
    assert (await ask("memory_forget", ids=[], dryRun=False)).wire["count"] == 0


async def test_a_long_note_is_named_by_its_beginning(ask):
    await ask("memory_save", note="otter " * 100, topic="Long")
    [entry] = (await ask("memory_forget", topic="Long")).wire["memories"]
    assert len(entry["note"]) <= 121
    assert entry["note"].endswith("…")
