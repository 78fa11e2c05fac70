"""What every provider owes us, whatever it is asked: an answer in our shape, or a failure in our words."""

import copy
import dataclasses
import json
import logging
from importlib import import_module
from inspect import iscoroutinefunction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from tests.providers.contract_case import KEY, TOKEN, UNSAID
from tests.support.upstream import CUT, HALF, SILENT

from assay.errors import (
    AuthRequired,
    Blocked,
    ConfigError,
    InvalidInput,
    Network,
    PaymentRequired,
    RateLimited,
    Refused,
    ToolError,
    UpstreamFailed,
)
from assay.provider_base import provider, provider_lookup
from assay.provider_base.results import Hits

HERE = Path(__file__).parent


def find_offers():
    """The contract cases: the `OFFERS` of every module of `samples` and of every test of a provider."""
    paths = [*sorted(HERE.glob("samples/*.py")), *sorted(HERE.glob("test_*.py"))]
    modules = [path for path in paths if path != Path(__file__) and "\nOFFERS = [" in path.read_text()]
    return [
        offer
        for path in modules
        for offer in import_module(f"tests.{'.'.join(path.relative_to(HERE.parent).with_suffix('').parts)}").OFFERS
    ]


OFFERS = find_offers()
every_offer = pytest.mark.parametrize("offer", OFFERS, ids=str)
every_reader = pytest.mark.parametrize("offer", [offer for offer in OFFERS if offer.heeds_body], ids=str)


@pytest.fixture
def source(offer, make):
    return make(offer.name)


def to_json(found):
    """All that an answer holds, as JSON that any reader takes."""
    return json.dumps(_plain(found), allow_nan=False, ensure_ascii=False)


def _plain(found):
    if isinstance(found, BaseModel):
        return found.wire() if hasattr(found, "wire") else found.model_dump(mode="json")
    if dataclasses.is_dataclass(found):
        return dataclasses.asdict(found)
    if isinstance(found, dict):
        return {name: _plain(value) for name, value in found.items()}
    return [_plain(each) for each in found] if isinstance(found, list | tuple) else found


def honoured_filters(name):
    return set(provider_lookup.find_provider(name).supported_filters) - {
        "citations"
    }  # which says that `citing` or `edges` can be asked


def operations_of(name):
    """All that a provider can be asked: its own public coroutines."""
    own = vars(provider_lookup.find_provider(name)).items()
    return {
        each
        for each, does in own
        if iscoroutinefunction(does) and not each.startswith("_") and not hasattr(provider.Provider, each)
    }


def test_whatever_a_provider_can_be_asked_has_one_sample():
    outputs = [(offer.name, offer.operation) for offer in OFFERS]
    assert len(outputs) == len(set(outputs))
    assert set(outputs) == {
        (name, each)
        for name in provider_lookup.list_provider_names()
        for each in operations_of(name) | honoured_filters(name)
    }


def test_every_operation_is_a_method_and_honours_known_fields():
    for offer in OFFERS:
        source = provider_lookup.find_provider(offer.name)
        assert callable(getattr(source, offer.operation))
        if offer.operation in honoured_filters(offer.name):
            fields = type(offer.question).model_fields
            assert source.supported_filters[offer.operation] <= {field.alias or name for name, field in fields.items()}


@every_offer
async def test_an_ordinary_answer_is_read(source, offer, upstream):
    upstream.says(offer.sample)
    results = await offer.ask(source)
    assert offer.tells in to_json(results)
    assert len(upstream.requests) == offer.requests
    if isinstance(results, Hits):
        assert len(results) == offer.count
        assert results.warnings == []


@every_offer
async def test_upstream_is_asked_politely(source, offer, upstream):
    upstream.says(offer.sample)
    await offer.ask(source)
    assert upstream.requests[-1].method == offer.method
    assert all(one.headers["user-agent"].startswith(offer.agent) for one in upstream.requests)


@pytest.mark.parametrize("offer", [offer for offer in OFFERS if offer.nothing is not UNSAID], ids=str)
async def test_nothing_found_is_not_a_failure(source, offer, upstream):
    upstream.says(offer.nothing)
    assert await offer.ask(source) == []


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"error": "invalid key"}, AuthRequired),
        ({"error": {"message": "API key not valid. Please pass a valid API key."}}, AuthRequired),
        ({"error": {"code": 429, "message": "Rate limit exceeded"}}, RateLimited),
        ({"errors": [{"message": "internal"}]}, UpstreamFailed),
        ({"error": True}, UpstreamFailed),
    ],
    ids=range(5),
)
@every_reader
async def test_an_error_under_status_200_is_an_error(source, offer, upstream, body, error):
    upstream.says(body)
    with pytest.raises(error if offer.in_json else UpstreamFailed) as failure:
        await offer.ask(source)
    assert failure.value.provider == offer.name


NONE_OF_THEIRS = {
    "page": "<html><title>Just a moment</title></html>",
    "words": "Service unavailable",
    "empty": "",
    "null": "null",
    "number": "5",
    "string": '"x"',
    "list": "[]",
    "nulls": "[null]",
    "object": "{}",
    "numbers": json.dumps(dict.fromkeys(["answer", "count", "data", "filings", "hits", "id", "message", "observations", "organic_results", "patentFileWrapperDataBag", "posts", "result", "results", "seriess", "studies", "value", "web"], 5)),
    "deep": "[" * 100_000,
    "tags": "<a><b></a>",
    "entities": '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><x>&b;&b;&b;</x>',
    "patents": '<!DOCTYPE a [<!ENTITY x "y">]><world-patent-data>&x;</world-patent-data>',
}  # fmt: skip


