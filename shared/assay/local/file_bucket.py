"""Object storage in encrypted files."""

import asyncio
import hashlib
import math
import os
import secrets
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from assay.local.cipher import Cipher
from assay.local.disk_errors import to_state_error
from assay.local.purge_times import PurgeTimes, advance_times
from assay.state.ports import check_name

EXPIRY = struct.Struct(">Q")  # unencrypted header of a file: expiry in epoch seconds, 0 for none
PURGE_SECONDS = 600  # minimum interval between two purges of a folder
DRAFT = ".draft"
TIMES, TIMES_FORMAT = "purge-times", struct.Struct(">QQ")


class FileBucket:
    """ports.Bucket over `folder`. Methods raise ToolError when the folder cannot be used.

    A file's name is the SHA-256 digest of its object's name, since file systems differ in case sensitivity and maximum
    length. The first hex digit selects one of sixteen subfolders; a write purges expired files from its subfolder. The
    times of purges are in a file beside them.
    """

    def __init__(self, folder: Path, cipher: Cipher, *, clock: Callable[[], float] = time.time) -> None:
        self._folder, self._cipher, self._clock = folder, cipher, clock
        self._purged_at: dict[Path, float] = {}

    async def put(
        self,
        name: str,
        body: bytes,
        *,
        content_type: str = "application/octet-stream",  # noqa: ARG002  # part of the port; only S3 serves objects with it
        until: float | None = None,
    ) -> None:
        check_name(name)
        await asyncio.to_thread(self._put, name, body, until)

    async def get(self, name: str) -> bytes | None:
        check_name(name)
        return await asyncio.to_thread(self._get, name)

    async def delete(self, name: str) -> None:
        check_name(name)
        await asyncio.to_thread(self._delete, name)

    def _path(self, name: str) -> Path:
        digest = hashlib.sha256(name.encode()).hexdigest()
        return self._folder / digest[0] / digest[1:]

    def _put(self, name: str, body: bytes, until: float | None) -> None:
        path = self._path(name)
        expiry = EXPIRY.pack(0 if until is None else max(1, math.ceil(until)))
        with self._translate_errors():
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.parent.mkdir(mode=0o700, exist_ok=True)
            _write(path, expiry + self._cipher.encrypt(body, b"file", expiry, name.encode()))
            self._purge(path.parent)

    def _get(self, name: str) -> bytes | None:
        with self._translate_errors():
            try:
                content = self._path(name).read_bytes()
            except FileNotFoundError:
                return None
        if _is_past(content, self._clock()):
            return None
        expiry, sealed = content[: EXPIRY.size], content[EXPIRY.size :]
        return self._cipher.decrypt(sealed, b"file", expiry, name.encode())

    def _delete(self, name: str) -> None:
        with self._translate_errors():
            self._path(name).unlink(missing_ok=True)

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as failure:
            raise to_state_error(f"The folder {self._folder.name}", failure) from failure

    def _purge(self, subfolder: Path) -> None:
        """Remove expired files, and drafts left by processes that ended."""
        now = self._clock()
        if 0 <= now - self._purged_at.get(subfolder, -math.inf) < PURGE_SECONDS:  # less: the clock was set back
            return
        self._purged_at[subfolder] = now
        past = self._advance_times(now).until
        for path in subfolder.iterdir():
            with suppress(FileNotFoundError):  # another process may purge at the same time
                if path.suffix == DRAFT:
                    is_past = path.stat().st_mtime < time.time() - PURGE_SECONDS
                else:
                    is_past = _is_past(_read_header(path), past)
                if is_past:
                    path.unlink()

    def _advance_times(self, now: float) -> PurgeTimes:
        path = self._folder / TIMES
        known = PurgeTimes()
        with suppress(FileNotFoundError, struct.error):
            known = PurgeTimes(*TIMES_FORMAT.unpack(path.read_bytes()))
        times = advance_times(known, now)
        if times != known:
            _write(path, TIMES_FORMAT.pack(*times))
        return times


def _is_past(content: bytes, now: float) -> bool:
    if len(content) < EXPIRY.size:
        return False  # damaged: decrypt reports it to the reader
    until: int = EXPIRY.unpack_from(content)[0]
    return 0 < until <= now


def _read_header(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(EXPIRY.size)


def _write(path: Path, content: bytes) -> None:
    """Replace the file atomically: readers see the old content or the new, also after a crash."""
    draft = path.with_name(f"{secrets.token_hex(8)}{DRAFT}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
