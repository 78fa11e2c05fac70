"""An erasure leaves nothing of a person, touches nobody else, survives being killed, and its receipt is right."""

import asyncio
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from zipfile import ZipFile

import pytest
import pytest_asyncio
from tests.personal_data.conftest import NEWS
from tests.support import belongings

from assay.bootstrap import local_services
from assay.caller import Caller
from assay.context import Context
from assay.crawl.job import CRAWLS
from assay.errors import NotFound
from assay.invoke import invoke
from assay.own_stores import OwnStores
from assay.personal_data.data_export import export_person
from assay.personal_data.erasure import count_items, erase_person, finish_erasure
from assay.personal_data.namespaces import EXPIRING, NAMESPACES, Person
from assay.personal_data.receipts import is_valid_receipt
from assay.settings import Settings
from assay.state import artifacts
from assay.work_queue.job_record import list_sort
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
    "uploads": 1,
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
    receipt = await erase_person(services, Person(caller.tenant, caller.user), OwnStores(services, caller).consents)
    await finish_erasure(services, Person(caller.tenant, caller.user))
    return receipt


def check_rest(before, after):
    """Check that only decisions, the key of receipts, sums and what expires was added to the stores, and nothing removed.

    The sums are of a tenant's calls, which are written a while after them.
    """
    added = ("consent/", "receipt-key", "call-history/", *EXPIRING)
    assert not {row for row in after - before if not row[0].startswith(added)}
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
    assert not await OwnStores(services, ADA).consents.is_granted("memory")
    assert await OwnStores(services, OTHERS[0]).consents.is_granted("memory")


@pytest_asyncio.fixture
async def filled(environ, clock, site, tmp_path):
    """An installation in which Ada and Bob have data; `open_copy(name)` opens a copy of it."""
    home, opened = tmp_path / "filled", []
    site.says("/searxng/search", json.dumps(NEWS), kind="application/json")

    def open_home(place):
        services = local_services(Settings.read(environ | {"ASSAY_HOME": str(place)}), clock)
        services.runs_workers = False
        opened.append(services)
        return services

    services = open_home(home)
    for caller in (OTHERS[0], ADA):
        await belongings.fill(services, caller)
    await services.close()
    opened.clear()

    def open_copy(name):
        shutil.copytree(home, tmp_path / name)
        return open_home(tmp_path / name)

    yield open_copy
    for services in opened:
        await services.close()


async def test_an_erasure_killed_at_any_write_is_finished_by_the_next(filled, list_stored):
    services = filled("whole")
    writes = [None] * 10_000
    await erase_until_killed(services, writes)
    steps = 10_000 - len(writes)
    assert steps > 100
    rest = {row for row in list_stored(services) if not row[0].startswith(("consent/", "receipt-key", "erasure/"))}
    for step in range(steps):
        services = filled(f"killed-{step}")
        table, bucket = services.table, services.bucket
        with pytest.raises(Killed):
            await erase_until_killed(services, [None] * step)
        services.table, services.bucket = table, bucket
        receipt = await erase(services, ADA)
        assert receipt["deleted"] == EXPECTED, step
        assert await is_valid_receipt(table, receipt)
        found = {row for row in list_stored(services) if not row[0].startswith(("consent/", "receipt-key"))}
        assert found == rest, step
        await services.close()


async def test_an_erasure_whose_process_is_killed_is_finished_by_the_next(filled, environ, list_stored):
    services = filled("killed")
    home = services.settings.home
    command = [sys.executable, "-m", "assay.entrypoints.cli.main", "me", "erase", "--yes"]
    process = subprocess.Popen(
        [*command, "--tenant", "acme", "--user", "ada"],
        env=os.environ | environ | {"ASSAY_HOME": str(home)},
        stdout=subprocess.PIPE,
    )
    before = len(list_stored(services))
    while len(list_stored(services)) >= before and process.poll() is None:  # until it has begun to delete
        await asyncio.sleep(0.001)
    process.kill()
    printed, _ = process.communicate()
    finished = json.loads(printed) if process.returncode == 0 else None
    receipt = await erase(services, ADA)
    assert (finished or receipt)["deleted"] == EXPECTED
    assert await is_valid_receipt(services.table, receipt)
    assert set((await count_items(services, Person("acme", "ada"))).values()) == {0}


async def erase_until_killed(services, writes):
    services.table, services.bucket = DyingStore(services.table, writes), DyingStore(services.bucket, writes)
    return await erase_person(services, Person("acme", "ada"), OwnStores(services, ADA).consents)


