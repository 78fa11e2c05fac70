"""The worker of all kinds of jobs: takes messages one by one and sends heartbeats, so that another can take over."""

import asyncio
import json
import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from assay.errors import ToolError
from assay.services import Services
from assay.state.ports import Conflict, Queue, QueueMessage
from assay.work_queue import sweeper
from assay.work_queue.job_kinds import MODULES, JobKind, TimeShare, find_kind, list_kinds
from assay.work_queue.job_limits import end_at_limit, find_exceeded_limit
from assay.work_queue.job_record import Job, JobEnded, Lease
from assay.work_queue.job_removal import delete_leftovers
from assay.work_queue.work_timing import LOCAL_TIMING, WorkTiming

log = logging.getLogger("assay")
MAX_DELAY = 900.0  # seconds that a queue can delay a message
MAX_JOBS = 4  # concurrent jobs per process; each may read several pages
POLL_SECONDS = 20.0  # seconds that one poll of the queue may take
QUEUE_RETRY_SECONDS = 5.0  # seconds between retries when the queue fails
TASK_NAME = "jobs"

type ExtendVisibility = Callable[[float], Awaitable[None]]  # extends the message's visibility timeout by seconds


def ensure(services: Services, timing: WorkTiming = LOCAL_TIMING) -> None:
    """Start the background worker if this process runs one."""
    running = services.background_tasks.get(TASK_NAME)
    if services.runs_workers and services.queue is not None and (running is None or running.done()):
        services.background_tasks[TASK_NAME] = asyncio.create_task(Worker(services, services.queue, timing).run())


async def process_message(
    services: Services, timing: WorkTiming, body: str, *, receives: int, seconds: float, extend: ExtendVisibility
) -> float:
    """Work on a message's job for up to `seconds`.

    Return 0.0 if the message is done, otherwise the seconds after which to deliver it again.
    """
    message = json.loads(body)
    name = next(name for name in MODULES if name in message)
    kind = find_kind(name)
    jobs = kind.jobs
    job = await jobs.load(services.table, message[name])
    if job is None:  # it has expired, or its person was erased and then a worker died
        await delete_leftovers(services, jobs.key_of(message[name]))
        return 0.0
    if job.is_ended or message["turn"] < job.turn:
        return 0.0
    if (early := job.due - services.clock()) > 0:
        await send_later(services, jobs.build_message(job.id, message["turn"]), early)
        return 0.0
    lease = Lease(services.table, jobs.key_of(job.id), secrets.token_hex(4))
    if wait := await lease.take(services.clock(), timing.lease, job.until):
        return wait
    until = asyncio.get_running_loop().time() + min(seconds, timing.slice)
    try:
        job = await jobs.change(services.table, job, status="running", turn=message["turn"])
        async with _send_heartbeats(services, timing, job, lease, extend):
            pause = await _run_slice(services, kind, job, TimeShare(timing, until, receives > 1))
    except JobEnded:
        pause = None
    finally:
        await asyncio.shield(lease.release(services.clock(), job.until))
    if pause is not None:
        await send_later(services, jobs.build_message(job.id, job.turn + 1), pause)
    if await jobs.load(services.table, job.id) is None:  # its person was erased beside this time slice
        await delete_leftovers(services, jobs.key_of(job.id), kind.list_objects(job))
    return 0.0


async def _run_slice(services: Services, kind: JobKind, job: Any, share: TimeShare) -> float | None:
    """Run the time slice, or end the job at a limit; return the seconds until the next slice, None without one."""
    if limit := find_exceeded_limit(kind, share.timing, job, services.clock()):
        await end_at_limit(services, kind, job, limit)
        return None
    return await kind.run_slice(services, job, share)


async def send_later(services: Services, body: str, seconds: float) -> None:
    """Send the message after `seconds`, or after the longest delay of the queue: then its job sends it once more."""
    if services.queue is not None:
        await services.queue.send(body, delay=min(seconds, MAX_DELAY))


