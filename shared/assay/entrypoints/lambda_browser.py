"""The browser's own function: an event that asks for a page, and the page, or where it lies if it is too large."""

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

if TYPE_CHECKING:  # what is not needed to begin the browser is imported while it begins
    from assay.chromium.browser import Chromium
    from assay.state.ports import Bucket

type Wire = dict[str, Any]

MOST_ANSWER = 4 * 1024 * 1024  # bytes of JSON; Lambda carries 6 MB
KEPT_SECONDS = 300.0
DUMPABLE = 4  # of prctl(2)
MONTH = 30 * 24 * 3600  # Lambda ends what is idle, by itself


def disable_process_dump() -> None:
    """Shut this process's memory and environment to others of its user: a page might get hold of Chromium."""
    ctypes.CDLL(None).prctl(DUMPABLE, 0, 0, 0, 0)


class BrowserPool:
    """The function's Chromium, and the rule it was begun by: callers of one deployment share one."""

    def __init__(self, settings: Settings, early: Spawned | None, **seams: Any) -> None:
        self._settings = replace(settings, browser_idle_seconds=MONTH)
        self._early, self._seams = early, seams
        self._rule: str | None = None
        self._chromium: Chromium | None = None

    async def render(self, event: Mapping[str, Any]) -> Wire:
        """The answer to one event. Never raises a ToolError: a failure is an answer too."""
        from assay.chromium import render_protocol

        try:
            chromium = await self._by(event.get("rule") or {})
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

    async def _by(self, rule: Mapping[str, Any]) -> "Chromium":
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
    """The Lambda handler. `seams` are Chromium's own. The browser begins here, while the rest is imported."""
    settings = settings or Settings.read()
    room = BrowserPool(settings, _start_browser(settings), **seams)
    disable_process_dump()
    importlib.import_module("assay.chromium.browser")

    def handler(event: Mapping[str, Any], _: object) -> Wire:
        return runtime.wait_for(handle_event(event))

    async def handle_event(event: Mapping[str, Any]) -> Wire:
        answer = await room.render(event)
        body = json.dumps(answer).encode()
        return (
            answer
            if len(body) <= MOST_ANSWER
            else await store_large_result(body, bucket() if bucket else _bucket(settings))
        )

    return handler


async def store_large_result(body: bytes, bucket: "Bucket") -> Wire:
    """A large answer put aside for its caller, who alone learns where."""
    name = f"render/{secrets.token_hex(16)}"
    await bucket.put(name, gzip.compress(body, 4), content_type="application/gzip", until=time.time() + KEPT_SECONDS)
    return {"kept": name}


def _start_browser(settings: Settings) -> Spawned | None:
    try:
        return spawn_browser(settings)
    except BrowserUnavailable:  # whoever asks for a page is told
        return None


def _bucket(settings: Settings) -> "Bucket":
    from assay.aws.s3_bucket import S3Bucket

    return S3Bucket(settings.bucket_name)
