"""The style sheets and scripts of the pages: files beside this module, served under the digest of all of them.

The digest is a folder in their addresses, so that scripts can import each other by relative names, and browsers need
never ask again for what they have.
"""

import gzip
import hashlib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from fastapi import Response

from assay.entrypoints.console.page_table import ASSETS
from assay.entrypoints.http.response_compression import accepts_gzip
from assay.errors import NotFound

MEDIA_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
CACHED = "public, max-age=31536000, immutable"


class AssetFile(NamedTuple):
    """An asset as it is sent."""

    media_type: str
    body: bytes
    compressed: bytes


@cache
def read_assets() -> dict[str, AssetFile]:
    """All assets by name."""
    found = {}
    for file in sorted((files("assay.entrypoints.console") / "assets").iterdir(), key=lambda file: file.name):
        media_type = MEDIA_TYPES.get(file.name[file.name.rfind(".") :])
        if media_type:
            body = file.read_bytes()
            found[file.name] = AssetFile(media_type, body, gzip.compress(body, 9, mtime=0))
    return found


@cache
def compute_digest() -> str:
    """The digest of all assets with their names."""
    digest = hashlib.sha256()
    for name, file in read_assets().items():
        digest.update(f"{name} {hashlib.sha256(file.body).hexdigest()}\n".encode())
    return digest.hexdigest()[:16]


def get_asset_address(name: str) -> str:
    """The address of an asset, without the host. Raises KeyError for one that there is not."""
    _ = read_assets()[name]
    return f"{ASSETS}{compute_digest()}/{name}"


def respond_with_asset(digest: str, name: str, accept_encoding: str) -> Response:
    """The asset. Raises NotFound, also for the assets of another release."""
    file = read_assets().get(name)
    if file is None or digest != compute_digest():
        raise NotFound("There is no such file; load the page again.")
    headers = {"cache-control": CACHED, "vary": "accept-encoding", "content-type": file.media_type}
    if accepts_gzip(accept_encoding):
        return Response(file.compressed, headers=headers | {"content-encoding": "gzip"})
    return Response(file.body, headers=headers)
