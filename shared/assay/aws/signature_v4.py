"""AWS Signature Version 4 of requests, in headers or in the query of a URL."""

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
    # All services but S3 encode the encoded path once more.
    canonical_path = path if scope.service == "s3" else quote(path, safe="/~")
    request = "\n".join([method, canonical_path, "", *_list_header_lines(signed), "", names, digest])
    place = _build_place(date, scope)
    signature = _sign(request, date, place, credentials.secret)
    signed["authorization"] = (
        f"{ALGORITHM} Credential={credentials.key}/{place}, SignedHeaders={names}, Signature={signature}"
    )
    return signed


def presign_query(
    method: str,
    path: str,
    headers: Mapping[str, str],
    *,
    seconds: int,
    credentials: Credentials,
    scope: SigningScope,
    now: float,
) -> str:
    """Return the query with which whoever has it may send this request to S3 for `seconds`, with any body.

    The request must have all of `headers` (names in lower case, `host` among them) with these values: a signed
    `content-length` allows one size only.
    """
    date = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
    place, names = _build_place(date, scope), ";".join(sorted(headers))
    fields = {
        "X-Amz-Algorithm": ALGORITHM,
        "X-Amz-Credential": f"{credentials.key}/{place}",
        "X-Amz-Date": date,
        "X-Amz-Expires": str(seconds),
        "X-Amz-SignedHeaders": names,
    }
    if credentials.token:
        fields["X-Amz-Security-Token"] = credentials.token
    query = "&".join(f"{name}={quote(fields[name], safe='')}" for name in sorted(fields))
    request = "\n".join([method, path, query, *_list_header_lines(headers), "", names, "UNSIGNED-PAYLOAD"])
    return f"{query}&X-Amz-Signature={_sign(request, date, place, credentials.secret)}"


def _list_header_lines(headers: Mapping[str, str]) -> list[str]:
    return [f"{name}:{' '.join(headers[name].split())}" for name in sorted(headers)]


def _build_place(date: str, scope: SigningScope) -> str:
    return f"{date[:8]}/{scope.region}/{scope.service}/aws4_request"


def _sign(request: str, date: str, place: str, secret: str) -> str:
    text = "\n".join([ALGORITHM, date, place, hashlib.sha256(request.encode()).hexdigest()])
    return _hmac(_derive_key(secret, place), text).hex()


def _derive_key(secret: str, place: str) -> bytes:
    key = f"AWS4{secret}".encode()
    for part in place.split("/"):
        key = _hmac(key, part)
    return key


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")
