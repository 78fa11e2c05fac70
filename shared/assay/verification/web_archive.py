"""A public copy of a source, so that what is cited can still be read when its page has changed or gone."""

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

from assay.context import Context
from assay.errors import Network, RateLimited, Refused, ToolError
from assay.net import hostname_policy, ip_policy
from assay.net.exceptions import OffLimits
from assay.net.urls import LITERAL, parse_url
from assay.providers.wayback import MACHINE, Saving, Snapshot, Wayback
from assay.state.json_documents import Document, encode
from assay.state.ports import Conflict
from assay.text.timestamps import format_utc

SECONDS = 25.0  # in which a slow capture is waited for
PAUSES = (3.0, 7.0)  # before the archive is asked again
POLL = 2.0  # seconds between two looks at a capture in work
LEAVE = 5.0  # seconds kept for the look at what the archive has already
AGAIN = 300  # seconds in which a captured page is not captured again
LEASE = 40  # seconds after which whoever began a capture and said no more is taken for dead
JOB_KEPT = 1_800  # seconds that a capture in work is asked about instead of begun anew
SINCE_KEPT = 30 * 86_400  # seconds that a request is remembered whose caller says since when it counts
SKEW = 90  # seconds that the archive's clock and ours may differ
BLIND = "It was asked for before, and the archive does not tell now what became of that."

type Turn = Callable[[float], AbstractAsyncContextManager[Any]]  # of seconds that it may be waited for
type Status = Literal["archived", "existing", "pending", "unavailable"]


class Archived(NamedTuple):
    """How a request to archive ended. Only `archived` is a fresh capture; times are RFC 3339.

    `ours`: the snapshot is of a capture that we asked for, in this call or in an earlier one.
    """

    status: Status
    snapshot_url: str | None = None
    archived_at: str | None = None
    http_status: int | None = None
    reason: str | None = None
    poll_url: str | None = None
    provenance: tuple[str, ...] = ()
    ours: bool = False


@dataclass
class _Course:
    """One call's way to a snapshot."""

    url: str
    wayback: Wayback
    began: float  # by the wall clock; by whoever asked first, where that one may have died
    until: float  # by the loop's
    pauses: Sequence[float]
    poll: float
    turn: "Turn"
    since: float | None  # a capture begun after it is the one that is asked for
    report_step: Callable[[str], Awaitable[None]]
    status: int = 0
    fault: ToolError | None = None
    job: str | None = None
    blind: bool = False  # the archive's index did not answer
    asked: int = 0  # times that Save Page Now was
    others: bool = False  # somebody else asks for the same just now
    notes: list[str] = field(default_factory=list)

    def record_status(self, status: int) -> None:
        self.status = status

    def counts(self, row: Document, now: float) -> bool:
        """What the row tells is of this request, or of one so short ago that it serves this one."""
        if self.since is not None and row["began"] >= self.since:
            return True
        return bool(now - (row["at"] if "at" in row else row["began"]) < (AGAIN if "snapshot" in row else JOB_KEPT))

    def expires_at(self, now: float, seconds: float) -> float:
        """When a row of so many seconds is forgotten."""
        return now + (seconds if self.since is None else SINCE_KEPT)

    @property
    def left(self) -> float:
        return self.until - asyncio.get_running_loop().time()

    def is_fresh(self, snapshot: Snapshot | None) -> bool:
        moment = snapshot.moment if snapshot else None
        return moment is not None and moment.timestamp() >= self.began - SKEW


async def public(ctx: Context, url: str) -> str:
    """The canonical address of a page that the public can reach. Raises InvalidInput for any other.

    ALLOW_PRIVATE_IPS opens nothing here: the archive could not reach it, and its name is nobody's business.
    """
    at = parse_url(url)
    literal = LITERAL.fullmatch(at.host) or ":" in at.host
    wrong = ip_policy.fault(at.host) if literal else hostname_policy.violation(at.host)
    if wrong is None:
        try:
            found = await ctx.services.web.gate.reach(at.host, at.port)
        except Network:  # the archive may know a name that we do not
            found = ()
        wrong = next((fault for address in found if (fault := ip_policy.fault(address))), None)
    if wrong:
        raise OffLimits(f"The URL leads to {wrong}, which nobody archives; give a public http or https URL.", wrong)
    return at.url


