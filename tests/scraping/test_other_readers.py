"""Third-party tiers (Jina, Exa): when they are used, and what is never disclosed to them."""

import json

import pytest
from tests.support.pages import RIVER, WALL, WEIR

from assay.caller import Caller
from assay.context import Context
from assay.invoke import invoke
from assay.settings import Settings


def requested_paths(site):
    return [one.path for one in site.requests]


@pytest.fixture
async def elsewhere(environ, site, clock, tmp_path):
    """Services for which `public.example` is a public host, led to the site; and those that ask Exa or Jina."""
    from assay.bootstrap import local_services

    created = []

    async def resolve(host, port):
        return ["93.184.216.34" if host == "public.example" else "127.0.0.1"]

    def make(**more):
        response = environ | {"ASSAY_HOME": str(tmp_path / f"home{len(created)}"), "EXA_BASE_URL": site.url + "/exa",
                          "JINA_BASE_URL": site.url + "/jina"} | more  # fmt: skip
        services = local_services(Settings.read(response), clock)
        port = int(site.url.rpartition(":")[2])
        services.web_overrides |= {"resolve": resolve, "connect": lambda *_: ("127.0.0.1", port)}
        created.append(services)
        return services

    yield make
    for services in created:
        await services.close()


async def scrape(services, url, **more):
    return await invoke("scrape_page", {"url": url} | more, Context(services, Caller()))


EXA = {"results": [{"title": "Weir", "url": "http://public.example/wall", "text": (RIVER + WEIR) * 2,
                    "publishedDate": "2025-01-02T00:00:00.000Z", "author": "Mara Lind"}],
       "statuses": [{"id": "http://public.example/wall", "status": "success", "source": "crawled"}]}  # fmt: skip


async def test_exa_comes_last_and_only_with_a_key(elsewhere, site):
    site.says("/wall", WALL, 403)
    site.says("/exa/contents", json.dumps(EXA), kind="application/json")
    assert (await scrape(elsewhere(), "http://public.example/wall")).error.kind == "blocked"
    assert "/exa/contents" not in requested_paths(site)
    page = (await scrape(elsewhere(EXA_API_KEY="k"), "http://public.example/wall")).wire
    assert page["extractedBy"] == "exa:crawled"
    assert page["contentType"] == "text/plain"
    assert "old weir" in page["content"]
    assert page["metadata"]["author"] == "Mara Lind"
    assert requested_paths(site)[-3:] == ["/wall", "/wall", "/exa/contents"]
    assert json.loads(site.requests[-1].body)["urls"] == ["http://public.example/wall"]


async def test_no_third_party_learns_of_our_own_networks(elsewhere, site):
    site.says("/wall", WALL, 403)
    services = elsewhere(EXA_API_KEY="k", JINA_READER_ENABLED="true")
    assert (await scrape(services, "http://intranet.example/wall")).error.kind == "blocked"
    assert not [path for path in requested_paths(site) if path.startswith(("/exa", "/jina"))]


async def test_what_is_not_there_is_not_asked_of_others(elsewhere, site):
    site.says("/exa/contents", json.dumps(EXA), kind="application/json")
    assert (await scrape(elsewhere(EXA_API_KEY="k"), "http://public.example/gone")).error.kind == "not_found"
    assert requested_paths(site) == ["/gone"]


async def test_a_failure_of_a_third_party_says_nothing_of_the_page(elsewhere, site):
    site.says("/wall", WALL, 403)
    site.says("/exa/contents", "{}", 401, kind="application/json")
    error = (await scrape(elsewhere(EXA_API_KEY="k"), "http://public.example/wall")).error
    assert error.kind == "blocked"
    assert "exa: auth required" in error.message


async def test_jina_is_asked_only_where_the_operator_wants_it(elsewhere, site):
    site.says("/wall", WALL, 403)
    output = {"data": {"title": "Weir", "content": (RIVER + WEIR) * 2, "url": "http://public.example/wall"}}
    site.says("/jina/http://public.example/wall", json.dumps(output), kind="application/json")
    page = (await scrape(elsewhere(JINA_READER_ENABLED="true"), "http://public.example/wall")).wire
    assert page["extractedBy"] == "jina"
    assert page["contentType"] == "text/markdown"


