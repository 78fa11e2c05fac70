"""Reading what was kept aside, in pages."""

import pytest

from assay.state import artifacts
from assay.state.artifacts import SECONDS


async def store_artifact(services, text: str) -> str:
    return (await artifacts.store(services.bucket, "local", text.encode(), services.clock())).id


async def test_pages_follow_each_other_to_the_end(ask, services):
    identity = await store_artifact(services, "größer 🦦 " * 1000)
    first = (await ask("read_artifact", id=identity, length=4000)).wire
    second = (await ask("read_artifact", id=identity, offset=first["nextOffset"], length=50_000)).wire
    assert first["content"] + second["content"] == "größer 🦦 " * 1000
    assert "nextOffset" not in second
    assert first["total"] == 9000


async def test_a_reader_of_text_learns_where_to_continue(ask, services):
    identity = await store_artifact(services, "x" * 100)
    reply = await ask("read_artifact", id="research://artifact/" + identity, length=60)
    assert reply.text.endswith("[40 characters more from offset 60; trust: untrusted-external-content]")


async def test_past_the_end_there_is_nothing_and_no_error(ask, services):
    identity = await store_artifact(services, "short")
    reply = await ask("read_artifact", id=identity, offset=99)
    assert (reply.wire["content"], reply.wire["total"]) == ("", 5)
    assert "ends after 5 characters" in reply.text  # an empty text would look like an empty artifact


@pytest.mark.parametrize("identity", ["0" * 64, "../../etc/passwd", "research://artifact/", "x", "A" * 64])
async def test_what_is_not_there_is_not_found(ask, identity):
    error = (await ask("read_artifact", id=identity)).error
    assert error.kind == "not_found"
    assert error.field == "id"


async def test_after_half_an_hour_it_is_gone(ask, services, clock):
    identity = await store_artifact(services, "short")
    clock.forward(SECONDS + 1)
    assert (await ask("read_artifact", id=identity)).error.kind == "not_found"
