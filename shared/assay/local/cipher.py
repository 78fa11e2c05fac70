"""Encryption at rest with AES-256-GCM; the key comes from the environment or from a file readable by its owner only."""

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
    """AES-256-GCM cipher that binds each ciphertext to the place where it is stored.

    `key` and `previous` are 32 bytes each, otherwise ConfigError is raised. `previous` only decrypts: it is the key
    before a rotation.
    """

    def __init__(self, key: bytes, previous: bytes | None = None) -> None:
        if any(len(each) != KEY_BYTES for each in (key, previous or key)):
            raise ConfigError(f"A key for {CURRENT} must be {KEY_BYTES} bytes.", field=CURRENT, action="inform_user")
        self._keys = (key,) if previous is None else (key, previous)

    @classmethod
    def of(cls, settings: Settings) -> "Cipher":
        """Build the cipher from ASSAY_ENCRYPTION_KEY, or from a key file created in ASSAY_HOME. Raises ConfigError."""
        current, previous = settings.key(CURRENT), settings.key(PREVIOUS)
        return cls(
            _parse_key(current, CURRENT) if current else _load_key_file(settings.home),
            _parse_key(previous, PREVIOUS) if previous else None,
        )

    @property
    def keys(self) -> tuple[bytes, ...]:
        """The keys, the current one first."""
        return self._keys

    @cached_property
    def _ciphers(self) -> "list[AESGCM]":
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        return [AESGCM(key) for key in self._keys]

    def encrypt(self, plain: bytes, *place: bytes) -> bytes:
        """Return nonce, ciphertext and tag. `place` is authenticated: `decrypt` needs the same one."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        return nonce + self._ciphers[0].encrypt(nonce, plain, _associated_data(place))

    def decrypt(self, sealed: bytes, *place: bytes) -> bytes:
        """Return the plain bytes. Raises ConfigError when no configured key encrypted them for this place."""
        from cryptography.exceptions import InvalidTag

        for cipher in self._ciphers:
            try:
                return cipher.decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], _associated_data(place))
            except (InvalidTag, ValueError):  # ValueError: too short to hold a nonce
                continue
        raise ConfigError(
            f"Stored data cannot be decrypted with the key from {CURRENT} or ASSAY_HOME: it is damaged, or "
            f"it was written with another key. Set {PREVIOUS} to that key, or move the data away and start again.",
            field=CURRENT,
            action="inform_user",
        )


def _associated_data(place: tuple[bytes, ...]) -> bytes:
    """Build the associated data of a place. Names contain no NUL, so the data is unique for each place."""
    return hashlib.sha256(b"\0".join(place)).digest()


def _parse_key(text: str, source: str) -> bytes:
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


def _load_key_file(home: Path) -> bytes:
    path = home / "encryption.key"
    try:
        if not path.exists():
            home.mkdir(mode=0o700, parents=True, exist_ok=True)
            _create_once(path, secrets.token_hex(KEY_BYTES).encode())
        mode, content = path.stat().st_mode, path.read_bytes()
    except OSError as failure:
        raise ConfigError(
            f"The encryption key cannot be stored in {home}: {failure.strerror}. "
            f"Set ASSAY_HOME to a writable folder, or set {CURRENT}.",
            field="ASSAY_HOME",
            action="inform_user",
        ) from failure
    if os.name == "posix" and mode & 0o077:  # Windows uses access lists and reports 0666 for every file
        raise ConfigError(
            f"The key file {path} is readable by other users; run `chmod 600 {path}`, or set {CURRENT}.",
            field=CURRENT,
            action="inform_user",
        )
    return _parse_key(content.decode(errors="replace").strip(), str(path))


def _create_once(path: Path, content: bytes) -> None:
    """Create the file atomically unless it exists: the first process that links its draft wins."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        path.hardlink_to(draft)
    except FileExistsError:
        pass  # another process created the key first; use that key
    finally:
        draft.unlink()
