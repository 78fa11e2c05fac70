"""Forms of pages: a form that is sent twice, by a double click or a reload, takes effect once.

The second request receives the outcome of the first. Outcomes may show secrets this once, such as a new key: they are
stored encrypted under the cookie of the browser, which is stored nowhere.
"""

import asyncio
import hashlib
import json
import secrets
import zlib
from base64 import b64decode, b64encode
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from fastapi import Response

from assay.context import Context
from assay.entrypoints.idempotency import REPLAYED, StillRunning, run_once
from assay.state.json_documents import Document

if TYPE_CHECKING:
    from assay.local.cipher import Cipher

FIELD = "form_once"
LONGEST = 64  # characters of its value
RUN_SECONDS = 60.0  # after which the first request counts as lost
WAIT_SECONDS = 20.0  # that a second request waits for the first
PAUSE_SECONDS = 0.2
NOT_STORED = ("content-length", "set-cookie")


def create_form_number() -> str:
    """The number of the forms of one page: a page that is shown again has other ones."""
    return secrets.token_urlsafe(12)


async def answer_form_once(
    fields: Mapping[str, str],
    page: str,
    cookie: str,
    ctx: Context,
    answer: Callable[[], Awaitable[Response]],
    *,
    seconds: float,
) -> Response:
    """The response to the form with these fields, made once within `seconds`; after a failure it is made anew.

    Raises StillRunning for a form whose first request takes too long to wait for.
    """
    number = fields.get(FIELD, "")
    if not 0 < len(number) <= LONGEST:  # of a program that sends fields of its own
        return await answer()
    sent = [cookie, page, sorted(fields.items())]
    key = hashlib.sha256(json.dumps(sent).encode()).hexdigest()
    place = f"form {cookie} {key}".encode()
    response: Response | None = None

    async def run() -> Document | None:
        nonlocal response
        response = await answer()
        return _seal(response, place) if response.status_code < 400 else None

    end = asyncio.get_running_loop().time() + WAIT_SECONDS
    while True:
        try:
            stored = await run_once(key, f"form {page}", key, ctx, run, limit=RUN_SECONDS, seconds=seconds)
        except StillRunning:
            if asyncio.get_running_loop().time() > end:
                raise StillRunning(
                    "This form was sent before, and what it asks for is still being done. Reload the page later.",
                    retry_after=5,
                ) from None
            await asyncio.sleep(PAUSE_SECONDS)
            continue
        return response if stored is None and response is not None else _unseal(stored or {}, place)


def _seal(response: Response, place: bytes) -> Document:
    headers = [[name, value] for name, value in response.headers.items() if name not in NOT_STORED]
    outcome = {"status": response.status_code, "headers": headers, "body": bytes(response.body).decode()}
    sealed = _build_cipher(place).encrypt(zlib.compress(json.dumps(outcome).encode()))
    return {"sealed": b64encode(sealed).decode()}


def _unseal(stored: Document, place: bytes) -> Response:
    outcome = json.loads(zlib.decompress(_build_cipher(place).decrypt(b64decode(stored["sealed"]))))
    return Response(outcome["body"], outcome["status"], headers=dict(outcome["headers"]) | REPLAYED)


def _build_cipher(place: bytes) -> "Cipher":
    from assay.local.cipher import Cipher  # reading pages needs none

    return Cipher(hashlib.sha256(place).digest())