async def archive(
    ctx: Context,
    url: str,
    *,
    seconds: float = SECONDS,
    pauses: Sequence[float] = PAUSES,
    poll: float = POLL,
    since: float | None = None,
    turn: Turn = nullcontext,
) -> Archived:
    """Have the Internet Archive take a copy of `url` now.

    Safe to repeat, from anywhere: what is in work is waited for, what was captured within AGAIN seconds, or `since`
    that epoch second however long ago, is told again, and nothing is asked for twice. Each request to Save Page Now is
    made inside a `turn`, which raises RateLimited when none comes in time. Never raises for a slow, busy or
    absent archive; InvalidInput for an address that is not public.
    """
    url = await public(ctx, url)
    began = ctx.services.clock()
    until = asyncio.get_running_loop().time() + min(seconds, ctx.time_left() - 1)
    wayback = Wayback(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)

    async def capture() -> Archived:
        return await _capture(
            ctx, _Course(url, wayback, began, until, pauses, poll, turn, since, report_step=ctx.report_step)
        )

    return await ctx.services.flights.run(row_key(ctx, url), capture)


async def _capture(ctx: Context, course: _Course) -> Archived:
    """What the row says that others have done, else what we do."""
    await course.report_step("Asking the Internet Archive")
    key, now = row_key(ctx, course.url), ctx.services.clock()
    item = await ctx.services.table.get(key)
    row: Document = json.loads(item.value) if item else {}
    if row and not course.counts(row, now):
        row = {}
    if row.get("snapshot"):
        return _earlier(Snapshot(*row["snapshot"]))
    if row:
        course.began = row["first"] if "first" in row else row["began"]
        course.job = row.get("job")
    if course.job:
        return await _request_and_wait(ctx, course)
    if row and now - row["began"] < LEASE:
        course.others = True
        return await _fall_back_to_latest(course, None)
    claim = encode({"began": now, "first": course.began})
    until = course.expires_at(now, JOB_KEPT)
    try:
        await ctx.services.table.put(key, "-", claim, until=until, expect=item.version if item else 0)
    except Conflict:
        return await _capture(ctx, course)
    return await (_recover if row else _request_and_wait)(ctx, course)


async def _recover(ctx: Context, course: _Course) -> Archived:
    """What became of a request whose sender died before it was noted; where that was nothing, it is made again."""
    if course.is_fresh(made := await _latest(course)):
        return await _store_snapshot(ctx, course, made)
    if course.blind and course.since is not None:  # there is time to ask again when the index answers
        return Archived("pending", reason=BLIND, provenance=tuple(course.notes))
    return await _request_and_wait(ctx, course)


async def _request_and_wait(ctx: Context, course: _Course) -> Archived:
    """Ask, note what is known at once, and wait for the end as long as there is time."""
    saving = Saving(None, course.job, 0) if course.job else await _begin_capture(course)
    if saving and saving.job and not saving.snapshot:
        course.job = saving.job
        note = encode({"began": course.began, "job": saving.job})
        until = course.expires_at(ctx.services.clock(), JOB_KEPT)
        await ctx.services.table.put(row_key(ctx, course.url), "-", note, until=until)
        saving = await _await_capture(course)
    if saving and course.is_fresh(saving.snapshot):
        return await _store_snapshot(ctx, course, saving.snapshot)
    told = await _fall_back_to_latest(course, saving.snapshot if saving else None)
    is_over = told.status == "existing" or (course.fault and not course.job)
    if is_over and (course.since is None or isinstance(course.fault, Refused)):  # since then: looked for first
        await ctx.services.table.delete(row_key(ctx, course.url))  # nothing is in work: the next call may ask anew
    return told


async def _store_snapshot(ctx: Context, course: _Course, snapshot: Snapshot | None) -> Archived:
    """A fresh capture, noted so that it is not asked for again at once."""
    assert snapshot
    now = ctx.services.clock()
    note = encode({"began": course.began, "at": now, "snapshot": [*snapshot]})
    await ctx.services.table.put(row_key(ctx, course.url), "-", note, until=course.expires_at(now, AGAIN))
    return Archived(
        "archived",
        snapshot.address,
        _stamp(snapshot),
        http_status=course.status or None,
        provenance=tuple(course.notes),
        ours=True,
    )