SECRETS = "See [it](https://ada:secret@a.example/x?to=a@b), ![a](//a:secret@b/c) and [us](mailto:a@b.example) at https://a.example/@ada. "
ADDRESSES = "See [it](https://a.example/x?to=a@b), ![a](//b/c) and [us](mailto:a@b.example) at https://a.example/@ada."


async def test_markdown_of_others_has_no_user_names_and_passwords_in_its_links(elsewhere, site):
    site.says("/wall", WALL, 403)
    output = {"data": {"title": "Weir", "content": (RIVER + WEIR) * 2 + SECRETS, "url": "http://public.example/wall"}}
    site.says("/jina/http://public.example/wall", json.dumps(output), kind="application/json")
    site.says("/plain", SECRETS * 9, kind="text/markdown")
    for address in ("http://public.example/wall", "http://public.example/plain"):
        page = (await scrape(elsewhere(JINA_READER_ENABLED="true"), address)).wire
        assert page["content"].endswith(ADDRESSES)
        assert "secret" not in page["content"]


LINKS = [
    ("[a]: https://u:secret@h/x", "[a]: https://h/x"),
    ("[a]:\n  <https://u:secret word@h/x>", "[a]:\n  <https://h/x>"),
    ("<https://u:secret@h/x>", "<https://h/x>"),
    ('<img src="https://u:secret@h/x">', '<img src="https://h/x">'),
    ("<a href='//u:secret@h'>it</a>", "<a href='//h'>it</a>"),
    ("<a href = https://u:secret@h/x>it</a>", "<a href = https://h/x>it</a>"),
    ('<img srcset="/a 1x, https://u:secret@h/x 2x">', '<img srcset="/a 1x, https://h/x 2x">'),
    ("[a](\nhttps://u:secret@h)", "[a](\nhttps://h)"),
    ("[a](https:\\\\u:secret@h)", "[a](https:\\\\h)"),
    ("[a](/\\u:secret@h)", "[a](/\\h)"),
    ("[a](ssh://git:secret@h)", "[a](ssh://git@h)"),
    ("[a](git+https://u:secret@h)", "[a](git+https://h)"),
    ("<postgres://u:secret@h>", "<postgres://h>"),
    ("[a](https://u:secret(1)@h/x)", "[a](https://h/x)"),
    ("[a](https://u:secret\\)@h/x)", "[a](https://h/x)"),
    ("[a](https://u:secret&#64;h/x)", "[a](https://h/x)"),
    ("[a](&#104;ttps&colon;//u:secret&commat;h/x&amp;y)", "[a](&#104;ttps&colon;//h/x&amp;y)"),
    ("[a](https://u:secret\\@h/x\\_y)", "[a](https://h/x\\_y)"),
    ("[![a](https://u:secret@h/x)](https://u:secret@h/y)", "[![a](https://h/x)](https://h/y)"),
    ('[a](https://u:secret@h/x "write to a@b")', '[a](https://h/x "write to a@b")'),
]
KEPT = [
    "[a](https://medium.com/@x)",
    "<https://h?q=a@b>",
    "[a](https://h/a@b)",
    "[a](mailto:a@b) <mailto:a@b> <a@b.example>",
    '<a href="mailto:a@b">a@b</a>',
    "[1]: https: write to a@b",
    "[a](https://h) and a@b",
    "[Note]:\n\nhttps://name:word@h",
    "[a](https://h)and@b",
    "Use https://name:word@h or postgres://name:word@h here.",
    '[a](//h "by @a")',
    "<a href='https://h'>@a</a>",
    "[a](git@github.com:x/y.git)",
    "[a](git+ssh://git@github.com/x/y.git)",
]


@pytest.mark.parametrize(("written", "shown"), LINKS + [(text, text) for text in KEPT])
async def test_every_form_of_link_in_markdown_of_others_is_without_passwords(elsewhere, site, written, shown):
    site.says("/plain", f"{RIVER}\n\n{written}\n\n{WEIR}", kind="text/markdown")
    page = (await scrape(elsewhere(), "http://public.example/plain")).wire
    assert f"\n\n{shown}\n\n" in page["content"]


async def test_raw_is_never_asked_of_others(elsewhere, site):
    site.says("/wall", WALL, 403)
    site.says("/exa/contents", json.dumps(EXA), kind="application/json")
    assert (await scrape(elsewhere(EXA_API_KEY="k"), "http://public.example/wall", mode="raw")).error.kind == "blocked"