async def test_an_erasure_that_is_killed_again_and_again_deletes_no_page_of_a_crawl_twice(services, give_data):
    key = CRAWLS.key_of((await give_data(ADA)).crawl)
    for number in range(60):
        name = f"crawl/erased-{number}"
        await services.bucket.put(name, b"# Otters")
        await services.table.put(key, f"page/{number:06}", json.dumps({"body": name}).encode())
    table, bucket, deleted = services.table, services.bucket, []

    class CountingBucket:
        async def delete(self, name):
            deleted.append(name)
            await bucket.delete(name)

    person = Person("acme", "ada")
    for kills in range(100):
        writes = [None] * (24 + kills % 3)
        services.table, services.bucket = DyingStore(table, writes), DyingStore(CountingBucket(), writes)
        try:
            await erase_person(services, person, OwnStores(services, ADA).consents)
        except Killed:
            continue
        break
    services.table, services.bucket = table, bucket
    assert kills < 40
    pages = [name for name in deleted if name.startswith("crawl/erased-")]
    assert len(set(pages)) == 60
    assert len(pages) < 60 + 8 * kills  # those in progress at each kill
    assert (await count_items(services, person))["jobs"] == 0


async def test_the_record_of_a_job_is_deleted_after_all_that_is_found_by_it(services, give_data):
    crawl = (await give_data(ADA)).crawl
    await services.bucket.put("crawl/page", b"# Otters")
    await services.table.put(CRAWLS.key_of(crawl), "page/1", b'{"body": "crawl/page"}')
    table, bucket, order = services.table, services.bucket, []

    class SlowStore:
        """Deletes of all but the records and the index take a moment."""

        def __init__(self, store):
            self._store = store

        def __getattr__(self, name):
            return getattr(self._store, name)

        async def delete(self, *names, **more):
            if names[-1] != "-":
                await asyncio.sleep(0.01)
            await self._store.delete(*names, **more)
            order.append(names)

    services.table, services.bucket = SlowStore(table), SlowStore(bucket)
    await erase(services, ADA)
    services.table, services.bucket = table, bucket
    key = CRAWLS.key_of(crawl)
    own = [names for names in order if crawl in str(names) or names == ("crawl/page",)]
    record = own.index((key, "-"))
    assert {("crawl/page",), (key, "page/1"), (CRAWLS.active_key, list_sort(ADA.tenant, crawl))} <= set(own[:record])
    assert [names[0].partition("/")[0] for names in own[record + 1 :]] == ["owned"]


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
    assert not re.search(r"\bbob\b", everything)  # a random identifier may hold the three letters
    assert other not in everything
    assert "assayrt_" not in everything
    assert "assaykey_" not in everything
    with pytest.raises(FileExistsError):
        await export_person(services, Person("acme", "ada"), tmp_path / "ada.zip")


async def test_an_export_and_an_erasure_of_many_long_notes_read_few_at_a_time(services, give_data, tmp_path):
    ada, ctx = await give_data(ADA), Context(services, ADA)
    await ctx.own.consents.decide("workspace", granted=True, decided_from="test")
    for number in range(60):
        assert (await invoke("memory_save", {"note": f"Note {number} " + "x" * 60_000}, ctx)).error is None
        found = {"workspace_id": ada.workspace, "note": f"Finding {number} " + "x" * 60_000}
        assert (await invoke("workspace_contribute", found, ctx)).wire["status"] == "ok"
    counted = services.table = LargestAnswer(services.table)
    await export_person(services, Person("acme", "ada"), tmp_path / "ada.zip")
    with ZipFile(tmp_path / "ada.zip") as archive:
        lines = {name: archive.read(f"{name}.jsonl").splitlines() for name in ("memories", "workspaces")}
        manifest = json.loads(archive.read("manifest.json"))
        digest = hashlib.sha256(archive.read("memories.jsonl")).hexdigest()
    assert manifest["sha256"]["memories.jsonl"] == digest
    for name, start in (("memories", "Note"), ("workspaces", "Finding")):
        assert len(lines[name]) == manifest["items"][name]
        notes = {json.loads(line).get("note", "")[:12].rstrip("x ") for line in lines[name]}
        assert {f"{start} {number}" for number in range(60)} <= notes
    receipt = await erase(services, ADA)
    assert receipt["deleted"].items() >= {name: len(lines[name]) for name in lines}.items()
    assert counted.bytes < 50 * 65_536
    services.table = counted.table


class LargestAnswer:
    """The table, which measures the largest answer to a query."""

    def __init__(self, table):
        self.table, self.bytes = table, 0

    def __getattr__(self, name):
        return getattr(self.table, name)

    async def query(self, *arguments, **options):
        page = await self.table.query(*arguments, **options)
        self.bytes = max(self.bytes, sum(len(item.value) for item in page.items))
        return page


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
