"""Saves a page in the Internet Archive (Save Page Now 2), so that a citation stays readable if the page changes."""

import asyncio
import hashlib
import json
from collections.abc import Sequence
from contextlib import nullcontext
from datetime import UTC, datetime

from assay.context import Context
from assay.errors import Network, RateLimited, Refused, ToolError
from assay.net import hostname_policy, ip_policy
from assay.net.exceptions import OffLimits
from assay.net.urls import LITERAL, parse_url
from assay.providers.wayback import MACHINE, Saving, Snapshot, Wayback
from assay.state.json_documents import Document, encode
from assay.state.ports import Conflict
from assay.text.timestamps import format_utc
from assay.verification.capture_request import (
    PENDING_TTL,
    RECAPTURE_SECONDS,
    AcquireSlot,
    ArchiveResult,
    CaptureRequest,
)

SECONDS = 25.0  # time limit for a slow capture
RETRY_PAUSES = (3.0, 7.0)  # before each new request to the archive
POLL_SECONDS = 2.0  # seconds between two status requests
LOOKUP_RESERVE = 5.0  # seconds reserved for the look-up of an existing snapshot
LEASE_SECONDS = 40  # seconds without an update after which the process that began a capture is considered dead
RESULT_UNKNOWN = "A capture was requested before; the archive does not report its result at the moment."


async def require_public_url(ctx: Context, url: str) -> str:
    """Return the canonical URL of a publicly reachable page. Raises InvalidInput for any other.

    ALLOW_PRIVATE_IPS has no effect here: the archive cannot reach private addresses, and internal names must not leak.
    """
    at = parse_url(url)
    literal = LITERAL.fullmatch(at.host) or ":" in at.host
    violation = ip_policy.find_violation(at.host) if literal else hostname_policy.find_violation(at.host)
    if violation is None:
        try:
            addresses = await ctx.services.web.guard.check_host(at.host, at.port)
        except Network:  # the archive may resolve a name that this host cannot
            addresses = ()
        violation = next((fault for address in addresses if (fault := ip_policy.find_violation(address))), None)
    if violation:
        raise OffLimits(
            f"The URL leads to {violation}, which cannot be archived; give a public http or https URL.", violation
        )
    return at.url


async def archive(
    ctx: Context,
    url: str,
    *,
    seconds: float = SECONDS,
    pauses: Sequence[float] = RETRY_PAUSES,
    poll: float = POLL_SECONDS,
    since: float | None = None,
    acquire_slot: AcquireSlot = nullcontext,
) -> ArchiveResult:
    """Request a capture of `url` from the Internet Archive and wait for it up to `seconds`.

    The call is idempotent across processes: it waits for a pending capture and returns one that was made within
    `RECAPTURE_SECONDS` or after the epoch second `since`. Each request to Save Page Now runs inside `acquire_slot`,
    which raises RateLimited if no slot is free in time. A slow, busy or unavailable archive does not raise; a URL that
    is not public raises InvalidInput.
    """
    url = await require_public_url(ctx, url)
    began = ctx.services.clock()
    until = asyncio.get_running_loop().time() + min(seconds, ctx.time_left() - 1)
    wayback = Wayback(ctx.services.http, ctx.services.settings, clock=ctx.services.clock)

    async def capture() -> ArchiveResult:
        return await _capture(
            ctx,
            CaptureRequest(url, wayback, began, until, pauses, poll, acquire_slot, since, report_step=ctx.report_step),
        )

    return await ctx.services.flights.run(row_key(ctx, url), capture)


