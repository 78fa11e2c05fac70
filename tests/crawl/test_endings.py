"""Every crawl ends: whoever dies, whatever is lost, and however often something is done twice."""

import asyncio
import json
import random
from collections import Counter
from dataclasses import replace

import pytest

from assay.caller import Caller
from assay.context import Context
from assay.crawl.frontier import Frontier
from assay.crawl.job import CRAWLS, CrawlJob
from assay.crawl.time_slice import TimeSlice
from assay.errors import Network
from assay.invoke import invoke
from assay.work_queue import sweeper
from assay.work_queue.job_record import ENDED, JobEnded, list_sort
from assay.work_queue.worker import Worker


@pytest.fixture
def begin(services):
    """Start a crawl that nobody works on; its id."""
    services.runs_workers = False

    async def begin_crawl(url, **asked):
        reply = await invoke("cinder_crawl", {"url": url, **asked}, Context(services, Caller()))
        assert reply.error is None, reply.error
        return reply.wire["crawlId"]

    return begin_crawl


@pytest.fixture
def status(services):
    async def read_status(crawl):
        arguments = {"id": crawl, "limit": 100}
        return (await invoke("cinder_get_crawl_status", arguments, Context(services, Caller()))).wire

    return read_status


@pytest.fixture
def web(site, page):
    """Forty pages that link each other; the address of the first."""
    for n in range(40):
        site.says(f"/{n}", page([f"/{(3 * n + step) % 40}" for step in range(1, 5)], n=n))
    return site.url + "/0"


def each_once(read_status, count):
    urls = Counter(row["url"] for row in read_status["pages"])
    assert set(urls.values()) == {1}
    assert (read_status["status"], len(urls)) == ("completed", count)
    assert (read_status["pagesFound"], read_status["pagesCrawled"], read_status["progress"]) == (count, count, 100)


async def test_workers_that_all_believe_the_crawl_theirs_log_each_page_once(services, begin, status, web, quick):
    """The lease is not what makes it right: here nobody heeds it."""
    services.settings = replace(services.settings, crawl_per_host=3)
    crawl = await begin(web, maxDepth=10)
    job = await CRAWLS.load(services.table, crawl)
    until = asyncio.get_running_loop().time() + 30
    turns = [TimeSlice(services, quick, job, until=until, careful=False).run() for _ in range(4)]
    ends = await asyncio.gather(*turns, return_exceptions=True)
    assert all(end is None or isinstance(end, JobEnded) for end in ends)
    each_once(await status(crawl), 40)


async def test_a_worker_that_comes_back_from_the_dead_changes_nothing(services, begin, status, web, quick):
    crawl = await begin(web, maxDepth=10)
    job = await CRAWLS.load(services.table, crawl)
    ghost = Frontier(services.table, job)
    await ghost.load()
    await ghost.add([(web, 1)])
    entry = ghost.take()
    await Worker(services, services.queue, quick).run()
    before = await status(crawl)
    assert await ghost.log(entry, {"status": 200, "title": "a ghost's"}) is False
    assert await status(crawl) == before
    each_once(before, 40)


async def test_turns_shorter_than_a_page_come_to_the_end_all_the_same(services, begin, status, web, quick):
    crawl = await begin(web, maxDepth=10)
    await Worker(services, services.queue, replace(quick, slice=0.01)).run()
    each_once(await status(crawl), 40)


async def test_messages_sent_ten_times_do_the_work_once(services, begin, status, site, web, quick):
    crawl = await begin(web, maxDepth=10)
    for _ in range(10):
        await services.queue.send(json.dumps({"crawl": crawl, "turn": 0}))
    await Worker(services, services.queue, replace(quick, slice=0.1)).run()
    each_once(await status(crawl), 40)
    assert max(Counter(request.path for request in site.requests).values()) == 1


async def test_a_worker_that_is_told_to_stop_hands_over_at_once(services, begin, status, web, quick):
    crawl = await begin(web, maxDepth=10)
    slow = replace(quick, lease=60.0)
    first = asyncio.ensure_future(Worker(services, services.queue, slow).run())
    while (await status(crawl))["pagesCrawled"] < 3:
        await asyncio.sleep(0.01)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    assert (await status(crawl))["status"] == "running"
    async with asyncio.timeout(60):
        await Worker(services, services.queue, slow).run()
    each_once(await status(crawl), 40)


class FailingReaders:
    """Readers that break down over one page."""

    def __init__(self, ending):
        self._ending = ending
        self.deaths = 0

    async def __call__(self, read, *given, size):
        if given[0].url.endswith(self._ending):
            self.deaths += 1
            raise RuntimeError("the worker dies here")
        return read(*given)

    def on_behalf_of(self, caller):
        return self

    def close(self):
        pass


