"""What every provider owes us, whatever it is asked: hits in our shape, or a failure in our words."""

import copy
import json
import logging

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.providers.samples import EXTRA, PAGES, SAMPLES, post_of
from tests.upstream import CUT, SILENT, Upstream

from assay import providers
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
from assay.models import WebQuery
from assay.net.http import Http
from assay.papers import PaperQuery
from assay.queries import ImageHit, ImageQuery, NewsQuery, Place, PlaceQuery
from assay.settings import Settings

KEY = "sooo-secret-123"
ELSEWHERE = {
    "answer",
    "structured",
    "brand",
    "voice",
    "domains",
    "patents",
    "filings",
    "series",
    "catalogue",
    "observations",
    "trials",
    "cases",
    "citations",
}  # no lists of pages: held to account in test_answers.py
OFFERS = [
    (name, operation)
    for name in providers.names()
    for operation in sorted(providers.find(name).honours)
    if operation not in ELSEWHERE
]
READS_PAGES = {"duckduckgo", "reddit"}
QUESTIONS = {
    "web": WebQuery(query="cats", num_results=10),
    "images": ImageQuery(query="cats"),
    "news": NewsQuery(query="cats"),
    "local": PlaceQuery(query="cats"),
    "academic": PaperQuery(query="cats"),
}
REQUESTS = {"local": 3, "pubmed": 2}
OWN = {  # what has no address but its own
    "bluesky": lambda _, url: f"https://bsky.app/profile/ada.bsky.social/post/{post_of(url)}",
    "pubmed": lambda number, _: f"https://pubmed.ncbi.nlm.nih.gov/{number}/",
}


@pytest.fixture(params=OFFERS, ids="-".join)
def offer(request):
    return request.param


@pytest.fixture
def source(offer, upstream, http, now):
    name, _ = offer
    kind = providers.find(name)
    environ = {kind.key_name: KEY} if kind.key_name else {}
    return kind(http, Settings(environ=environ | {f"{name.upper()}_BASE_URL": upstream.url}), clock=lambda: now)


async def asked(source, offer):
    return await source.ask(offer[1], QUESTIONS[offer[1]])


def told(hit):
    """A hit's title and the address it is about."""
    if isinstance(hit, Place):
        return hit.name, hit.website
    return hit.title, hit.link if isinstance(hit, ImageHit) else hit.url


def titles(hits):
    return [told(hit)[0] for hit in hits]


def test_every_offer_has_a_sample():
    assert set(SAMPLES) == set(OFFERS)


def test_every_offer_is_a_method_and_honours_known_fields():
    for name, operation in OFFERS:
        source = providers.find(name)
        assert callable(getattr(source, operation))
        assert source.honours[operation] <= set(providers.QUESTIONS[operation].model_fields)
        assert operation in providers.QUESTIONS


async def test_an_ordinary_answer_is_read(source, offer, upstream):
    upstream.says(SAMPLES[offer](PAGES))
    hits = await asked(source, offer)
    own = OWN.get(offer[0])
    at = [own(number, url) if own else url for number, (_, url, _) in enumerate(PAGES, 1)]
    assert [told(hit) for hit in hits] == [(title, url) for (title, _, _), url in zip(PAGES, at, strict=True)]
    if offer[1] == "web" and not own:
        assert [hit.display_link for hit in hits] == ["cats.example", "www.more.example"]
    assert len(upstream.asked) == REQUESTS.get(offer[1], REQUESTS.get(offer[0], 1))


async def test_nothing_found_is_no_failure(source, offer, upstream):
    upstream.says(SAMPLES[offer]([]))
    assert await asked(source, offer) == []


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "ftp://x.example/", "/relative", "https://", "https://a b/", "data:,x"]
)
async def test_a_row_with_another_address_than_http_is_left_out_and_counted(source, offer, upstream, url):
    if offer[0] == "hackernews" or offer[1] == "local":
        pytest.skip("a story without a usable address has its discussion, and a place need have none")
    upstream.says(SAMPLES[offer]([PAGES[0], ("Bad", url, "x"), EXTRA]))
    hits = await asked(source, offer)
    assert titles(hits) == ["Cats", "Third"]
    assert any("1 result(s)" in warning for warning in hits.warnings)


async def test_rows_of_which_none_can_be_used_are_no_answer(source, offer, upstream):
    upstream.says(SAMPLES[offer]([(None, None, None)] * 3))
    with pytest.raises(UpstreamFailed) as failure:
        await asked(source, offer)
    assert failure.value.provider == offer[0]


@pytest.mark.parametrize(
    "bad", [(None, None, None), (None, "https://x.example/", "y"), ("", "https://x.example/", None)]
)
async def test_a_row_full_of_nulls_is_left_out_and_the_others_are_kept(source, offer, upstream, bad):
    if offer[1] == "images" and bad[1]:
        pytest.skip("a picture without a title is still a picture")
    upstream.says(SAMPLES[offer]([PAGES[0], bad, EXTRA]))
    assert titles(await asked(source, offer)) == ["Cats", "Third"]


async def test_rows_that_are_no_rows_are_left_out(source, offer, upstream):
    if offer[0] in READS_PAGES:
        pytest.skip("a page has no rows of JSON")
    body = SAMPLES[offer](PAGES)
    _rows(body).extend([None, 5, "x", [], {}])
    upstream.says(body)
    assert titles(await asked(source, offer)) == ["Cats", "More cats"]


def _rows(body):
    """The longest list of objects in a sample."""
    lists = [body] if isinstance(body, list) else []
    inside = body.values() if isinstance(body, dict) else ()
    lists += [_rows(inner) for inner in inside if isinstance(inner, dict | list)]
    return max(lists, key=len, default=[])