@asynccontextmanager
async def _send_heartbeats(
    services: Services, timing: WorkTiming, job: Job, lease: Lease, extend: ExtendVisibility
) -> AsyncIterator[None]:
    """Send heartbeats meanwhile. Raises JobEnded if another worker has taken the job."""
    worker = asyncio.current_task()
    assert worker is not None
    lost = False

    async def beat() -> None:
        nonlocal lost
        while True:
            await asyncio.sleep(timing.beat)
            try:
                await lease.renew(services.clock(), timing.lease, job.until)
                await extend(timing.lease * 1.5)
            except Conflict:
                lost = True
                worker.cancel()
                return
            except ToolError as failure:  # the next heartbeat may succeed; without one the lease expires
                log.warning("a heartbeat failed: %s", failure.sentence())

    beating = asyncio.create_task(beat())
    try:
        yield
    except asyncio.CancelledError:
        if not lost:
            raise
        worker.uncancel()
        raise JobEnded from None
    finally:
        beating.cancel()


class Worker:
    """The worker of a process."""

    def __init__(self, services: Services, queue: Queue, timing: WorkTiming = LOCAL_TIMING) -> None:
        self._services, self._queue, self._timing = services, queue, timing
        self._tasks: set[asyncio.Task[None]] = set()
        self._busy_at = 0.0

    async def run(self, *, forever: bool = False) -> None:
        """Work until the queue stays empty and no job is unfinished, or until cancelled."""
        loop = asyncio.get_running_loop()
        self._busy_at = swept = loop.time()
        try:
            while True:
                await self._next()
                if loop.time() - swept > self._timing.sweep:
                    swept = loop.time()
                    await self._sweep()
                if not forever and await self._is_idle():
                    return
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _next(self) -> None:
        """Take a message once a slot is free."""
        if len(self._tasks) >= MAX_JOBS:
            await asyncio.wait(self._tasks, timeout=POLL_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            return
        try:
            wait = min(POLL_SECONDS, self._timing.sweep, self._timing.idle)
            messages = await self._queue.receive(visible=self._timing.lease * 1.5, wait=wait)
        except ToolError as failure:
            log.warning("the queue of jobs failed: %s", failure.sentence())
            await asyncio.sleep(QUEUE_RETRY_SECONDS)
            return
        for message in messages:
            self._busy_at = asyncio.get_running_loop().time()
            task = asyncio.create_task(self._work(message))
            self._tasks.add(task)
            task.add_done_callback(self._on_task_done)

    def _on_task_done(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        self._busy_at = asyncio.get_running_loop().time()
        if not task.cancelled() and (failure := task.exception()):
            # The message is delivered again; after repeated failures it is a dead letter and the sweeper ends the job.
            log.error("a time slice failed", exc_info=failure)

    async def _work(self, message: QueueMessage) -> None:
        async def extend(seconds: float) -> None:
            await self._queue.extend(message.receipt, seconds)

        try:
            delay = await process_message(
                self._services,
                self._timing,
                message.body,
                receives=message.receives,
                seconds=self._timing.slice,
                extend=extend,
            )
        except asyncio.CancelledError:
            await asyncio.shield(
                self._queue.extend(message.receipt, 0)
            )  # on shutdown another worker may continue at once
            raise
        if delay:
            await self._queue.extend(message.receipt, delay)
        else:
            await self._queue.delete(message.receipt)

    async def _sweep(self) -> None:
        try:
            await sweeper.sweep(self._services, self._timing)
        except ToolError as failure:
            log.warning("the search for stuck jobs failed: %s", failure.sentence())

    async def _is_idle(self) -> bool:
        if self._tasks or asyncio.get_running_loop().time() - self._busy_at < self._timing.idle:
            return False
        for kind in list_kinds():
            if await kind.jobs.list_active(self._services.table):
                return False
        return True
