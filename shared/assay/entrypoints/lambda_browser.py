"""Lambda handler of the browser function: renders a page and returns it, or its name in the bucket if it is large."""

import ctypes
import gzip
import importlib
import json
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.chromium.launch_options import Spawned, spawn_browser
from assay.entrypoints import runtime
from assay.errors import BrowserUnavailable, ToolError
from assay.settings import Settings

if TYPE_CHECKING:  # imported while the browser starts
    from assay.chromium.browser import Chromium
    from assay.state.ports import Bucket

type Wire = dict[str, Any]

MAX_RESPONSE = 4 * 1024 * 1024  # bytes of JSON; Lambda allows 6 MB
STORED_SECONDS = 300.0
PR_SET_DUMPABLE = 4  # prctl(2)
MONTH = 30 * 24 * 3600  # Lambda itself stops idle instances


def disable_process_dump() -> None:
    """Protect this process's memory and environment from its user's other processes: Chromium may be compromised."""
    ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


class BrowserPool:
    """The Chromium of the function. It restarts when the host rule of the request changes."""

    def __init__(self, settings: Settings, early: Spawned | None, **seams: Any) -> None:
        self._settings = replace(settings, browser_idle_seconds=MONTH)
        self._early, self._seams = early, seams
        self._rule: str | None = None
        self._chromium: Chromium | None = None

    async def render(self, event: Mapping[str, Any]) -> Wire:
        """Render the page of one event. Never raises ToolError: the result then describes the failure."""
        from assay.chromium import render_protocol

        try:
            chromium = await self._browser_for(event.get("rule") or {})
            rendered = await chromium.render(
                event["url"],
                settle=float(event["settle"]),
                seconds=float(event["seconds"]),
                screenshot=bool(event.get("screenshot")),
                console=bool(event.get("console")),
            )
        except ToolError as failure:
            return render_protocol.encode_failure(failure)
        return render_protocol.encode_result(rendered)

    async def _browser_for(self, rule: Mapping[str, Any]) -> "Chromium":
        from assay.chromium import render_protocol
        from assay.chromium.browser import Chromium

        key = json.dumps(rule, sort_keys=True)
        if self._chromium is None or key != self._rule:
            if self._chromium is not None:
                await self._chromium.close()
            early, self._early = self._early, None
            self._chromium = Chromium(render_protocol.apply_host_rule(self._settings, rule), early=early, **self._seams)
            self._rule = key
        return self._chromium


def handler_for(
    settings: Settings | None = None, bucket: "Callable[[], Bucket] | None" = None, **seams: Any
) -> Callable[[Mapping[str, Any], object], Wire]:
    """The Lambda handler. `seams` are arguments of Chromium. The browser process starts before the imports."""
    settings = settings or Settings.read()
    pool = BrowserPool(settings, _start_browser(settings), **seams)
    disable_process_dump()
    importlib.import_module("assay.chromium.browser")

    def handler(event: Mapping[str, Any], _: object) -> Wire:
        return runtime.wait_for(handle_event(event))

    async def handle_event(event: Mapping[str, Any]) -> Wire:
        answer = await pool.render(event)
        body = json.dumps(answer).encode()
        return (
            answer
            if len(body) <= MAX_RESPONSE
            else await store_large_result(body, bucket() if bucket else _bucket(settings))
        )

    return handler


async def store_large_result(body: bytes, bucket: "Bucket") -> Wire:
    """Store a large result under a random name, which only the caller learns."""
    name = f"render/{secrets.token_hex(16)}"
    await bucket.put(name, gzip.compress(body, 4), content_type="application/gzip", until=time.time() + STORED_SECONDS)
    return {"kept": name}


def _start_browser(settings: Settings) -> Spawned | None:
    try:
        return spawn_browser(settings)
    except BrowserUnavailable:  # each request then reports it
        return None


def _bucket(settings: Settings) -> "Bucket":
    from assay.aws.s3_bucket import S3Bucket

    return S3Bucket(settings.bucket_name)
