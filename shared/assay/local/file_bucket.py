"""Bodies in encrypted files."""

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

from assay.errors import ToolError
from assay.local.cipher import Cipher
from assay.state.ports import check_name

EXPIRY = struct.Struct(">Q")  # a file begins with its expiry, epoch seconds or 0, in the clear
PURGE_SECONDS = 600  # a shelf is tidied at most this often
DRAFT = ".draft"


class FileBucket:
    """ports.Bucket over `folder`.

    A file is called by the digest of its name: file systems disagree about case and length, and none about that.
    It lies on one of sixteen shelves, of which a writer tidies the one it writes to.
    """

    def __init__(self, folder: Path, cipher: Cipher, *, clock: Callable[[], float] = time.time) -> None:
        self._folder, self._cipher, self._clock = folder, cipher, clock
        self._tidied: dict[Path, float] = {}

    async def put(
        self,
        name: str,
        body: bytes,
        *,
        content_type: str = "application/octet-stream",  # noqa: ARG002  # S3 serves bodies by it; nobody serves files
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
            self._tidy(path.parent)

    def _get(self, name: str) -> bytes | None:
        with self._translate_errors():
            try:
                content = self._path(name).read_bytes()
            except FileNotFoundError:
                return None
        if self._is_past(content):
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
            raise ToolError(f"The folder {self._folder} cannot be used: {failure.strerror}.") from failure

    def _is_past(self, content: bytes) -> bool:
        if len(content) < EXPIRY.size:
            return False  # damaged: its reader must be told
        until: int = EXPIRY.unpack_from(content)[0]
        return 0 < until <= self._clock()

    def _tidy(self, shelf: Path) -> None:
        """Remove what is past, and drafts whose writers died."""
        now = self._clock()
        if now - self._tidied.get(shelf, -math.inf) < PURGE_SECONDS:
            return
        self._tidied[shelf] = now
        for path in shelf.iterdir():
            with suppress(FileNotFoundError):  # another process may tidy too
                if path.suffix == DRAFT:
                    past = path.stat().st_mtime < time.time() - PURGE_SECONDS
                else:
                    past = self._is_past(_beginning(path))
                if past:
                    path.unlink()


def _beginning(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(EXPIRY.size)


def _write(path: Path, content: bytes) -> None:
    """A reader meets the old file or the new one, never a part, also after a crash."""
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
