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
from assay.text.outside_json import clean_link

ARCHIVE, MACHINE = "https://archive.org", "https://web.archive.org"
LOOK_SECONDS, SAVE_SECONDS = 3.0, 20.0  # a save includes the archive's own fetch of the page
IN_A_PATH = ":/?&=%+@,;~!$'()*"
START = 256 * 1024  # bytes of the page that confirms a capture
KEPT = re.compile(r"(?:https?://[^/]+)?(/web/(\d{14})(?:[a-z]{2}_)?/\S+)")
WATCHED = re.compile(r"watchJob\(\s*[\"']([\w-]{8,80})[\"']")
JOB = re.compile(r"[\w-]{8,80}")
MEMENTO = re.compile(r"<([^<>]*/web/\d{14}[^<>]*)>[^,]*\brel=\"[^\"]*\bmemento\b")
FAULT = re.compile(r"error:[a-z-]{3,60}")
LIMITS = ("limit", "too-many", "no-access", "celery", "cannot-fetch", "service-unavailable")


SAVE_INTERVAL = 20.0  # seconds between captures: Save Page Now accepts three a minute without keys
SAVE_INTERVAL_SIGNED = 9.0  # and seven with keys


class Snapshot(NamedTuple):
    """An archived copy; `timestamp` is YYYYMMDDhhmmss in UTC."""

    url: str
    timestamp: str

    @property
    def moment(self) -> datetime | None:
        """The time of the copy; None if the archive does not state it."""
        try:
            return datetime.strptime(self.timestamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        except ValueError:
            return None

    @property
    def address(self) -> str:
        """The copy's https URL, for citation."""
        return (
            "https://" + self.url.removeprefix("http://")
            if self.url.startswith("http://web.archive.org/")
            else self.url
        )


class Saving(NamedTuple):
    """The state of a capture: finished (`snapshot`), running (`job`) or unknown. `status` is the HTTP status."""

    snapshot: Snapshot | None
    job: str | None
    status: int


class Wayback(Provider):
    """Look-ups and captures have different hosts; WAYBACK_BASE_URL replaces both."""

    name = "wayback"

    def __init__(self, *args: Any, **seams: Any) -> None:
        super().__init__(*args, **seams)
        own = self.base_url if self.base_url not in (ARCHIVE, MACHINE) else ""
        self.base_url = ""  # each request has a full URL
        self.available = f"{own}/available" if own else f"{ARCHIVE}/wayback/available"
        self.saving = f"{own}/save/" if own else ""

    async def closest(self, url: str, seconds: float = LOOK_SECONDS) -> Snapshot | None:
        """The latest snapshot; None if the archive has none."""
        options: dict[str, Any] = {"seconds": 2 * seconds + 1, "tries": RetryPolicy(2, each=seconds), "redirects": 5}
        response = await self.exchange("GET", self.available, params={"url": url}, **options)
        found = get_path(response.body, "archived_snapshots", "closest")
        if not isinstance(response.body, dict):
            raise TypeError("the answer is not an object")
        at, moment = get_path(found, "url"), get_path(found, "timestamp")
        if get_path(found, "available") is not True or not isinstance(at, str):
            return None
        at = clean_link(at)
        if not at:
            raise ValueError("the snapshot has no address")
        return Snapshot(at, moment if isinstance(moment, str) else "")

    async def capture(
        self, url: str, seconds: float = SAVE_SECONDS, *, on_status: Callable[[int], None] = lambda _: None
    ) -> Saving:
        """Request a new snapshot of `url`. `on_status` receives the HTTP status, also of an error.

        Raises RateLimited if the archive accepts no captures for now, Refused if it cannot capture this page.
        """
        answers: list[ProviderResponse] = []

        def refusal(response: ProviderResponse) -> ToolError | None:
            answers.append(response)
            on_status(response.status)
            return self._to_save_error(
                response.body if isinstance(response.body, dict) else _parse_object(response.body)
            ) or self.refusal(response)

        options: dict[str, Any] = {"tries": ONCE, "expect": "start", "cap": START, "headers": self._auth_headers}
        try:
            response = await self._save_page(url, seconds=seconds, refusal=refusal, **options)
        except ToolError:  # the copy of an error page has the status of that error
            if answers and (snapshot := _parse_snapshot(answers[-1])):
                return Saving(snapshot, None, answers[-1].status)
            raise
        status = _parse_object(response.body)
        job = get_path(status, "job_id") if status else next(iter(WATCHED.findall(response.body)), None)
        return Saving(
            _parse_snapshot(response), job if isinstance(job, str) and JOB.fullmatch(job) else None, response.status
        )

    async def progress(self, job: str, url: str, seconds: float = LOOK_SECONDS) -> Saving:
        """The state of the capture `job` of `url`. Raises as `capture` if it has failed."""
        address = f"{self.saving}status/{job}" if self.saving else f"{MACHINE}/save/status/{job}"
        response = await self.exchange(
            "GET", address, headers=self._auth_headers, seconds=seconds, tries=ONCE, redirects=5
        )
        if not isinstance(response.body, dict):
            raise TypeError("the answer is not an object")
        if failure := self._to_save_error(response.body):
            raise failure
        moment = get_path(response.body, "timestamp")
        if get_path(response.body, "status") != "success" or not isinstance(moment, str):
            return Saving(None, job, response.status)
        return Saving(Snapshot(f"{MACHINE}/web/{moment}/{url}", moment), job, response.status)

    @property
    def _auth_headers(self) -> dict[str, str]:
        """Request headers with the keys, if configured: authenticated captures have priority and JSON answers."""
        key, secret = self.settings.key("IA_ACCESS_KEY"), self.settings.key("IA_SECRET_KEY")
        signed = {"Authorization": f"LOW {key}:{secret}"} if key and secret else {}
        return signed | {"Accept": "application/json"}

    async def _save_page(self, url: str, **options: Any) -> ProviderResponse:
        if self.saving:
            return await self.exchange("GET", self.saving, params={"url": url}, redirects=5, **options)
        return await self.exchange("GET", f"{MACHINE}/save/{quote(url, safe=IN_A_PATH)}", redirects=5, **options)

    def _to_save_error(self, body: Any) -> ToolError | None:
        """The error for the archive's own error code; None if the body is not an error."""
        if not isinstance(body, Mapping) or body.get("status") != "error":
            return None
        code = next(iter(FAULT.findall(str(body.get("status_ext") or ""))), "error:unknown")
        if any(word in code for word in LIMITS):
            return RateLimited(
                f"{self.name} accepts no captures for now ({code}).", provider=self.name, retry_after=WAIT_DEFAULT
            )
        return Refused(f"{self.name} could not capture the page ({code}).", provider=self.name)


def _parse_object(body: Any) -> Mapping[str, Any] | None:
    """The JSON object in the body; None if the body is something else, such as a page."""
    if not isinstance(body, str) or not body.lstrip().startswith("{"):
        return None
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _parse_snapshot(response: ProviderResponse) -> Snapshot | None:
    """The snapshot of an answer, from its URL or its Location, Content-Location and Link headers."""
    addresses = [response.url, response.headers.get("location", ""), response.headers.get("content-location", "")]
    found = [KEPT.fullmatch(each) for each in (*addresses, *MEMENTO.findall(response.headers.get("link", "")))]
    return next((Snapshot(MACHINE + each[1], each[2]) for each in found if each), None)
