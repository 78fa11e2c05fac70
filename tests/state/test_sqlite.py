"""What SQLite alone must bear: several processes, a sudden death, a file that is none, rows that are past."""

import asyncio
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

import assay
from assay.errors import ToolError
from assay.local import database
from assay.local.cipher import Cipher
from assay.local.file_bucket import FileBucket
from assay.local.sqlite_table import SqliteTable
from assay.state import json_documents
from assay.state.ports import Conflict

SHARED = Path(assay.__file__).parent.parent
PROLOGUE = """
import asyncio, sys
from pathlib import Path
from assay.state import json_documents
from assay.local.cipher import Cipher
from assay.local.sqlite_table import SqliteTable
table = SqliteTable(Path(sys.argv[1]), Cipher(bytes(range(32))))
"""
COUNTS = """
async def main():
    for _ in range(25):
        await json_documents.update(table, "key", "sort", lambda old: {"n": (old or {"n": 0})["n"] + 1})
        await table.add("key", "counter")
    await table.close()
asyncio.run(main())
"""
WRITES = """
async def main():
    for number in range(1_000_000):
        await table.put("key", f"{number:07}", b"x" * 5000)
        print(number, flush=True)
asyncio.run(main())
"""


def start_process(program, path):
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", PROLOGUE + program, str(path)],
        env={"PYTHONPATH": str(SHARED)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


async def test_several_processes_share_one_new_file(tmp_path, cipher):
    path = tmp_path / "home" / "rows.sqlite3"
    children = [start_process(COUNTS, path) for _ in range(4)]
    for child in children:
        _, complaint = child.communicate(timeout=60)
        assert (child.returncode, complaint) == (0, "")
    table = SqliteTable(path, cipher)
    assert await json_documents.load(table, "key", "sort") == {"n": 100}
    assert await table.add("key", "counter") == 101
    await table.close()


async def test_a_version_is_later_than_the_last_one_although_the_clock_was_set_back(tmp_path, cipher, monkeypatch):
    table = SqliteTable(tmp_path / "rows.sqlite3", cipher)
    first = await table.put("key", "sort", b"1")
    monkeypatch.setattr(time, "time_ns", lambda: first - 3_600_000_000_000)
    second = await table.put("key", "sort", b"2")
    third = await table.put("key", "sort", b"3", expect=second)
    assert first < second < third
    for expected in (0, first, second):
        with pytest.raises(Conflict):
            await table.put("key", "sort", b"4", expect=expected)
    assert await table.get("key", "sort") == ("sort", b"3", third)
    await table.close()


async def test_a_writer_killed_at_once_leaves_all_it_confirmed(tmp_path, cipher):
    path = tmp_path / "rows.sqlite3"
    for _ in range(3):
        with start_process(WRITES, path) as child:
            confirmed = [int(child.stdout.readline()) for _ in range(150)]
            child.send_signal(signal.SIGKILL)
            confirmed += [int(line) for line in child.stdout if line.endswith("\n")]
        assert child.returncode == -signal.SIGKILL
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        table = SqliteTable(path, cipher)
        for number in confirmed:
            assert len((await table.get("key", f"{number:07}")).value) == 5000
        await table.put("key", "after", b"", expect=None)
        await table.close()


async def test_the_loop_goes_on_while_another_process_holds_the_file(tmp_path, cipher):
    table = SqliteTable(tmp_path / "rows.sqlite3", cipher)
    await table.put("key", "sort", b"old")
    with closing(sqlite3.connect(tmp_path / "rows.sqlite3", autocommit=True)) as other:
        other.execute("BEGIN IMMEDIATE")
        write = asyncio.ensure_future(table.put("key", "sort", b"new"))
        for _ in range(100):
            await asyncio.sleep(0)
        assert not write.done()
        other.execute("COMMIT")
    await write
    assert (await table.get("key", "sort")).value == b"new"
    await table.close()


async def test_rows_are_read_while_another_process_holds_the_file(tmp_path, cipher):
    table = SqliteTable(tmp_path / "rows.sqlite3", cipher)
    await table.put("key", "sort", b"old")
    with closing(sqlite3.connect(tmp_path / "rows.sqlite3", autocommit=True)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert (await table.get("key", "sort")).value == b"old"
        other.execute("ROLLBACK")
    await table.close()


async def test_the_log_stays_small_however_many_rows_are_written(tmp_path, cipher):
    table, log = SqliteTable(tmp_path / "rows.sqlite3", cipher), tmp_path / "rows.sqlite3-wal"
    for number in range(3_000):
        await table.put("key", str(number), bytes(100_000 if number < 400 else 4_000))
    assert log.stat().st_size <= 16 * 1024 * 1024
    assert (tmp_path / "rows.sqlite3").stat().st_size > 40_000_000
    await table.close()


async def test_the_log_stays_small_while_many_write_at_once(tmp_path, cipher):
    table, log = SqliteTable(tmp_path / "rows.sqlite3", cipher), tmp_path / "rows.sqlite3-wal"
    sizes = []

    async def write(writer):
        for number in range(400):
            await table.put(f"key{writer}", str(number % 20), bytes(10_000))
            await asyncio.sleep(0)
            sizes.append(log.stat().st_size)

    await asyncio.gather(*map(write, range(10)))
    assert max(sizes) <= 16 * 1024 * 1024
    await table.close()


async def test_a_change_is_confirmed_though_old_rows_cannot_be_removed_after_it(tmp_path, cipher, monkeypatch):
    monkeypatch.setattr(database, "UPKEEP_CHANGES", 1)
    table = SqliteTable(tmp_path / "rows.sqlite3", cipher)
    await table.put("key", "sort", b"old")
    monkeypatch.setattr(table._database, "_clean", fail_to_clean)
    assert await table.put("key", "sort", b"new", expect=None)
    assert (await table.get("key", "sort")).value == b"new"
    await table.close()


def fail_to_clean(run):
    raise sqlite3.OperationalError("database is locked")


async def test_reads_that_began_before_a_change_end_before_it(tmp_path, cipher):
    table = SqliteTable(tmp_path / "rows.sqlite3", cipher)
    await table.put("key", "sort", b"old")
    ended = []

    async def read_all():
        ended.append([row.value for row in (await table.query("key")).items])

    async def write():
        ended.append(await table.put("key", "sort", b"new") > 0)

    await asyncio.gather(read_all(), write())
    assert ended == [[b"old"], True]
    await table.close()


async def test_a_file_that_is_deleted_is_not_replaced_by_an_empty_one(tmp_path, cipher):
    table = SqliteTable(tmp_path / "rows.sqlite3", cipher)
    await table.put("key", "sort", b"old")
    for path in tmp_path.iterdir():
        path.unlink()
    assert (await table.get("key", "sort")).value == b"old"
    assert not list(tmp_path.iterdir())
    await table.close()


async def test_event_loops_of_several_threads_share_a_table(tmp_path, cipher):
    table = SqliteTable(tmp_path / "rows.sqlite3", cipher)

    async def count():
        for _ in range(200):
            await json_documents.update(table, "key", "sort", lambda old: {"n": (old or {"n": 0})["n"] + 1})

    await asyncio.gather(*(asyncio.to_thread(asyncio.run, count()) for _ in range(4)))
    assert await json_documents.load(table, "key", "sort") == {"n": 800}
    await table.close()


READS = "import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute('SELECT count(*) FROM rows').fetchone())"


def count_rows_elsewhere(path) -> int:
    """As another process counts them, which is the last to close the file unless a lock says otherwise."""
    return int(subprocess.run([sys.executable, "-c", READS, str(path)], capture_output=True, check=True).stdout)


async def test_a_second_connection_of_the_process_takes_no_lock_from_the_first(tmp_path, cipher):
    path = tmp_path / "rows.sqlite3"
    table, second = SqliteTable(path, cipher), SqliteTable(path, cipher)
    await table.put("key", "first", b"")
    await second.put("key", "second", b"")
    await second.close()
    assert count_rows_elsewhere(path) == 2
    await table.put("key", "third", b"")
    assert count_rows_elsewhere(path) == 3
    await table.close()


async def test_a_command_beside_the_server_of_a_new_home_loses_no_state(ask, services):
    step = {"searchStep": "Ask", "stepNumber": 1, "totalStepsEstimate": 2, "nextStepNeeded": True}
    await ask("sequential_search", **step)
    before = count_rows_elsewhere(services.settings.home / "assay.sqlite3")
    await ask("sequential_search", **step)
    assert count_rows_elsewhere(services.settings.home / "assay.sqlite3") > before


async def test_a_file_that_is_not_a_database_is_reported(tmp_path, cipher):
    path = tmp_path / "rows.sqlite3"
    path.write_bytes(b"not a database" * 1000)
    table = SqliteTable(path, cipher)
    with pytest.raises(ToolError, match=r"rows\.sqlite3 cannot be used"):
        await table.get("key")
    await table.close()


async def test_a_folder_that_cannot_be_made_is_reported(tmp_path, cipher):
    (tmp_path / "file").touch()
    table, bucket = SqliteTable(tmp_path / "file" / "rows.sqlite3", cipher), FileBucket(tmp_path / "file", cipher)
    for refused in (table.get("key"), bucket.put("name", b""), bucket.get("name"), bucket.delete("name")):
        with pytest.raises(ToolError, match=r"cannot be") as caught:
            await refused
        assert (caught.value.field, caught.value.suggested_action) == ("ASSAY_HOME", "inform_user")
    await table.close()


async def test_closing_twice_does_no_harm(tmp_path, cipher):
    table = SqliteTable(tmp_path / "rows.sqlite3", cipher)
    await table.close()
    await table.close()


def count_rows(path, table):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


HOUR, YEAR = 3_600, 365 * 86_400


async def test_past_rows_are_removed_when_the_file_is_opened(tmp_path, cipher, clock):
    path = tmp_path / "rows.sqlite3"
    table = SqliteTable(path, cipher, clock=clock)
    for number in range(10):
        await table.put("key", str(number), b"", until=clock.now + 10)
        await table.add("key", str(number), until=clock.now + 10)
    await table.put("key", "live", b"")
    await table.close()
    for _ in range(2):
        clock.now += HOUR
        table = SqliteTable(path, cipher, clock=clock)
        assert (await table.get("key", "live")).value == b""
        await table.close()
    assert (count_rows(path, "rows"), count_rows(path, "counters WHERE until NOT NULL")) == (1, 0)


async def test_past_rows_are_removed_while_others_are_written(tmp_path, cipher, clock):
    path = tmp_path / "rows.sqlite3"
    table = SqliteTable(path, cipher, clock=clock)
    for number in range(100):
        await table.put("past", str(number), b"", until=clock.now + 10)
    for number in range(500):
        clock.now += HOUR / 100
        await table.put("key", str(number), b"")
    await table.close()
    assert count_rows(path, "rows") == 500


async def test_a_clock_that_is_ahead_for_a_while_costs_no_rows(tmp_path, cipher, clock):
    table = SqliteTable(tmp_path / "rows.sqlite3", cipher, clock=clock)
    began = clock.now
    await table.put("key", "kept", b"otter", until=began + 30 * 86_400)
    for ahead in (YEAR, 0, YEAR):
        clock.now = began + ahead
        for number in range(600):
            clock.now += 1
            await table.put("other", str(number), b"")
        await table.close()
        table = SqliteTable(tmp_path / "rows.sqlite3", cipher, clock=clock)
    clock.now = began + HOUR
    assert (await table.get("key", "kept")).value == b"otter"
    await table.close()


async def test_a_clock_that_is_ahead_for_a_while_costs_no_files(tmp_path, cipher, clock):
    began = clock.now
    await FileBucket(tmp_path, cipher, clock=clock).put("kept", b"otter", until=began + 30 * 86_400)
    for ahead in (YEAR, 0, YEAR):
        clock.now = began + ahead
        bucket = FileBucket(tmp_path, cipher, clock=clock)
        for number in range(100):
            clock.now += 10
            await bucket.put(f"other/{number}", b"")
    clock.now = began + HOUR
    assert await FileBucket(tmp_path, cipher, clock=clock).get("kept") == b"otter"


async def test_a_clock_that_was_ahead_for_long_costs_nothing_that_is_written_afterwards(tmp_path, cipher, clock):
    table = SqliteTable(tmp_path / "rows.sqlite3", cipher, clock=clock)
    bucket = FileBucket(tmp_path, cipher, clock=clock)

    async def write_for_hours():
        for number in range(600):
            clock.now += HOUR / 100
            await table.put("other", str(number), b"")
            await bucket.put(f"other/{number}", b"")

    clock.now += YEAR
    await write_for_hours()
    clock.now -= YEAR
    await table.put("key", "kept", b"otter", until=clock.now + 30 * 86_400)
    await table.put("key", "past", b"", until=clock.now + 10)
    await bucket.put("kept", b"otter", until=clock.now + 30 * 86_400)
    await write_for_hours()
    assert (await table.get("key", "kept")).value == b"otter"
    assert await bucket.get("kept") == b"otter"
    await table.close()
    assert count_rows(tmp_path / "rows.sqlite3", "rows") == 601


async def test_a_process_that_died_while_it_noted_the_time_costs_no_rows(tmp_path, cipher, clock):
    """It had noted that the clock was set back, and not yet up to when rows may be deleted now."""
    path = tmp_path / "rows.sqlite3"
    table = SqliteTable(path, cipher, clock=clock)
    await table.put("key", "kept", b"otter", until=clock.now + 30 * 86_400)
    await table.close()
    with closing(sqlite3.connect(path, autocommit=True)) as connection:
        done = connection.execute("UPDATE counters SET count = ? WHERE sort = ?", (int(clock.now + YEAR), b"until"))
        assert done.rowcount == 1
    table = SqliteTable(path, cipher, clock=clock)
    assert (await table.get("key", "kept")).value == b"otter"
    await table.close()


async def test_past_files_are_removed_after_the_clock_was_set_back(tmp_path, cipher, clock):
    bucket = FileBucket(tmp_path, cipher, clock=clock)
    clock.now += YEAR
    for number in range(200):
        await bucket.put(f"live/{number}", b"")
    clock.now -= YEAR
    await bucket.put("past", b"", until=clock.now + 10)
    for number in range(200):
        clock.now += HOUR / 30
        await bucket.put(f"live/{number}", b"")
    assert len([path for path in tmp_path.glob("?/*") if path.is_file()]) == 200


async def test_past_files_are_removed_while_others_are_written(tmp_path, cipher, clock):
    bucket = FileBucket(tmp_path, cipher, clock=clock)
    for number in range(50):
        await bucket.put(f"past/{number}", b"", until=clock.now + 10)
    for number in range(200):
        clock.now += HOUR / 30
        await bucket.put(f"live/{number}", b"")
    assert len([path for path in tmp_path.glob("?/*") if path.is_file()]) == 200
    assert await bucket.get("live/0") == b""


async def test_a_read_that_waits_while_the_file_is_closed_leaves_no_connection_open(tmp_path):
    table = SqliteTable(tmp_path / "rows.sqlite3", Cipher(bytes(range(32))))
    await table.put("key", "sort", b"otter")
    closed = asyncio.ensure_future(table.close())
    await asyncio.sleep(0)
    assert await table.get("key", "sort") is not None
    await closed
    assert not (tmp_path / "rows.sqlite3-wal").exists()  # SQLite removes it when the last connection ends