async def _capture(ctx: Context, request: CaptureRequest) -> ArchiveResult:
    """Continue from the stored row if another process has begun the capture, else begin it."""
    await request.report_step("Asking the Internet Archive")
    key, now = row_key(ctx, request.url), ctx.services.clock()
    item = await ctx.services.table.get(key)
    row: Document = json.loads(item.value) if item else {}
    if row and not request.is_usable(row, now):
        row = {}
    if row.get("snapshot"):
        return _from_stored_snapshot(Snapshot(*row["snapshot"]))
    if row:
        request.began = row["first"] if "first" in row else row["began"]
        request.job = row.get("job")
    if request.job:
        return await _request_and_wait(ctx, request)
    if row and now - row["began"] < LEASE_SECONDS:
        request.is_requested_elsewhere = True
        return await _fall_back_to_latest(request, None)
    claim = encode({"began": now, "first": request.began})
    until = request.expires_at(now, PENDING_TTL)
    try:
        await ctx.services.table.put(key, "-", claim, until=until, expect=item.version if item else 0)
    except Conflict:
        return await _capture(ctx, request)
    return await (_recover if row else _request_and_wait)(ctx, request)


async def _recover(ctx: Context, request: CaptureRequest) -> ArchiveResult:
    """Find the result of a request whose process died before storing it; request again if there is none."""
    if request.is_fresh(snapshot := await _find_latest(request)):
        return await _store_snapshot(ctx, request, snapshot)
    if request.index_failed and request.since is not None:  # a later call can ask the index again
        return ArchiveResult("pending", reason=RESULT_UNKNOWN, provenance=tuple(request.notes))
    return await _request_and_wait(ctx, request)


async def _request_and_wait(ctx: Context, request: CaptureRequest) -> ArchiveResult:
    """Request the capture, store its job id at once, and poll it while time remains."""
    saving = Saving(None, request.job, 0) if request.job else await _begin_capture(request)
    if saving and saving.job and not saving.snapshot:
        request.job = saving.job
        note = encode({"began": request.began, "job": saving.job})
        until = request.expires_at(ctx.services.clock(), PENDING_TTL)
        await ctx.services.table.put(row_key(ctx, request.url), "-", note, until=until)
        saving = await _await_capture(request)
    if saving and request.is_fresh(saving.snapshot):
        return await _store_snapshot(ctx, request, saving.snapshot)
    result = await _fall_back_to_latest(request, saving.snapshot if saving else None)
    is_over = result.status == "existing" or (request.fault and not request.job)
    if is_over and (
        request.since is None or isinstance(request.fault, Refused)
    ):  # with `since`, the next call first looks for the capture
        await ctx.services.table.delete(
            row_key(ctx, request.url)
        )  # nothing is pending, so the next call may request again
    return result


async def _store_snapshot(ctx: Context, request: CaptureRequest, snapshot: Snapshot | None) -> ArchiveResult:
    """Store a fresh capture, so that it is not requested again at once."""
    assert snapshot
    now = ctx.services.clock()
    note = encode({"began": request.began, "at": now, "snapshot": [*snapshot]})
    await ctx.services.table.put(row_key(ctx, request.url), "-", note, until=request.expires_at(now, RECAPTURE_SECONDS))
    return ArchiveResult(
        "archived",
        snapshot.address,
        _stamp(snapshot),
        http_status=request.status or None,
        provenance=tuple(request.notes),
        is_own_capture=True,
    )


async def _begin_capture(request: CaptureRequest) -> Saving | None:
    """Request the capture with retries; return None if the archive gave no answer."""
    for pause in (*request.pauses, None):
        try:
            async with request.acquire_slot(max(request.left - LOOKUP_RESERVE, 0.0)):
                request.requests_sent += 1
                seconds = max(request.left - LOOKUP_RESERVE, 0.1)
                saving = await request.wayback.capture(request.url, seconds, on_status=request.record_status)
        except ToolError as failure:
            request.fault = failure
            if isinstance(failure, Refused) or not failure.retryable or pause is None:
                break
        else:
            request.fault = None
            if saving.snapshot or saving.job or pause is None:
                request.notes.append(f"Save Page Now was asked {request.requests_sent} time(s).")
                return saving
        wait = max(pause, (request.fault.retry_after or 0) if isinstance(request.fault, RateLimited) else 0)
        if wait >= request.left - LOOKUP_RESERVE:
            break
        await asyncio.sleep(wait)
    request.notes.append(f"Save Page Now was asked {request.requests_sent} time(s).")
    return None if request.fault else Saving(None, None, request.status)