async def test_a_page_that_kills_whoever_reads_it_is_left_out_in_the_end(services, begin, status, web, quick, caplog):
    services.readers = poison = FailingReaders("/7")
    crawl = await begin(web, maxDepth=10)
    await Worker(services, services.queue, replace(quick, lease=0.3, beat=0.1)).run()
    read_status = await status(crawl)
    [left_out] = [row for row in read_status["pages"] if row["url"].endswith("/7")]
    assert (left_out["statusCode"], poison.deaths) == (0, 4)
    assert "Skipped" in left_out["error"]
    assert (read_status["status"], read_status["pagesFound"], read_status["pagesCrawled"]) == ("completed", 40, 39)
    assert "a time slice failed" in caplog.text


async def test_a_start_page_that_kills_its_readers_fails_the_crawl(services, begin, status, web, quick):
    services.readers = FailingReaders("/0")
    crawl = await begin(web)
    await Worker(services, services.queue, replace(quick, lease=0.3, beat=0.1)).run()
    read_status = await status(crawl)
    assert read_status["status"] == "failed"
    assert "Skipped" in read_status["error"]


class FlakyTable:
    """A table that is away for one question in so many."""

    def __init__(self, table, share):
        self._table, self._share = table, share
        self._dice = random.Random(7)
        self.faults = 0

    def __getattr__(self, name):
        step = getattr(self._table, name)

        async def maybe(*args, **kwargs):
            if self._dice.random() < self._share:
                self.faults += 1
                raise Network("dynamodb does not answer.", provider="dynamodb")
            answer = await step(*args, **kwargs)
            if self._dice.random() < self._share:  # it was done, and the answer is lost
                self.faults += 1
                raise Network("dynamodb does not answer.", provider="dynamodb")
            return answer

        return maybe


async def test_a_store_that_is_away_now_and_then_costs_time_and_no_page(services, begin, status, web, quick):
    crawl = await begin(web, maxDepth=10)
    sound, moody = services.table, FlakyTable(services.table, 0.01)
    services.table = moody
    worker = Worker(services, services.queue, replace(quick, lease=0.3, beat=0.1, stuck=1.0, idle=60.0))
    running = asyncio.ensure_future(worker.run(forever=True))
    async with asyncio.timeout(300):
        while (job := await CRAWLS.load(sound, crawl)) is None or not job.is_ended:
            await asyncio.sleep(0.05)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    services.table = sound
    assert moody.faults > 0
    each_once(await status(crawl), 40)


async def test_a_crawl_whose_message_is_lost_is_called_again(services, begin, status, clock, web, quick):
    crawl = await begin(web, maxDepth=10)
    [message] = await services.queue.receive(visible=60)
    await services.queue.delete(message.receipt)
    assert await sweeper.sweep(services) == 0
    clock.forward(130)
    assert await sweeper.sweep(services) == 1
    assert await sweeper.sweep(services) == 0
    await Worker(services, services.queue, quick).run()
    each_once(await status(crawl), 40)


async def test_a_crawl_that_nobody_takes_up_is_given_up_within_twenty_minutes(services, begin, status, clock, web):
    crawl = await begin(web)
    minutes = 0
    while (job := await CRAWLS.load(services.table, crawl)) and not job.is_ended:
        clock.forward(60)
        minutes += 1
        await sweeper.sweep(services)
    read_status = await status(crawl)
    assert minutes <= 20
    assert read_status["status"] == "failed"
    assert "abandoned" in read_status["error"]
    assert read_status["hasMore"] is False
    assert await CRAWLS.list_active(services.table) == []


async def test_asking_for_the_status_is_enough_for_a_dead_crawl_to_end(begin, status, clock, web):
    crawl = await begin(web)
    for _ in range(10):
        clock.forward(125)
        read_status = await status(crawl)
    assert read_status["status"] == "failed"


async def test_what_a_dead_crawl_has_read_is_kept(services, begin, status, clock, web, quick):
    crawl = await begin(web, maxDepth=10)
    worker = asyncio.ensure_future(Worker(services, services.queue, quick).run())
    while (await status(crawl))["pagesCrawled"] < 5:
        await asyncio.sleep(0.01)
    worker.cancel()
    await asyncio.gather(worker, return_exceptions=True)
    for _ in range(12):
        clock.forward(125)
        await sweeper.sweep(services)
    read_status = await status(crawl)
    assert read_status["status"] == "failed"
    assert len(read_status["pages"]) == read_status["pagesCrawled"] >= 5


async def test_a_crawl_that_makes_progress_is_never_given_up(services, begin, clock, web, quick):
    """Its workers die again and again, and each time it has come further."""
    crawl = await begin(web, maxDepth=10)
    job = await CRAWLS.load(services.table, crawl)
    frontier = Frontier(services.table, job)
    await frontier.load()
    await frontier.add([(f"{web}?{n}", 1) for n in range(30)])
    for _ in range(25):
        clock.forward(125)
        await sweeper.sweep(services)
        await frontier.log(frontier.take(), {"status": 200})
    assert not (await CRAWLS.load(services.table, crawl)).is_ended


