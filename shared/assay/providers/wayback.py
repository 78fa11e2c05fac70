"""Wayback Machine of the Internet Archive: look-up and capture of snapshots.

Documentation: https://archive.org/help/wayback_api.php
Authentication: optional for captures, IA_ACCESS_KEY and IA_SECRET_KEY.
Limits: 3 captures a minute, 7 with keys.
"""

import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import quote

from assay.errors import RateLimited, Refused, ToolError
from assay.net.provider_client import ONCE, WAIT_DEFAULT, ProviderResponse
from assay.net.retry import RetryPolicy
from assay.provider_base.provider import Provider
from assay.provider_base.results import get_path

ARCHIVE, MACHINE = "https://archive.org", "https://web.archive.org"
LOOK_SECONDS, SAVE_SECONDS = 3.0, 20.0  # a save waits until the page has been fetched there
IN_A_PATH = ":/?&=%+@,;~!$'()*"
START = 256 * 1024  # bytes of the page that says that a capture has begun
KEPT = re.compile(r"(?:https?://[^/]+)?(/web/(\d{14})(?:[a-z]{2}_)?/\S+)")
WATCHED = re.compile(r"watchJob\(\s*[\"']([\w-]{8,80})[\"']")
JOB = re.compile(r"[\w-]{8,80}")
MEMENTO = re.compile(r"<([^<>]*/web/\d{14}[^<>]*)>[^,]*\brel=\"[^\"]*\bmemento\b")
FAULT = re.compile(r"error:[a-z-]{3,60}")
LIMITS = ("limit", "too-many", "no-access", "celery", "cannot-fetch", "service-unavailable")


SAVE_INTERVAL = 20.0  # seconds from one capture to the next: Save Page Now takes three a minute from anybody,
SAVE_INTERVAL_SIGNED = 9.0  # and seven from whoever has a key


