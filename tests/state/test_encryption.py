"""What lies on a laptop's disk can be read by the owner of the key and by nobody else."""

import os
import shutil
import sqlite3
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Barrier

import pytest

from assay.errors import ConfigError
from assay.local.cipher import Cipher
from assay.local.file_bucket import FileBucket
from assay.local.sqlite_table import SqliteTable
from assay.settings import Settings

ONE, TWO = "0123456789abcdef" * 4, "f" * 64
SECRET = b"the merger closes on Tuesday"


def cipher_with(home, **environ):
    return Cipher.of(Settings.read({"ASSAY_HOME": str(home), **environ}))


def rows_at(home, **environ):
    return SqliteTable(home / "rows.sqlite3", cipher_with(home, **environ))


async def test_no_value_lies_in_the_clear(tmp_path):
    table, bucket = rows_at(tmp_path), FileBucket(tmp_path / "bucket", cipher_with(tmp_path))
    for number in range(200):
        await table.put("key", f"sort{number}", SECRET * 20)
    await table.put("key", "sort0", SECRET, expect=(await table.get("key", "sort0")).version)
    await bucket.put("name", SECRET * 1000)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"rows.sqlite3", "rows.sqlite3-wal", "encryption.key"} <= {path.name for path in files}
    before = {path: path.read_bytes() for path in files}  # while the log still holds what was written
    await table.close()
    after = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert sum(map(len, before.values())) > 200 * 20 * len(SECRET)
    for content in (*before.values(), *after.values()):
        assert b"merger" not in content


async def test_files_are_their_owners_alone(tmp_path):
    home = tmp_path / "home"
    table, bucket = rows_at(home), FileBucket(home / "bucket", cipher_with(home))
    await table.put("key", "sort", b"value")
    await bucket.put("name", b"body")
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (home, *home.rglob("*"))}
    await table.close()
    assert len(modes) >= 6
    assert {path: mode for path, mode in modes.items() if mode & 0o077} == {}


async def test_rows_outlive_the_process_that_wrote_them(tmp_path):
    for expected in (None, b"value"):
        table = rows_at(tmp_path)
        item = await table.get("key")
        assert (item and item.value) == expected
        await table.put("key", "-", b"value")
        await table.close()


async def test_another_key_is_reported_by_the_name_of_its_variable(tmp_path):
    table, bucket = rows_at(tmp_path, ASSAY_ENCRYPTION_KEY=ONE), FileBucket(tmp_path / "b", cipher_with(tmp_path))
    await table.put("key", "sort", SECRET)
    await bucket.put("name", SECRET)
    await table.close()
    other = rows_at(tmp_path, ASSAY_ENCRYPTION_KEY=TWO)
    reads = (
        lambda: other.get("key", "sort"),
        lambda: other.query("key"),
        lambda: FileBucket(tmp_path / "b", Cipher(b"k" * 32)).get("name"),
    )
    for read in reads:
        with pytest.raises(ConfigError, match="ASSAY_ENCRYPTION_KEY") as failure:
            await read()
        assert not any(secret in failure.value.text() for secret in (ONE, TWO, SECRET.decode()))
    await other.close()


async def test_the_previous_key_opens_what_it_sealed_and_seals_nothing(tmp_path):
    table = rows_at(tmp_path, ASSAY_ENCRYPTION_KEY=ONE)
    await table.put("key", "old", b"1")
    await table.close()
    table = rows_at(tmp_path, ASSAY_ENCRYPTION_KEY=TWO, ASSAY_ENCRYPTION_KEY_PREV=ONE)
    assert (await table.get("key", "old")).value == b"1"
    await table.put("key", "new", b"2")
    await table.close()
    table = rows_at(tmp_path, ASSAY_ENCRYPTION_KEY=TWO)
    assert (await table.get("key", "new")).value == b"2"
    with pytest.raises(ConfigError, match="ASSAY_ENCRYPTION_KEY_PREV"):
        await table.get("key", "old")
    await table.close()


async def test_a_row_moved_to_another_place_does_not_open(tmp_path):
    table = rows_at(tmp_path)
    for key, sort in (("alice", "plan"), ("mallory", "plan"), ("alic", "eplan")):
        await table.put(key, sort, f"{key}'s".encode())
    with closing(sqlite3.connect(tmp_path / "rows.sqlite3", autocommit=True)) as thief:
        for key, sort in ((b"mallory", b"plan"), (b"alic", b"eplan")):
            thief.execute(
                "UPDATE rows SET value = (SELECT value FROM rows WHERE key = ?) WHERE key = ? AND sort = ?",
                (b"alice", key, sort),
            )
    for key, sort in (("mallory", "plan"), ("alic", "eplan")):
        with pytest.raises(ConfigError):
            await table.get(key, sort)
    assert (await table.get("alice", "plan")).value == b"alice's"
    await table.close()