@every_reader
async def test_what_is_not_an_answer_of_theirs_is_an_upstream_failure(make, offer, upstream):
    for body in [body for named, body in NONE_OF_THEIRS.items() if named not in offer.reads]:
        source = make(offer.name)
        upstream.says(body)
        with pytest.raises(UpstreamFailed) as failure:
            pytest.fail(f"{body[:100]} was read as {await offer.ask(source)}")
        assert failure.value.provider == offer.name


REFUSALS = {
    400: Refused,
    401: AuthRequired,
    402: PaymentRequired,
    403: Blocked,
    422: Refused,
    429: RateLimited,
    500: UpstreamFailed,
    502: UpstreamFailed,
    503: UpstreamFailed,
}
BODIES = ["<html>no</html>", {}, {"detail": "no"}, {"error": None}, ""]


@pytest.mark.parametrize(
    ("offer", "status", "error"),
    [(offer, status, error) for offer in OFFERS for status, error in (REFUSALS | dict(offer.refusals)).items()],
    ids=str,
)
async def test_a_refusal_is_reported_in_our_words(make, offer, upstream, status, error):
    for body in BODIES[:1] if offer.hurried and status == 429 else BODIES:
        source = make(offer.name)
        upstream.says(body, status=status, retry_after="7")
        with pytest.raises(error) as failure:
            pytest.fail(f"{body} was read as {await offer.ask(source)}")
        assert failure.value.provider == offer.name
        assert "<html" not in failure.value.text()
        if status == 429:
            assert failure.value.retry_after == 7


@pytest.mark.parametrize(
    ("offer", "trouble"),
    [(offer, each) for offer in OFFERS for each in (CUT, HALF, SILENT) if offer.heeds_body or each != HALF],
    ids=str,
)
async def test_no_answer_is_network_trouble(source, offer, upstream, trouble):
    source.seconds = 0.05
    upstream.says(trouble)
    with pytest.raises(Network) as failure:
        await offer.ask(source)
    assert failure.value.provider == offer.name


@every_offer
async def test_no_key_and_no_token_is_ever_disclosed(make, offer, upstream, caplog):
    caplog.set_level(logging.DEBUG)
    response = [({"error": f"bad key {KEY}"}, 200), ("x", 200)] if offer.heeds_body else []
    for body, status in [(b"", 401), (b"", 500), (CUT, 0), ({"error": f"bad key {KEY}"}, 400), *response]:
        source = make(offer.name)
        upstream.says(body, status)
        with pytest.raises(ToolError) as failure:
            pytest.fail(f"{body} was read as {await offer.ask(source)}")
        text = f"{failure.value!r}{failure.value.text()}{failure.value.__cause__!r}{caplog.text}"
        assert KEY not in text
        assert TOKEN["access_token"] not in text


def test_an_unknown_provider_is_answered_with_those_there_are():
    with pytest.raises(ConfigError) as failure:
        provider_lookup.find_provider("nobody")
    assert (
        failure.value.alternatives
        == tuple(sorted(set(failure.value.alternatives)))
        == provider_lookup.list_provider_names()
    )
    assert "duckduckgo" in failure.value.message


def test_no_name_reaches_beyond_the_directory():
    for name in ("__init__", "../errors", "os", "assay.errors", "", "Brave"):
        with pytest.raises(ConfigError):
            provider_lookup.find_provider(name)


ODD = ["", "<b>", "\ud800", "https://[::1", "1e999", "0:0:0:0", "2025", -1, 2**70, {}, {"a": {"a": []}}, {"0": []}, [[]], [[None]], [{}]]  # fmt: skip
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.lists(st.integers(), max_size=3),
    st.dictionaries(st.text(max_size=5), st.integers(), max_size=3),
    st.sampled_from(ODD),
)


def _places(node, path=()):
    yield path
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for name, value in inner:
        yield from _places(value, (*path, name))


def _mutate(body, draw):
    body = copy.deepcopy(body)
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(list(_places(body))))
        junk = copy.deepcopy(draw(JUNK))  # it may be broken further in the next round
        if not path:
            return junk
        node = body
        for step in path[:-1]:
            node = node[step]
        if isinstance(node, dict) and draw(st.booleans()):
            del node[path[-1]]
        else:
            node[path[-1]] = junk
    return body


@st.composite
def broken(draw, sample):
    """An ordinary answer with something in it replaced, a little or a lot."""
    if not isinstance(sample, str):
        return json.dumps(_mutate(sample, draw)).encode()
    start = draw(st.integers(0, len(sample)))
    end = draw(st.integers(start, len(sample)) | st.integers(start, min(len(sample), start + 40)))
    return (sample[:start] + draw(st.text(max_size=30)) + sample[end:]).encode(errors="replace")


@given(data=st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@every_offer
async def test_no_answer_however_broken_raises_anything_but_a_tool_error(offer, make, upstream, data):
    body = data.draw(broken(offer.sample))
    upstream.reset()
    source = make(offer.name)
    upstream.says(body)
    try:
        result = await offer.ask(source)
    except ToolError as failure:
        assert failure.message
        assert not isinstance(failure, InvalidInput)  # either way is right, but not this one
    else:
        assert offer.raw or to_json(result).encode()
        for each in result if isinstance(result, list) else []:
            offer.sound(each)