class Snapshot(NamedTuple):
    """A kept copy; `timestamp` is YYYYMMDDhhmmss in UTC."""

    url: str
    timestamp: str

    @property
    def moment(self) -> datetime | None:
        """When the copy was made; None where the archive does not say."""
        try:
            return datetime.strptime(self.timestamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        except ValueError:
            return None

    @property
    def address(self) -> str:
        """The copy's address as people cite it."""
        return (
            "https://" + self.url.removeprefix("http://")
            if self.url.startswith("http://web.archive.org/")
            else self.url
        )


class Saving(NamedTuple):
    """How a capture stands: done with a `snapshot`, in work as `job`, or neither known yet. `status` is of HTTP."""

    snapshot: Snapshot | None
    job: str | None
    status: int


class Wayback(Provider):
    """The archive answers look-ups at one host and saves at another; a base of the operator's own has both."""

    name = "wayback"

    def __init__(self, *given: Any, **seams: Any) -> None:
        super().__init__(*given, **seams)
        own = self.base_url if self.base_url not in (ARCHIVE, MACHINE) else ""
        self.base_url = ""  # each question names its host
        self.available = f"{own}/available" if own else f"{ARCHIVE}/wayback/available"
        self.saving = f"{own}/save/" if own else ""

    async def closest(self, url: str, seconds: float = LOOK_SECONDS) -> Snapshot | None:
        """The snapshot closest to now; None where the archive says that it has none."""
        given: dict[str, Any] = {"seconds": 2 * seconds + 1, "tries": RetryPolicy(2, each=seconds), "redirects": 5}
        got = await self.exchange("GET", self.available, params={"url": url}, **given)
        found = get_path(got.body, "archived_snapshots", "closest")
        if not isinstance(got.body, dict):
            raise TypeError("the answer is no object")
        at, moment = get_path(found, "url"), get_path(found, "timestamp")
        if get_path(found, "available") is not True or not isinstance(at, str):
            return None
        return Snapshot(at, moment if isinstance(moment, str) else "")

    async def save(self, url: str, seconds: float = SAVE_SECONDS) -> None:
        """Have the archive fetch `url` now. Raises where it did not."""
        await self._save_page(url, seconds=seconds, tries=RetryPolicy(2), expect="nothing")

    async def capture(
        self, url: str, seconds: float = SAVE_SECONDS, *, heard: Callable[[int], None] = lambda _: None
    ) -> Saving:
        """Ask for a fresh snapshot of `url`. `heard` is told the HTTP status, also of a refusal.

        Raises RateLimited where the archive takes no more for now, Refused where it will not take this page.
        """
        answers: list[ProviderResponse] = []

        def refusal(got: ProviderResponse) -> ToolError | None:
            answers.append(got)
            heard(got.status)
            return self._to_save_error(got.body if isinstance(got.body, dict) else _object(got.body)) or self.refusal(
                got
            )

        given: dict[str, Any] = {"tries": ONCE, "expect": "start", "cap": START, "headers": self._auth_headers}
        try:
            got = await self._save_page(url, seconds=seconds, refusal=refusal, **given)
        except ToolError:  # the copy of a page that is an error itself answers with that error
            if answers and (kept := _parse_snapshot(answers[-1])):
                return Saving(kept, None, answers[-1].status)
            raise
        shown = _object(got.body)
        job = get_path(shown, "job_id") if shown else next(iter(WATCHED.findall(got.body)), None)
        return Saving(_parse_snapshot(got), job if isinstance(job, str) and JOB.fullmatch(job) else None, got.status)

    async def progress(self, job: str, url: str, seconds: float = LOOK_SECONDS) -> Saving:
        """How the capture `job` of `url` stands. Raises as `capture` does, where it has failed."""
        address = f"{self.saving}status/{job}" if self.saving else f"{MACHINE}/save/status/{job}"
        got = await self.exchange("GET", address, headers=self._auth_headers, seconds=seconds, tries=ONCE, redirects=5)
        if not isinstance(got.body, dict):
            raise TypeError("the answer is no object")
        if failure := self._to_save_error(got.body):
            raise failure
        moment = get_path(got.body, "timestamp")
        if get_path(got.body, "status") != "success" or not isinstance(moment, str):
            return Saving(None, job, got.status)
        return Saving(Snapshot(f"{MACHINE}/web/{moment}/{url}", moment), job, got.status)

    @property
    def _auth_headers(self) -> dict[str, str]:
        """Who asks, where the operator has keys: such captures are taken sooner, and answered in JSON."""
        key, secret = self.settings.key("IA_ACCESS_KEY"), self.settings.key("IA_SECRET_KEY")
        signed = {"Authorization": f"LOW {key}:{secret}"} if key and secret else {}
        return signed | {"Accept": "application/json"}

    async def _save_page(self, url: str, **given: Any) -> ProviderResponse:
        if self.saving:
            return await self.exchange("GET", self.saving, params={"url": url}, redirects=5, **given)
        return await self.exchange("GET", f"{MACHINE}/save/{quote(url, safe=IN_A_PATH)}", redirects=5, **given)

    def _to_save_error(self, body: Any) -> ToolError | None:
        """What the archive itself says went wrong, by its code."""
        if not isinstance(body, Mapping) or body.get("status") != "error":
            return None
        code = next(iter(FAULT.findall(str(body.get("status_ext") or ""))), "error:unknown")
        if any(word in code for word in LIMITS):
            return RateLimited(
                f"{self.name} takes no more captures for now ({code}).", provider=self.name, retry_after=WAIT_DEFAULT
            )
        return Refused(f"{self.name} could not capture the page ({code}).", provider=self.name)


def _object(body: Any) -> Mapping[str, Any] | None:
    """The JSON object in a body that may as well be a page."""
    if not isinstance(body, str) or not body.lstrip().startswith("{"):
        return None
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _parse_snapshot(got: ProviderResponse) -> Snapshot | None:
    """The snapshot that an answer leads to: by its address, or by what its headers call the place of its content."""
    named = [got.url, got.headers.get("location", ""), got.headers.get("content-location", "")]
    found = [KEPT.fullmatch(each) for each in (*named, *MEMENTO.findall(got.headers.get("link", "")))]
    return next((Snapshot(MACHINE + each[1], each[2]) for each in found if each), None)