@pytest.mark.parametrize("change", ["until = until + 9999999", "until = NULL", "version = version + 1"])
async def test_a_row_whose_expiry_or_version_was_changed_does_not_open(change, tmp_path):
    table = rows_at(tmp_path)
    await table.put("key", "plan", SECRET, until=time.time() + 60)
    await table.put("key", "other", SECRET)
    with closing(sqlite3.connect(tmp_path / "rows.sqlite3", autocommit=True)) as thief:
        thief.execute(f"UPDATE rows SET {change} WHERE sort = ?", (b"plan",))
    for read in (lambda: table.get("key", "plan"), lambda: table.query("key")):
        with pytest.raises(ConfigError):
            await read()
    assert (await table.get("key", "other")).value == SECRET
    await table.close()


async def test_rows_of_an_earlier_version_are_resealed(tmp_path):
    table, cipher = rows_at(tmp_path), cipher_with(tmp_path)
    until = int(time.time()) + 60
    for number in range(450):
        await table.put("key", f"{number:03}", SECRET, until=until if number % 2 else None)
    await table.close()
    with closing(sqlite3.connect(tmp_path / "rows.sqlite3", autocommit=True)) as file:
        for rowid, key, sort in file.execute("SELECT rowid, key, sort FROM rows").fetchall():
            sealed = Cipher(b"o" * 32).encrypt(b"x", key, sort) if sort == b"007" else cipher.encrypt(sort, key, sort)
            file.execute("UPDATE rows SET value = ? WHERE rowid = ?", (sealed, rowid))
        file.execute("PRAGMA user_version = 1")
    for _ in range(2):
        table = rows_at(tmp_path)
        assert [(await table.get("key", f"{number:03}")).value for number in (0, 1, 449)] == [b"000", b"001", b"449"]
        with pytest.raises(ConfigError):
            await table.get("key", "007")
        await table.close()
    with closing(sqlite3.connect(tmp_path / "rows.sqlite3", autocommit=True)) as file:
        assert file.execute("PRAGMA user_version").fetchone() == (2,)


async def test_a_file_moved_altered_or_cut_does_not_open(tmp_path, cipher, clock):
    bucket = FileBucket(tmp_path, cipher, clock=clock)
    await bucket.put("alice", b"alice's", until=clock.now + 10)
    [alice] = tmp_path.glob("?/*")
    full = alice.read_bytes()
    await bucket.put("mallory", b"mallory's")
    [mallory] = [path for path in tmp_path.glob("?/*") if path != alice]
    shutil.copy(alice, mallory)
    with pytest.raises(ConfigError):
        await bucket.get("mallory")
    for damaged in (bytes(8) + full[8:], full[:-1], full[:20], full[:10], full[:3], b""):
        alice.write_bytes(damaged)
        with pytest.raises(ConfigError):
            await bucket.get("alice")


@pytest.mark.parametrize("variable", ["ASSAY_ENCRYPTION_KEY", "ASSAY_ENCRYPTION_KEY_PREV"])
@pytest.mark.parametrize("wrong", ["ab" * 16, "ab" * 33, "a" * 63, "zz" * 32, "secret", "é" * 64])
def test_a_key_of_the_wrong_shape_is_reported_without_being_shown(tmp_path, variable, wrong):
    with pytest.raises(ConfigError, match=f"{variable} must be 64 hexadecimal digits") as failure:
        cipher_with(tmp_path, **{"ASSAY_ENCRYPTION_KEY": ONE, variable: wrong})
    assert failure.value.envelope()["error"]["field"] == variable
    assert wrong not in failure.value.text()


def test_a_key_in_the_environment_leaves_no_file(tmp_path):
    home = tmp_path / "home"
    cipher_with(home, ASSAY_ENCRYPTION_KEY=ONE)
    assert not home.exists()


def test_a_key_file_is_made_once_however_many_start_at_once(tmp_path):
    start = Barrier(16)

    def starts(_):
        start.wait()
        return cipher_with(tmp_path / "home")

    with ThreadPoolExecutor(16) as pool:
        ciphers = list(pool.map(starts, range(16)))
    sealed = ciphers[0].encrypt(SECRET, b"place")
    assert {cipher.decrypt(sealed, b"place") for cipher in ciphers} == {SECRET}
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["encryption.key"]


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o644])
def test_a_key_file_others_can_reach_is_refused(tmp_path, mode):
    cipher_with(tmp_path)
    key = tmp_path / "encryption.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    key.chmod(mode)
    with pytest.raises(ConfigError, match="chmod 600") as failure:
        cipher_with(tmp_path)
    assert key.read_text() not in str(failure.value)


@pytest.mark.parametrize("content", [b"", b"short", b"\xff" * 64])
def test_a_damaged_key_file_is_named(tmp_path, content):
    key = tmp_path / "encryption.key"
    key.write_bytes(content)
    key.chmod(0o600)
    with pytest.raises(ConfigError, match=r"encryption\.key must be"):
        cipher_with(tmp_path)


def test_a_home_that_cannot_be_made_is_a_configuration_error(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="ASSAY_HOME"):
        cipher_with(tmp_path / "file" / "home")


def test_the_same_bytes_are_never_sealed_alike(cipher):
    assert len({cipher.encrypt(SECRET, b"place") for _ in range(100)}) == 100


def test_a_cipher_wants_whole_keys():
    for keys in ((b"short",), (os.urandom(32), b"short")):
        with pytest.raises(ConfigError, match="ASSAY_ENCRYPTION_KEY"):
            Cipher(*keys)