async def _await_capture(request: CaptureRequest) -> Saving:
    """Poll the pending capture until it ends or the time is up."""
    assert request.job
    saving = Saving(None, request.job, request.status)
    request.notes.append("The capture was polled as a Save Page Now job.")
    while request.left > LOOKUP_RESERVE:
        await request.report_step("The archive is capturing the page")
        try:
            saving = await request.wayback.readable(request.wayback.progress(request.job, request.url))
        except Refused as refused:
            request.fault, request.job = refused, None
            return Saving(None, None, request.status)
        except ToolError as failure:
            request.notes.append(failure.sentence())
        if saving.snapshot:
            break
        await asyncio.sleep(min(request.poll, max(request.left - LOOKUP_RESERVE, 0)))
    return saving


async def _fall_back_to_latest(request: CaptureRequest, snapshot: Snapshot | None) -> ArchiveResult:
    """Without a fresh capture, return the latest existing snapshot, else a pending or unavailable result."""
    snapshot = await _find_latest(request) or snapshot
    reason, status, notes = _describe_outcome(request), request.status or None, tuple(request.notes)
    if snapshot:
        reason += f" The latest copy in the archive is from {_stamp(snapshot)}."
        return ArchiveResult("existing", snapshot.address, http_status=status, reason=reason, provenance=notes)
    never_asked = request.fault is not None and not request.requests_sent and not request.job
    if never_asked or isinstance(request.fault, Refused) or _is_out_of_reach(request.fault):
        return ArchiveResult("unavailable", http_status=status, reason=reason, provenance=notes)
    address = f"{MACHINE}/web/*/{request.url}"
    return ArchiveResult("pending", http_status=status, reason=reason, poll_url=address, provenance=notes)


async def _find_latest(request: CaptureRequest) -> Snapshot | None:
    """Return the latest snapshot in the archive's index; if the index does not answer, note it and return None."""
    try:
        snapshot = await request.wayback.readable(
            request.wayback.closest(request.url, max(min(2.0, request.left / 2), 0.2))
        )
    except ToolError as failure:
        request.index_failed = True
        request.notes.append(f"Whether an older copy exists is not known: {failure.sentence()}")
        return None
    request.notes.append("The archive's index was asked for the latest copy.")
    return snapshot


def _from_stored_snapshot(snapshot: Snapshot) -> ArchiveResult:
    interval = f"a page is captured again after {RECAPTURE_SECONDS // 60} minutes."
    reason = f"An earlier call captured it at {_stamp(snapshot)}; {interval}"
    provenance = ("Taken from the stored record of that capture.",)
    return ArchiveResult("existing", snapshot.address, reason=reason, provenance=provenance, is_own_capture=True)


def _describe_outcome(request: CaptureRequest) -> str:
    if request.is_requested_elsewhere:
        return "Another call requested the same capture moments ago, so no second request was sent."
    if request.fault:
        return f"No fresh capture: {request.fault.sentence()}"
    return "No fresh capture is confirmed yet: Save Page Now has the request and may need minutes."


def _is_out_of_reach(fault: ToolError | None) -> bool:
    """Return whether the request never reached the archive, or was refused for good."""
    if isinstance(fault, Network):
        return "cannot be reached: " in fault.message and "connection was cut" not in fault.message
    return fault is not None and not fault.retryable


def _stamp(snapshot: Snapshot) -> str:
    moment = snapshot.moment or datetime.fromtimestamp(0, UTC)
    return format_utc(moment)


def row_key(ctx: Context, url: str) -> str:
    """Return the key of the stored capture state; it includes the tenant if tenants are isolated."""
    tenant = ctx.caller.tenant if ctx.services.settings.tenant_isolation else ""
    return "archive/" + hashlib.sha256(repr((tenant, url)).encode()).hexdigest()
