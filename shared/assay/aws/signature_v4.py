"""AWS Signature Version 4 of requests in headers."""

import hashlib
import hmac
import time
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import quote

ALGORITHM = "AWS4-HMAC-SHA256"


class Credentials(NamedTuple):
    """The keys that requests are signed with; `token` is "" unless they are temporary."""

    key: str
    secret: str
    token: str = ""


class SigningScope(NamedTuple):
    """Where a signature is valid."""

    region: str
    service: str


def sign_request(
    method: str,
    path: str,
    headers: Mapping[str, str],
    body: bytes,
    *,
    credentials: Credentials,
    scope: SigningScope,
    now: float,
) -> dict[str, str]:
    """Return all of the headers (names in lower case, `host` among them) and those of the signature.

    `path` is percent-encoded and has no query.
    """
    date = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
    signed = {**headers, "x-amz-date": date}
    if credentials.token:
        signed["x-amz-security-token"] = credentials.token
    digest = hashlib.sha256(body).hexdigest()
    if scope.service == "s3":
        signed["x-amz-content-sha256"] = digest
    names = ";".join(sorted(signed))
    lines = [f"{name}:{' '.join(signed[name].split())}" for name in sorted(signed)]
    # All services but S3 encode the encoded path once more.
    canonical_path = path if scope.service == "s3" else quote(path, safe="/~")
    request = "\n".join([method, canonical_path, "", *lines, "", names, digest])
    place = f"{date[:8]}/{scope.region}/{scope.service}/aws4_request"
    text = "\n".join([ALGORITHM, date, place, hashlib.sha256(request.encode()).hexdigest()])
    signature = _hmac(_derive_key(credentials.secret, place), text).hex()
    signed["authorization"] = (
        f"{ALGORITHM} Credential={credentials.key}/{place}, SignedHeaders={names}, Signature={signature}"
    )
    return signed


def _derive_key(secret: str, place: str) -> bytes:
    key = f"AWS4{secret}".encode()
    for part in place.split("/"):
        key = _hmac(key, part)
    return key


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")