async def test_text_is_plain(source, offer, upstream):
    upstream.says(
        SAMPLES[offer]([("Cats &amp; <b>dogs</b>\u200b\u202e", "https://x.example/", "a<script>x</script> b")])
    )
    [hit] = await asked(source, offer)
    assert told(hit)[0] == "Cats & dogs"
    assert "<script" not in hit.model_dump_json()


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"error": "invalid key"}, AuthRequired),
        ({"error": {"message": "API key not valid. Please pass a valid API key."}}, AuthRequired),
        ({"error": {"code": 429, "message": "Rate limit exceeded"}}, RateLimited),
        ({"errors": [{"message": "internal"}]}, UpstreamFailed),
        ({"error": True}, UpstreamFailed),
    ],
)
async def test_an_error_under_status_200_is_an_error(source, offer, upstream, body, error):
    if offer[0] in READS_PAGES:
        error = UpstreamFailed
    upstream.says(body)
    with pytest.raises(error) as failure:
        await asked(source, offer)
    assert failure.value.provider == offer[0]


@pytest.mark.parametrize(
    "body",
    ["<html><title>Just a moment</title></html>", "", "null", "[]", "5", '"x"', '{"results": 5, "web": 5, "hits": 5}'],
)
async def test_what_is_no_answer_of_theirs_is_an_upstream_failure(source, offer, upstream, body):
    upstream.says(body)
    with pytest.raises(UpstreamFailed) as failure:
        await asked(source, offer)
    assert failure.value.provider == offer[0]


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, Refused),
        (401, AuthRequired),
        (402, PaymentRequired),
        (403, Blocked),
        (429, RateLimited),
        (500, UpstreamFailed),
        (502, UpstreamFailed),
    ],
)
@pytest.mark.parametrize("body", [{}, {"detail": "no"}, "<html>no</html>", {"error": None}])
async def test_a_refusal_is_told_in_our_words(source, offer, upstream, status, error, body):
    upstream.says(body, status=status, retry_after="7")
    with pytest.raises(error) as failure:
        await asked(source, offer)
    assert failure.value.provider == offer[0]
    if status == 429:
        assert failure.value.retry_after == 7


@pytest.mark.parametrize("trouble", [CUT, SILENT])
async def test_no_answer_is_network_trouble(source, offer, upstream, trouble):
    source.seconds = 0.15
    upstream.says(trouble)
    with pytest.raises(Network) as failure:
        await asked(source, offer)
    assert failure.value.provider == offer[0]


@pytest.mark.parametrize("told", [(b"", 401), (b"", 500), ({"error": f"bad key {KEY}"}, 200), (CUT, 0), ("x", 200)])
async def test_the_key_is_never_told(source, offer, upstream, told, caplog):
    caplog.set_level(logging.DEBUG)
    upstream.says(*told)
    with pytest.raises(ToolError) as failure:
        await asked(source, offer)
    assert KEY not in f"{failure.value!r}{failure.value.text()}{failure.value.__cause__!r}{caplog.text}"


def test_an_unknown_provider_is_answered_with_those_there_are():
    with pytest.raises(ConfigError) as failure:
        providers.find("nobody")
    assert failure.value.alternatives == tuple(sorted(set(failure.value.alternatives))) == providers.names()
    assert "duckduckgo" in failure.value.message


def test_no_name_reaches_beyond_the_directory():
    for name in ("__init__", "../errors", "os", "assay.errors", "", "Brave"):
        with pytest.raises(ConfigError):
            providers.find(name)


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.lists(st.integers(), max_size=3),
    st.dictionaries(st.text(max_size=5), st.integers(), max_size=3),
    st.sampled_from(["<b>", "\ud800", "https://[::1", "1e999", -1, 2**70, {"a": {"a": []}}]),
)


def _places(node, path=()):
    yield path
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for name, value in inner:
        yield from _places(value, (*path, name))


def _mutated(body, data):
    body = copy.deepcopy(body)
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(list(_places(body))))
        junk = copy.deepcopy(data.draw(JUNK))  # it may be broken further in the next round
        if not path:
            return junk
        node = body
        for step in path[:-1]:
            node = node[step]
        if isinstance(node, dict) and data.draw(st.booleans()):
            del node[path[-1]]
        else:
            node[path[-1]] = junk
    return body


@given(data=st.data())
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@pytest.mark.parametrize("offer", OFFERS, ids="-".join)
async def test_no_answer_however_broken_raises_anything_but_a_tool_error(offer, data):
    name, operation = offer
    sample = SAMPLES[offer](PAGES)
    if isinstance(sample, str):
        start = data.draw(st.integers(0, len(sample)))
        end = data.draw(st.integers(start, len(sample)))
        body = (sample[:start] + data.draw(st.text(max_size=30)) + sample[end:]).encode(errors="replace")
    else:
        body = json.dumps(_mutated(sample, data)).encode()
    kind = providers.find(name)
    environ = {kind.key_name: KEY} if kind.key_name else {}
    upstream, http = await Upstream().start(), Http(pause=0)
    source = kind(http, Settings(environ=environ | {f"{name.upper()}_BASE_URL": upstream.url}))
    upstream.says(body)
    try:
        for hit in await source.ask(operation, QUESTIONS[operation]):
            title, url = told(hit)
            assert title
            assert url is None or url.startswith(("http://", "https://"))
            hit.model_dump_json().encode()
    except ToolError as failure:
        assert not isinstance(failure, InvalidInput)  # either way is right, but not this one
    finally:
        await http.close()
        await upstream.close()
