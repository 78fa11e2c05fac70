"""What lists of pages owe us besides: rows that cannot be used are left out, and what is left is plain."""

import pytest
from tests.providers.samples.pages import EXTRA, PAGES, QUESTIONS, READS_PAGES, SAMPLES, post_of, title_and_url

from assay.errors import UpstreamFailed

OWN = {  # what has no address but its own
    "bluesky": lambda _, url: f"https://bsky.app/profile/ada.bsky.social/post/{post_of(url)}",
    "pubmed": lambda number, _: f"https://pubmed.ncbi.nlm.nih.gov/{number}/",
}


@pytest.fixture(params=SAMPLES, ids="-".join)
def offer(request):
    return request.param


@pytest.fixture
def source(offer, make):
    return make(offer[0])


async def ask_provider(source, offer):
    return await source.ask(offer[1], QUESTIONS[offer[1]])


def titles(hits):
    return [title_and_url(hit)[0] for hit in hits]


async def test_each_row_of_an_ordinary_answer_is_read(source, offer, upstream):
    upstream.says(SAMPLES[offer](PAGES))
    hits = await ask_provider(source, offer)
    own = OWN.get(offer[0])
    at = [own(number, url) if own else url for number, (_, url, _) in enumerate(PAGES, 1)]
    assert [title_and_url(hit) for hit in hits] == [(title, url) for (title, _, _), url in zip(PAGES, at, strict=True)]
    if offer[1] == "web" and not own:
        assert [hit.display_link for hit in hits] == ["cats.example", "www.more.example"]


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "ftp://x.example/", "/relative", "https://", "https://a b/", "data:,x"]
)
async def test_a_row_with_another_address_than_http_is_left_out_and_counted(source, offer, upstream, url):
    if offer[0] == "hackernews" or offer[1] == "local":
        pytest.skip("a story without a usable address has its discussion, and a place need have none")
    upstream.says(SAMPLES[offer]([PAGES[0], ("Bad", url, "x"), EXTRA]))
    hits = await ask_provider(source, offer)
    assert titles(hits) == ["Cats", "Third"]
    assert any("1 result(s)" in warning for warning in hits.warnings)


async def test_rows_of_which_none_can_be_used_are_not_an_answer(source, offer, upstream):
    upstream.says(SAMPLES[offer]([(None, None, None)] * 3))
    with pytest.raises(UpstreamFailed) as failure:
        await ask_provider(source, offer)
    assert failure.value.provider == offer[0]


@pytest.mark.parametrize(
    "bad", [(None, None, None), (None, "https://x.example/", "y"), ("", "https://x.example/", None)]
)
async def test_a_row_full_of_nulls_is_left_out_and_the_others_are_kept(source, offer, upstream, bad):
    if offer[1] == "images" and bad[1]:
        pytest.skip("a picture without a title is still a picture")
    upstream.says(SAMPLES[offer]([PAGES[0], bad, EXTRA]))
    assert titles(await ask_provider(source, offer)) == ["Cats", "Third"]


async def test_rows_that_are_not_rows_are_left_out(source, offer, upstream):
    if offer[0] in READS_PAGES:
        pytest.skip("a page has no rows of JSON")
    body = SAMPLES[offer](PAGES)
    _rows(body).extend([None, 5, "x", [], {}])
    upstream.says(body)
    assert titles(await ask_provider(source, offer)) == ["Cats", "More cats"]


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
    [hit] = await ask_provider(source, offer)
    assert title_and_url(hit)[0] == "Cats & dogs"
    assert "<script" not in hit.model_dump_json()
