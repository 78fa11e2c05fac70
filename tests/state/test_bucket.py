"""What a Bucket owes us, whoever keeps it."""

import pytest

from assay.state.ports import NAME_BYTES


async def test_what_is_put_is_got(bucket):
    body = bytes(range(256)) * 20_000
    await bucket.put("t1/artifacts/abc-1_2.md", body, content_type="text/markdown")
    assert await bucket.get("t1/artifacts/abc-1_2.md") == body
    assert await bucket.get("t1/artifacts/abc") is None
    await bucket.put("t1/artifacts/abc-1_2.md", b"")
    assert await bucket.get("t1/artifacts/abc-1_2.md") == b""


async def test_a_name_may_be_the_beginning_of_another_and_case_matters(bucket):
    bodies = {"a": b"1", "a/b": b"2", "A": b"3", "a/B": b"4", "a/b/c": b"5"}
    for name, body in bodies.items():
        await bucket.put(name, body)
    assert {name: await bucket.get(name) for name in bodies} == bodies


async def test_a_deleted_body_is_gone_and_deleting_it_again_does_no_harm(bucket):
    await bucket.put("a/one", b"1")
    await bucket.put("a/two", b"2")
    await bucket.delete("a/one")
    await bucket.delete("a/one")
    assert await bucket.get("a/one") is None
    assert await bucket.get("a/two") == b"2"


async def test_an_expired_body_is_as_good_as_absent(bucket, clock):
    await bucket.put("a", b"old", until=clock.now + 10)
    assert await bucket.get("a") == b"old"
    clock.now += 11
    assert await bucket.get("a") is None
    await bucket.put("a", b"new")
    clock.now += 10_000
    assert await bucket.get("a") == b"new"


async def test_a_body_that_was_past_when_it_came_is_absent(bucket):
    await bucket.put("a", b"old", until=0)
    assert await bucket.get("a") is None


@pytest.mark.parametrize(
    "name",
    [
        *("", "/", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/./b", "a/..", ".hidden", "a/.hidden"),
        *("a\\b", "a b", "a\n", "a\0b", "é", "a%2e%2e/b", "~", "a:b", "C:/a", "a*", "a?b", "x" * (NAME_BYTES + 1)),
    ],
)
async def test_unsafe_names_are_refused(bucket, name):
    for refused in (bucket.put(name, b""), bucket.get(name), bucket.delete(name)):
        with pytest.raises(ValueError, match="a name is a path"):
            await refused


async def test_the_longest_name_is_taken(bucket):
    name = "a" * NAME_BYTES
    await bucket.put(name, b"body")
    assert await bucket.get(name) == b"body"
