"""The crawl worker: takes messages one by one and sends heartbeats, so that another worker can take over."""

import asyncio
import json
import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from assay.context import Services
from assay.crawl import job as jobs
from assay.crawl import sweeper
from assay.crawl.crawl_timing import LOCAL_TIMING, CrawlTiming
from assay.crawl.job import CrawlJob, JobEnded, Lease
from assay.crawl.time_slice import TimeSlice
from assay.errors import ToolError
from assay.state.ports import Conflict, Queue, QueueMessage

log = logging.getLogger("assay")
AT_ONCE = 4  # concurrent crawls per process; each may read several pages
WAIT = 20.0  # seconds that one poll of the queue may take
TROUBLE = 5.0  # seconds between retries when the queue fails
BESIDE = "crawls"

type Stay = Callable[[float], Awaitable[None]]  # extends the message's visibility timeout by seconds


def ensure(services: Services, terms: CrawlTiming = LOCAL_TIMING) -> None:
    """Start the background worker if this process runs one."""
    running = services.background_tasks.get(BESIDE)
    if services.runs_workers and services.queue is not None and (running is None or running.done()):
        services.background_tasks[BESIDE] = asyncio.create_task(Worker(services, services.queue, terms).run())


async def process_message(
    services: Services, terms: CrawlTiming, body: str, *, receives: int, seconds: float, stay: Stay
) -> float:
    """Work on a message's job for up to `seconds`.

    Return 0.0 if the message is done, otherwise the seconds after which to deliver it again.
    """
    told = json.loads(body)
    job = await jobs.load(services.table, told["crawl"])
    if job is None or job.is_ended or told["turn"] < job.turn:
        return 0.0
    lease = Lease(services.table, job.id, secrets.token_hex(4))
    if wait := await lease.take(services.clock(), terms.lease, job.until):
        return wait
    pause: float | None = None
    try:
        job = await jobs.change(services.table, job, status="running", turn=told["turn"])
        until = asyncio.get_running_loop().time() + min(seconds, terms.slice)
        async with _alive(services, terms, job, lease, stay):
            pause = await TimeSlice(services, terms, job, until=until, careful=receives > 1).run()
    except JobEnded:
        pause = None
    finally:
        await asyncio.shield(lease.leave(services.clock(), job.until))
    if pause is not None:
        assert services.queue is not None
        await services.queue.send(json.dumps({"crawl": job.id, "turn": job.turn + 1}), delay=pause)
    return 0.0


@asynccontextmanager
async def _alive(
    services: Services, terms: CrawlTiming, job: CrawlJob, lease: Lease, stay: Stay
) -> AsyncIterator[None]:
    """Send heartbeats meanwhile. Raises JobEnded if another worker has taken the job."""
    worker = asyncio.current_task()
    assert worker is not None
    lost = False

    async def beat() -> None:
        nonlocal lost
        while True:
            await asyncio.sleep(terms.beat)
            try:
                await lease.renew(services.clock(), terms.lease, job.until)
                await stay(terms.lease * 1.5)
            except Conflict:
                lost = True
                worker.cancel()
                return
            except ToolError as trouble:  # the next heartbeat may succeed; without one the lease expires
                log.warning("a crawl heartbeat failed: %s", trouble.sentence())

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

    def __init__(self, services: Services, queue: Queue, terms: CrawlTiming = LOCAL_TIMING) -> None:
        self._services, self._queue, self._terms = services, queue, terms
        self._tasks: set[asyncio.Task[None]] = set()
        self._busy_at = 0.0

    async def run(self, *, forever: bool = False) -> None:
        """Work until the queue stays empty and no crawl is unfinished, or until cancelled."""
        loop = asyncio.get_running_loop()
        self._busy_at = swept = loop.time()
        try:
            while True:
                await self._next()
                if loop.time() - swept > self._terms.sweep:
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
        if len(self._tasks) >= AT_ONCE:
            await asyncio.wait(self._tasks, timeout=WAIT, return_when=asyncio.FIRST_COMPLETED)
            return
        try:
            wait = min(WAIT, self._terms.sweep, self._terms.idle)
            messages = await self._queue.receive(visible=self._terms.lease * 1.5, wait=wait)
        except ToolError as trouble:
            log.warning("the crawl queue failed: %s", trouble.sentence())
            await asyncio.sleep(TROUBLE)
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
            log.error("a crawl time slice failed", exc_info=failure)

    async def _work(self, message: QueueMessage) -> None:
        async def stay(seconds: float) -> None:
            await self._queue.extend(message.receipt, seconds)

        try:
            again = await process_message(
                self._services,
                self._terms,
                message.body,
                receives=message.receives,
                seconds=self._terms.slice,
                stay=stay,
            )
        except asyncio.CancelledError:
            await asyncio.shield(
                self._queue.extend(message.receipt, 0)
            )  # on shutdown another worker may continue at once
            raise
        if again:
            await self._queue.extend(message.receipt, again)
        else:
            await self._queue.delete(message.receipt)

    async def _sweep(self) -> None:
        try:
            await sweeper.sweep(self._services, self._terms)
        except ToolError as trouble:
            log.warning("the search for stuck crawls failed: %s", trouble.sentence())

    async def _is_idle(self) -> bool:
        if self._tasks or asyncio.get_running_loop().time() - self._busy_at < self._terms.idle:
            return False
        return not await jobs.list_active(self._services.table)
