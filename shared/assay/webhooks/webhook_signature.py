"""Signatures of the Standard Webhooks specification: HMAC-SHA256 over the message id, the time and the body.

The library of that specification has been without a release since 2023, and brings httpx and four more dependencies
for what the standard library does in a line.
"""

import base64
import binascii
import hashlib
import hmac
import secrets
from collections.abc import Iterable

from assay.errors import ConfigError

PREFIX = "whsec_"
SECRET_BYTES = 32  # of a new secret; the specification allows 24 to 64


def create_secret() -> str:
    """Return a new random secret."""
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def decode_secret(secret: str) -> bytes:
    """Return the key of a `whsec_` secret. Raises ConfigError, which does not repeat it."""
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not secret.startswith(PREFIX) or not 24 <= len(key) <= 64:
        raise ConfigError(f"A webhook secret is {PREFIX} and the Base64 of 24 to 64 bytes.", field="secret")
    return key


def build_signed_headers(keys: Iterable[str], message: str, now: float, body: bytes) -> dict[str, str]:
    """Return the headers that identify and sign the message, with one signature for each of the secrets."""
    timestamp = str(int(now))
    signed = f"{message}.{timestamp}.".encode() + body
    digests = [hmac.new(decode_secret(secret), signed, hashlib.sha256).digest() for secret in keys]
    return {
        "webhook-id": message,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(f"v1,{base64.b64encode(digest).decode()}" for digest in digests),
    }