async def test_a_crawl_takes_no_longer_than_a_day(services, begin, status, clock, web, quick):
    crawl = await begin(web, maxDepth=10)
    worker = Worker(services, services.queue, replace(quick, slice=0.2, job=86_400))
    running = asyncio.ensure_future(worker.run())
    while (await status(crawl))["pagesCrawled"] < 3:
        await asyncio.sleep(0.01)
    clock.forward(86_401)
    await running
    read_status = await status(crawl)
    assert read_status["status"] == "completed"
    assert "24 hours" in read_status["notes"][0]


async def test_a_crawl_takes_no_more_time_slices_than_its_limit(services, begin, status, site, web, quick):
    """Its queue invokes the function that sends to it; on AWS only this bound ends such a chain."""
    site.says("/robots.txt", "User-agent: *\nCrawl-delay: 0.1", kind="text/plain")  # one page per time slice
    crawl = await begin(web, maxDepth=10)
    await Worker(services, services.queue, replace(quick, max_turns=3)).run()
    read_status = await status(crawl)
    assert (read_status["status"], read_status["pagesCrawled"]) == ("completed", 3)
    assert read_status["notes"][0] == "The crawl exceeded its limit of 3 time slices."


async def test_who_ends_a_crawl_second_changes_nothing(services, begin, web):
    job = await CRAWLS.load(services.table, await begin(web))
    first = await CRAWLS.end(services.table, job, "cancelled", services.clock(), units=0)
    second = await CRAWLS.end(services.table, job, "completed", services.clock(), units=9)
    assert second == first
    with pytest.raises(JobEnded):
        await CRAWLS.change(services.table, job, status="running")


async def test_what_is_at_its_end_is_taken_off_the_list_of_the_unfinished(services, begin, web):
    crawl = await begin(web)
    job = await CRAWLS.load(services.table, crawl)
    await CRAWLS.end(services.table, job, "completed", services.clock(), units=0)
    await services.table.put(
        CRAWLS.active_key, list_sort("local", crawl), b'{"tenant":"local"}'
    )  # whoever ended it died just then
    await services.table.put(CRAWLS.active_key, list_sort("local", "0" * 32), b'{"tenant":"local"}')
    await sweeper.sweep(services)
    assert await CRAWLS.list_active(services.table) == []


async def test_one_crawl_that_fails_touches_no_other(services, begin, status, site, page, web, quick):
    broken = type(site)()
    broken.says("/robots.txt", "User-agent: *\nDisallow: /", kind="text/plain")
    crawls = [await begin(broken.url + "/"), await begin(web, maxDepth=10), await begin(site.url + "/nothing")]
    await Worker(services, services.queue, quick).run()
    broken.close()
    read_status = [await status(crawl) for crawl in crawls]
    assert [each["status"] for each in read_status] == ["failed", "completed", "failed"]
    each_once(read_status[1], 40)


async def test_counts_add_up_at_every_moment(services, begin, status, web, quick):
    crawl = await begin(web, maxDepth=10, maxPages=25)
    worker = asyncio.ensure_future(Worker(services, services.queue, replace(quick, slice=0.2)).run())
    progress = result = 0
    while True:
        read_status = await status(crawl)
        assert read_status["pagesCrawled"] == len(read_status["pages"]) <= read_status["pagesFound"] <= 25
        assert read_status["progress"] >= progress
        assert read_status["pagesFound"] >= result
        progress, result = read_status["progress"], read_status["pagesFound"]
        if read_status["status"] == "completed":
            break
        assert progress < 100
        await asyncio.sleep(0.02)
    await worker
    assert (result, progress) == (25, 100)


def test_a_job_says_when_it_is_at_its_end():
    job = CrawlJob(id="1", tenant="t", url="http://a.org/", max_depth=1, max_pages=1, created=0, until=1)
    ends = {status: job.model_copy(update={"status": status}).is_ended for status in ("queued", "running", *ENDED)}
    assert ends == {"queued": False, "running": False, "completed": True, "failed": True, "cancelled": True}


async def test_the_jobs_of_other_tenants_cost_a_start_no_reads(services, begin, web):
    for number in range(3):
        job = CrawlJob(
            id=f"{number:032}",
            tenant="other",
            created=0.0,
            until=services.clock() + 60,
            url=web,
            max_depth=1,
            max_pages=1,
        )
        await CRAWLS.create(services.table, job)
    await begin(web)
    counted = [await CRAWLS.count_active(services.table, tenant) for tenant in ("local", "other", "oth")]
    assert counted == [1, 3, 0]
