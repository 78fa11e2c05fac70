"""Encryption at rest: AES-256-GCM under a key from the environment or from a file only its owner reads."""

import hashlib
import os
import secrets
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import ConfigError
from assay.settings import Settings

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

CURRENT, PREVIOUS = "ASSAY_ENCRYPTION_KEY", "ASSAY_ENCRYPTION_KEY_PREV"
KEY_BYTES, NONCE_BYTES = 32, 12


class Cipher:
    """Seals bytes so that they open only with the key, and only in the place they were sealed for.

    `key` and `previous` are 32 bytes; `previous` opens what an earlier key sealed and seals nothing.
    """

    def __init__(self, key: bytes, previous: bytes | None = None) -> None:
        if any(len(each) != KEY_BYTES for each in (key, previous or key)):
            raise ConfigError(f"A key for {CURRENT} must be {KEY_BYTES} bytes.", field=CURRENT, action="inform_user")
        self._keys = (key,) if previous is None else (key, previous)

    @classmethod
    def of(cls, settings: Settings) -> "Cipher":
        """The cipher of this installation: key from ASSAY_ENCRYPTION_KEY, else from a file made in ASSAY_HOME."""
        current, previous = settings.key(CURRENT), settings.key(PREVIOUS)
        return cls(
            _key(current, CURRENT) if current else _kept_key(settings.home),
            _key(previous, PREVIOUS) if previous else None,
        )

    @cached_property
    def _ciphers(self) -> "list[AESGCM]":
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        return [AESGCM(key) for key in self._keys]

    def encrypt(self, plain: bytes, *place: bytes) -> bytes:
        """Nonce, ciphertext and tag. `place` says where the bytes will lie; elsewhere they do not open."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        return nonce + self._ciphers[0].encrypt(nonce, plain, _about(place))

    def decrypt(self, sealed: bytes, *place: bytes) -> bytes:
        """The plain bytes, or ConfigError when no key we have sealed them for this place."""
        from cryptography.exceptions import InvalidTag

        for cipher in self._ciphers:
            try:
                return cipher.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], _about(place))
            except (InvalidTag, ValueError):  # ValueError: too short to hold a nonce
                continue
        raise ConfigError(
            f"Stored data does not open with the key of {CURRENT} or ASSAY_HOME: it is damaged, or "
            f"another key wrote it. Set {PREVIOUS} to the key that wrote it, or move the data away and start again.",
            field=CURRENT,
            action="inform_user",
        )


def _about(place: tuple[bytes, ...]) -> bytes:
    """Associated data. Names hold no NUL, so no two places share one."""
    return hashlib.sha256(b"\0".join(place)).digest()


def _key(text: str, source: str) -> bytes:
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise ConfigError(
            f"{source} must be {2 * KEY_BYTES} hexadecimal digits, as `openssl rand -hex {KEY_BYTES}` prints.",
            field=CURRENT if source != PREVIOUS else PREVIOUS,
            action="inform_user",
        ) from None
    return key


def _kept_key(home: Path) -> bytes:
    path = home / "encryption.key"
    try:
        if not path.exists():
            home.mkdir(mode=0o700, parents=True, exist_ok=True)
            _create_once(path, secrets.token_hex(KEY_BYTES).encode())
        mode, content = path.stat().st_mode, path.read_bytes()
    except OSError as failure:
        raise ConfigError(
            f"No key can be kept in {home}: {failure.strerror}. Set ASSAY_HOME to a folder of yours, or set {CURRENT}.",
            field="ASSAY_HOME",
            action="inform_user",
        ) from failure
    if os.name == "posix" and mode & 0o077:  # Windows keeps access in lists, and shows every file as 0666
        raise ConfigError(
            f"The key file {path} is open to others; run `chmod 600 {path}`, or set {CURRENT}.",
            field=CURRENT,
            action="inform_user",
        )
    return _key(content.decode(errors="replace").strip(), str(path))


def _create_once(path: Path, content: bytes) -> None:
    """The file appears whole or not at all, and whoever came first wins."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        path.hardlink_to(draft)
    except FileExistsError:
        pass  # another process was first: its key is the key
    finally:
        draft.unlink()
