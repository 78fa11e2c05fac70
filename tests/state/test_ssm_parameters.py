"""Parameters in SSM: read together, again after five minutes, and in force while SSM fails."""

import json

import boto3
import pytest
from botocore.awsrequest import AWSResponse
from botocore.config import Config
from tests.support.table_factories import FAKE

from assay.aws.service_calls import ServiceCalls
from assay.aws.ssm import ParameterCache
from assay.errors import DependencyUnavailable, Misconfigured

ONCE = Config(retries={"mode": "standard", "total_max_attempts": 1})


class ParameterStore:
    """SSM with two parameters. It refuses requests with the codes in `refusals`, first come first served."""

    def __init__(self):
        self.client = boto3.client("ssm", config=ONCE, **FAKE)
        self.requests, self.refusals, self.now, self.stale = 0, [], 0.0, 0
        self.put("/assay/keys", "keys one")
        self.put("/assay/settings", "settings one")
        self.client.meta.events.register("before-send.ssm.GetParameters", self._answer)

    def put(self, name, value):
        self.client.put_parameter(Name=name, Value=value, Type="SecureString", Overwrite=True)

    def _answer(self, **_):
        self.requests += 1
        if not self.refusals:
            return None
        code, status = self.refusals.pop(0)
        body = json.dumps({"__type": code, "message": "no"}).encode()

        class Raw:
            def stream(self, *_, **__):
                yield body

        return AWSResponse("http://127.0.0.1/", status, {}, Raw())

    def open_cache(self):
        def count():
            self.stale += 1

        def sleep(seconds):
            self.now += seconds

        remote = ServiceCalls("ssm", self.client)
        cache = ParameterCache(remote, clock=lambda: self.now, sleep=sleep, on_stale=count)
        cache.declare("ASSAY_API_KEYS", "/assay/keys")
        cache.declare("ASSAY_SETTINGS", "/assay/settings")
        return cache


@pytest.fixture
def store(moto):
    return ParameterStore()


THROTTLED, BROKEN, DENIED = ("ThrottlingException", 400), ("InternalServerError", 500), ("AccessDeniedException", 400)


def test_one_request_reads_all_parameters_and_serves_for_five_minutes(store):
    cache = store.open_cache()
    assert (cache.read("/assay/keys"), cache.read("/assay/settings")) == ("keys one", "settings one")
    store.put("/assay/keys", "keys two")
    store.now += 299
    assert (cache.read("/assay/keys"), store.requests) == ("keys one", 1)
    store.now += 2
    assert (cache.read("/assay/keys"), cache.read("/assay/settings"), store.requests) == (
        "keys two",
        "settings one",
        2,
    )


@pytest.mark.parametrize("refusal", [THROTTLED, BROKEN, DENIED])
def test_earlier_texts_remain_in_force_while_ssm_fails_and_the_failure_is_counted(store, refusal):
    cache = store.open_cache()
    cache.read("/assay/keys")
    store.put("/assay/keys", "keys two")
    store.now += 301
    store.refusals = [refusal] * 1000
    assert cache.read("/assay/keys") == "keys one"
    asked = store.requests
    assert (cache.read("/assay/settings"), store.stale, store.requests) == ("settings one", 1, asked)
    store.refusals = []
    store.now += 31
    assert cache.read("/assay/keys") == "keys two"


def test_a_first_read_waits_for_its_turn_while_ssm_throttles(store):
    store.refusals = [THROTTLED] * 5
    assert store.open_cache().read("/assay/keys") == "keys one"
    assert store.now < 25


@pytest.mark.parametrize("refusal", [THROTTLED, BROKEN])
def test_without_earlier_texts_a_failing_ssm_is_an_outage_that_callers_may_retry(store, refusal):
    store.refusals = [refusal] * 1000
    with pytest.raises(DependencyUnavailable) as failure:
        store.open_cache().read("/assay/keys")
    assert (failure.value.status, failure.value.retryable, failure.value.retry_after) == (503, True, 5)
    assert store.now <= 25


def test_a_refused_read_is_a_fault_of_the_deployment_that_names_the_parameters(store):
    store.refusals = [DENIED]
    with pytest.raises(Misconfigured, match=r"AccessDeniedException.*/assay/keys, /assay/settings") as failure:
        store.open_cache().read("/assay/keys")
    assert failure.value.status == 500


def test_a_parameter_that_does_not_exist_is_named_and_not_asked_for_at_every_call(store):
    cache = store.open_cache()
    cache.declare("ASSAY_API_KEYS", "/assay/none")
    for _ in range(3):
        with pytest.raises(Misconfigured, match="/assay/none that ASSAY_API_KEYS names"):
            cache.read("/assay/none")
    assert store.requests == 1
    assert cache.read("/assay/keys") == "keys one"
