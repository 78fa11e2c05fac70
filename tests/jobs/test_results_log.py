"""The journal and its reports: the same line twice is one line, and no line is left out of the report."""

import asyncio
import json

import pytest

from assay.jobs import job_report, results_log
from assay.jobs.task import Task
from assay.sessions.session_keys import build_owner

OWNER = build_owner("acme", "ada")


@pytest.fixture
def finished_task(clock):
    """An errand of Ada's at its end."""

    def build(url, outcome="live", **more):
        finding = {"outcome": outcome, "endedAt": clock(), **more.pop("told", {})}
        return Task(job="link_check", tenant="acme", user="ada", url=url, requested_at=0.0, finding=finding, **more)

    return build


async def items(services, mark):
    body = await services.bucket.get(job_report.report_keys(OWNER, mark.job, mark.day).json)
    return [item["url"] for item in json.loads(body)["items"]]


async def test_what_is_noted_twice_stands_there_once(services, finished_task, timing):
    for _ in range(2):
        await results_log.record_result(services, timing, finished_task("http://a.example/"))
    [mark] = await results_log.list_stale_pages(services, "link_check")
    await job_report.write_report(services, timing, mark)
    assert await items(services, mark) == ["http://a.example/"]
    assert await results_log.list_stale_pages(services, "link_check") == []


async def test_a_line_that_comes_while_the_report_is_written_has_it_written_again(services, finished_task, timing):
    await results_log.record_result(services, timing, finished_task("http://a.example/"))
    [mark] = await results_log.list_stale_pages(services, "link_check")
    await results_log.record_result(services, timing, finished_task("http://b.example/"))  # after the mark was read
    await job_report.write_report(services, timing, mark)
    [again] = await results_log.list_stale_pages(services, "link_check")
    await job_report.write_report(services, timing, again)
    assert await items(services, again) == ["http://a.example/", "http://b.example/"]


async def test_the_same_lines_make_the_same_report(services, finished_task, timing, clock):
    for url in ("http://b.example/", "http://a.example/"):
        await results_log.record_result(services, timing, finished_task(url))
    [mark] = await results_log.list_stale_pages(services, "link_check")
    names = await job_report.write_report(services, timing, mark)
    first = [await services.bucket.get(name) for name in names]
    clock.forward(3600)
    await job_report.write_report(services, timing, mark)
    assert [await services.bucket.get(name) for name in names] == first


async def test_many_who_note_at_a_time_lose_nothing(services, finished_task, timing):
    urls = [f"http://h{n:02}.example/" for n in range(40)]
    await asyncio.gather(*(results_log.record_result(services, timing, finished_task(url)) for url in urls))
    [mark] = await results_log.list_stale_pages(services, "link_check")
    await job_report.write_report(services, timing, mark)
    assert await items(services, mark) == urls


def test_unchecked_is_neither_live_nor_dead_in_a_report():
    mark = results_log.Mark(OWNER, "link_check", "2026-11-22", "acme", 1)
    line = {"url": "http://a.example/", "outcome": "unchecked", "was": "live", "state": "due", "reason": "No time."}
    output = job_report.build_document(mark, [line])
    assert output["counts"] == {"unchecked": 1}
    text = job_report.render_markdown(output)
    assert "1 unchecked." in text
    assert "unchecked (was live)" in text
    assert "dead link" not in text


async def test_a_finding_for_a_source_that_is_gone_is_not_a_fault(services, finished_task, timing):
    await results_log.record_result(services, timing, finished_task("http://a.example/", sessions=("forgotten",)))
    assert len(await results_log.list_stale_pages(services, "link_check")) == 1
