"""The schedule's entry_point: an event names a job, and what the pass did is the answer."""

import pytest
from tests.support.lambda_context import FakeLambdaContext

from assay.bootstrap import local_services
from assay.caller import Caller
from assay.entrypoints.lambda_schedule import RetryableFailure, handler_for, run_job
from assay.errors import Network
from assay.jobs.watched_urls import list_watched, watch


async def test_an_event_runs_the_job_it_names(services, article):
    await watch(services, Caller(), [article])
    reply = await run_job({"job": "link_check"}, FakeLambdaContext(120), services)
    assert reply.error is None
    assert (reply.wire["done"], reply.wire["outcomes"]) == (1, {"live": 1})
    [result] = await list_watched(services, Caller(), ["link_check"])
    assert result["outcome"] == "live"


async def test_a_run_ends_before_its_function_does_and_the_next_goes_on(services, article):
    await watch(services, Caller(), [article])
    reply = await run_job({"job": "link_check"}, FakeLambdaContext(20), services)
    assert (reply.wire["done"], reply.wire["leftForNextTime"]) == (0, True)
    reply = await run_job({"job": "link_check"}, FakeLambdaContext(120), services)
    assert (reply.wire["done"], reply.wire["leftForNextTime"]) == (1, False)


@pytest.mark.parametrize("name", ["", "web_search", "../jobs", None, 7])
async def test_a_job_that_is_not_there_is_reported(services, name):
    reply = await run_job({"job": name}, None, services)
    assert reply.error.kind == "not_found"


class UnavailableTable:
    """A table that does not answer."""

    async def query(self, *_, **__):
        raise Network("The table is away.", retry_after=1)

    async def close(self):
        pass


def test_an_outage_is_raised_for_lambda_to_try_again(settings):
    services = local_services(settings)
    services.table = UnavailableTable()
    with pytest.raises(RetryableFailure):
        handler_for(lambda: services)({"job": "archive"}, FakeLambdaContext(60))


def test_a_job_of_no_name_is_not_tried_again(settings):
    services = local_services(settings)
    answer = handler_for(lambda: services)({"job": "nothing"}, FakeLambdaContext(60))
    assert answer["error"]["kind"] == "not_found"
