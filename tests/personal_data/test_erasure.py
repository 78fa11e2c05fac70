"""An erasure leaves nothing of a person, touches nobody else, survives being killed, and its receipt is right."""

import json
from zipfile import ZipFile

import pytest

from assay.context import Caller, Context
from assay.errors import NotFound
from assay.personal_data.data_export import export_person
from assay.personal_data.erasure import count_items, erase_person, finish_erasure
from assay.personal_data.namespaces import EXPIRING, NAMESPACES, Person
from assay.personal_data.receipts import is_valid_receipt
from assay.state import artifacts
from assay.work_queue.work_timing import DEFAULT_TIMING
from assay.work_queue.worker import process_message

ADA = Caller("acme", "ada")
OTHERS = (Caller("acme", "bob"), Caller("beta", "ada"))
EXPECTED = {
    "api_keys": 1,
    "sign_ins": 1,
    "grants": 1,
    "client_consents": 1,
    "jobs": 3,
    "webhook_messages": 1,
    "webhook_endpoints": 1,
    "sessions": 2,
    "watches": 1,
    "watched_urls": 2,
    "watch_reports": 1,
    "memories": 2,
    "memory_index": 2,
    "workspaces": 2,
    "usage": 1,
    "recent_errors": 1,
    "artifacts": 1,
    "idempotent_calls": 1,
}


class Killed(BaseException):
    """The process died."""


class DyingStore:
    """A table or bucket whose process dies at a write, when the shared number of writes is used up."""

    def __init__(self, store, writes):
        self._store, self._writes = store, writes

    def __getattr__(self, name):
        method = getattr(self._store, name)
        if name not in ("put", "delete"):
            return method

        async def write(*arguments, **more):
            if not self._writes:
                raise Killed
            self._writes.pop()
            return await method(*arguments, **more)

        return write


async def erase(services, caller):
    receipt = await erase_person(services, Person(caller.tenant, caller.user), Context(services, caller).consents)
    await finish_erasure(services, Person(caller.tenant, caller.user))
    return receipt


def check_rest(before, after):
    """Check that only decisions, the key of receipts and what expires was added to the stores, and nothing removed."""
    assert not {row for row in after - before if not row[0].startswith(("consent/", "receipt-key", *EXPIRING))}
    assert not before - after


async def test_an_erasure_deletes_every_kind_and_nothing_of_others(services, give_data, list_stored):
    for caller in OTHERS:
        await give_data(caller)
    before = list_stored()
    others = [await count_items(services, Person(each.tenant, each.user)) for each in OTHERS]
    await give_data(ADA)
    assert await count_items(services, Person("acme", "ada")) == EXPECTED
    receipt = await erase(services, ADA)
    assert receipt["deleted"] == EXPECTED
    assert receipt["consentsWithdrawn"] == 2
    check_rest(before, list_stored())
    assert [await count_items(services, Person(each.tenant, each.user)) for each in OTHERS] == others
    assert not await Context(services, ADA).consents.is_granted("memory")
    assert await Context(services, OTHERS[0]).consents.is_granted("memory")


async def test_a_killed_erasure_is_continued_and_its_receipt_counts_each_item_once(services, give_data, list_stored):
    await give_data(OTHERS[0])
    before = list_stored()
    await give_data(ADA)
    table, bucket = services.table, services.bucket
    for kills in range(500):
        writes = [None] * (4 + kills % 9)
        services.table, services.bucket = DyingStore(table, writes), DyingStore(bucket, writes)
        try:
            receipt = await erase_person(services, Person("acme", "ada"), Context(services, ADA).consents)
        except Killed:
            continue
        break
    services.table, services.bucket = table, bucket
    assert kills > 10
    assert {name: count for name, count in receipt["deleted"].items() if name != "memory_index"} == {
        name: count for name, count in EXPECTED.items() if name != "memory_index"
    }
    assert await is_valid_receipt(table, receipt)
    await finish_erasure(services, Person("acme", "ada"))
    check_rest(before, list_stored())
    assert set((await erase(services, ADA))["deleted"].values()) == {0}


async def test_an_erasure_leaves_what_a_colleague_has_too(services):
    body = b'{"the": "same answer"}'
    ada, bob = Context(services, ADA), Context(services, OTHERS[0])
    shared = await ada.store_artifact(body)
    assert (await bob.store_artifact(body)).id == shared.id
    assert (await erase(services, ADA))["deleted"]["artifacts"] == 1
    assert await artifacts.read(services.bucket, "acme", shared.id) == body.decode()
    assert (await erase(services, OTHERS[0]))["deleted"]["artifacts"] == 1
    with pytest.raises(NotFound):
        await artifacts.read(services.bucket, "acme", shared.id)


async def test_the_message_of_an_erased_job_is_dropped(services, give_data):
    await give_data(ADA)
    await erase(services, ADA)
    [message] = await services.queue.receive(visible=60)

    async def extend(_: float) -> None: ...

    rest = {"receives": 1, "seconds": 60, "extend": extend}
    assert await process_message(services, DEFAULT_TIMING, message.body, **rest) == 0.0
    assert (await count_items(services, Person("acme", "ada")))["jobs"] == 0


async def test_a_receipt_with_any_change_is_not_valid(services, give_data):
    await give_data(ADA)
    receipt = json.loads(json.dumps(await erase(services, ADA)))
    assert await is_valid_receipt(services.table, receipt)
    for name, value in receipt.items():
        changed = {**value, "memories": 99} if isinstance(value, dict) else f"{value}0"
        assert not await is_valid_receipt(services.table, {**receipt, name: changed}), name
        assert not await is_valid_receipt(services.table, {key: receipt[key] for key in receipt if key != name}), name


async def test_an_export_has_everything_of_the_person_and_no_secret(services, give_data, tmp_path):
    mark = (await give_data(ADA)).mark
    other = (await give_data(OTHERS[0])).mark
    manifest = await export_person(services, Person("acme", "ada"), tmp_path / "ada.zip")
    with ZipFile(tmp_path / "ada.zip") as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    assert {f"{namespace.name}.jsonl" for namespace in NAMESPACES} <= texts.keys()
    assert manifest["items"].items() >= EXPECTED.items()
    notes = [json.loads(line)["note"] for line in texts["memories.jsonl"].splitlines()]
    assert sorted(notes) == ["Otters eat crabs.", "Otters hold hands."]
    assert f"# Otters {mark}" in texts.values()
    everything = "".join(texts.values())
    assert "bob" not in everything
    assert other not in everything
    assert "assayrt_" not in everything
    assert "assaykey_" not in everything
    with pytest.raises(FileExistsError):
        await export_person(services, Person("acme", "ada"), tmp_path / "ada.zip")


async def test_an_erasure_in_dynamodb_deletes_every_kind(services, give_data, in_engine):
    local, services.table = services.table, in_engine()
    try:
        for caller in (ADA, OTHERS[0]):
            await give_data(caller)
        receipt = await erase(services, ADA)
        assert receipt["deleted"] == EXPECTED
        assert await is_valid_receipt(services.table, receipt)
        assert set((await count_items(services, Person("acme", "ada"))).values()) == {0}
        assert await count_items(services, Person("acme", "bob")) == EXPECTED
    finally:
        await services.table.close()
        services.table = local