async def _begin_capture(course: _Course) -> Saving | None:
    """The archive's answer to the request; None where it gave none, in spite of pauses."""
    for pause in (*course.pauses, None):
        try:
            async with course.turn(max(course.left - LEAVE, 0.0)):
                course.asked += 1
                seconds = max(course.left - LEAVE, 0.1)
                saving = await course.wayback.capture(course.url, seconds, heard=course.record_status)
        except ToolError as failure:
            course.fault = failure
            if isinstance(failure, Refused) or not failure.retryable or pause is None:
                break
        else:
            course.fault = None
            if saving.snapshot or saving.job or pause is None:
                course.notes.append(f"Save Page Now was asked {course.asked} time(s).")
                return saving
        wait = max(pause, (course.fault.retry_after or 0) if isinstance(course.fault, RateLimited) else 0)
        if wait >= course.left - LEAVE:
            break
        await asyncio.sleep(wait)
    course.notes.append(f"Save Page Now was asked {course.asked} time(s).")
    return None if course.fault else Saving(None, None, course.status)


async def _await_capture(course: _Course) -> Saving:
    """The end of the capture in work, or where it stands when the time is up."""
    assert course.job
    saving = Saving(None, course.job, course.status)
    course.notes.append("The capture was followed as a job of Save Page Now.")
    while course.left > LEAVE:
        await course.report_step("The archive is capturing the page")
        try:
            saving = await course.wayback.readable(course.wayback.progress(course.job, course.url))
        except Refused as refused:
            course.fault, course.job = refused, None
            return Saving(None, None, course.status)
        except ToolError as failure:
            course.notes.append(failure.sentence())
        if saving.snapshot:
            break
        await asyncio.sleep(min(course.poll, max(course.left - LEAVE, 0)))
    return saving


async def _fall_back_to_latest(course: _Course, snapshot: Snapshot | None) -> Archived:
    """Without a fresh capture of ours: the latest copy there is, or that none is confirmed."""
    snapshot = await _latest(course) or snapshot
    reason, status, notes = _reason(course), course.status or None, tuple(course.notes)
    if snapshot:
        reason += f" The latest copy the archive tells of is of {_stamp(snapshot)}."
        return Archived("existing", snapshot.address, http_status=status, reason=reason, provenance=notes)
    never_asked = course.fault is not None and not course.asked and not course.job
    if never_asked or isinstance(course.fault, Refused) or _is_out_of_reach(course.fault):
        return Archived("unavailable", http_status=status, reason=reason, provenance=notes)
    address = f"{MACHINE}/web/*/{course.url}"
    return Archived("pending", http_status=status, reason=reason, poll_url=address, provenance=notes)


async def _latest(course: _Course) -> Snapshot | None:
    """The latest copy the archive tells of; none where it does not answer, and that is noted."""
    try:
        found = await course.wayback.readable(course.wayback.closest(course.url, max(min(2.0, course.left / 2), 0.2)))
    except ToolError as failure:
        course.blind = True
        course.notes.append(f"Whether an older copy exists is not known: {failure.sentence()}")
        return None
    course.notes.append("The archive's index was asked for the latest copy.")
    return found


def _earlier(snapshot: Snapshot) -> Archived:
    again = f"a page is captured again after {AGAIN // 60} minutes."
    reason = f"An earlier call captured it at {_stamp(snapshot)}; {again}"
    told = ("Told from the record of that capture.",)
    return Archived("existing", snapshot.address, reason=reason, provenance=told, ours=True)


def _reason(course: _Course) -> str:
    if course.others:
        return "Another call asked for the same capture moments ago; it was not asked for twice."
    if course.fault:
        return f"No fresh capture: {course.fault.sentence()}"
    return "No fresh capture is confirmed yet: Save Page Now has the request, and may take minutes."


def _is_out_of_reach(fault: ToolError | None) -> bool:
    """Nothing was taken there: no connection was made, or our key was refused."""
    if isinstance(fault, Network):
        return "cannot be reached: " in fault.message and "connection was cut" not in fault.message
    return fault is not None and not fault.retryable


def _stamp(snapshot: Snapshot) -> str:
    moment = snapshot.moment or datetime.fromtimestamp(0, UTC)
    return format_utc(moment)


def row_key(ctx: Context, url: str) -> str:
    """Where a capture is noted: what one tenant archives is no other's business."""
    tenant = ctx.caller.tenant if ctx.services.settings.tenant_isolation else ""
    return "archive/" + hashlib.sha256(repr((tenant, url)).encode()).hexdigest()
