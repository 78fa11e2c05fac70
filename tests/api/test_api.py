"""The tools from Python: typed answers, failures raised, here and from a server, with and without await."""

import json
import os
import re
import signal
import subprocess
import sys
import typing
from pathlib import Path

import pytest
from pydantic import BaseModel
from tests.support.forked_commands import ForkedCommand, run_command

from assay import Assay, Client, ToolError, sync
from assay.errors import InvalidInput, NotFound, Unauthenticated
from assay.toolkit import tool_registry
from assay.tools.metadata_extract import metadata_extract
from assay.tools.scrape_page import scrape_page

README = Path(__file__).parents[2] / "README.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)


class Server:
    """`assay serve` as a process of its own."""

    def __init__(self, environ):
        serve = ("serve", "--port", "0")
        self.child = ForkedCommand(*serve, env=os.environ | environ, stderr=subprocess.DEVNULL, text=True)
        self.url = self.child.stdout.readline().split()[3]

    def stop(self):
        self.child.send_signal(signal.SIGTERM)
        self.child.communicate(timeout=60)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server that reads any site, for all tests: each has another site."""
    home = str(tmp_path_factory.mktemp("server"))
    server = Server({"ASSAY_HOME": home, "ALLOW_PRIVATE_IPS": "true", "CHROME_PATH": "disabled", "ASSAY_READERS": "1"})
    yield server
    server.stop()


@pytest.fixture(params=["here", "server"])
def box(request, environ):
    """An unopened box of tools: run here, or by a server."""
    if request.param == "here":
        return Assay(environ)
    return Client(request.getfixturevalue("server").url)


async def test_an_answer_is_the_tools_own_model(box, article):
    async with box as assay:
        page = await assay.scrape_page(url=article)
        assert isinstance(page, scrape_page.answer)
        assert "Otters hold hands" in page.content
        assert page.citation.metadata.author == "Ada Brook"
        same = await assay.call(scrape_page, url=article)
        assert same.content == page.content


async def test_a_failure_is_raised_as_what_it_is(box, site):
    async with box as assay:
        with pytest.raises(InvalidInput, match="is required") as wrong:
            await assay.scrape_page()
        assert wrong.value.field == "url"
        with pytest.raises(NotFound):
            await assay.scrape_page(url=site.url + "/nothing")
        with pytest.raises(InvalidInput, match="no field"):
            await assay.scrape_page(url=site.url, colour="red")


async def test_a_large_answer_comes_whole(box, site):
    paragraphs = "".join(f"<p>Otter {n} keeps stone {n} under its arm all day and all night.</p>" for n in range(4000))
    address = site.says("/long", f"<title>Otters</title><article><h1>Otters</h1>{paragraphs}</article>")
    async with box as assay:
        page = await assay.scrape_page(url=address, max_length=200_000)
        assert len(page.content) > 100_000
        assert "Otter 2000 " in page.content


async def test_arguments_have_pythons_names_or_the_wires(box):
    async with box as assay:
        step = await assay.sequential_search(
            search_step="Look for otters", step_number=1, total_steps_estimate=2, next_step_needed=True
        )
        again = await assay.get_research_session(session_id=step.session_id)
        assert again.session_id == step.session_id


async def test_a_tool_of_plain_json_has_a_model_too(box):
    async with box as assay:
        html = '<meta property="og:title" content="Otters">'
        output = await assay.call(metadata_extract, html=html, base_url="https://example.org/")
        assert output.opengraph == {"og:title": "Otters"}


async def test_what_is_not_a_tool_is_not_a_method(box):
    async with box as assay:
        assert not hasattr(assay, "nothing_of_ours")
        assert set(tool_registry.tool_names()) <= set(dir(assay))
        assert "Read a web page" in assay.scrape_page.__doc__


def test_without_await_it_is_the_same(environ, server, article):
    for box in (sync.Assay(environ), sync.Client(server.url)):
        with box as assay:
            assert "Otters" in assay.scrape_page(url=article).content
            assert assay.call(scrape_page, url=article).url
            assert assay.answer("scrape_page", {"url": article})["_meta"]["cached"] is True
            with pytest.raises(ToolError):
                assay.scrape_page(url="nowhere")
            assert not hasattr(assay, "nothing_of_ours")
        assay.close()


async def test_without_await_it_works_where_a_loop_runs(environ, article):
    with sync.Assay(environ) as assay:
        assert "Otters" in assay.scrape_page(url=article).content


def test_a_server_that_wants_a_key_gets_it(environ, article):
    created = json.loads(run_command("key", "ada", env=os.environ | environ).stdout)
    server = Server(environ | {"ASSAY_API_KEYS": json.dumps([created["entry"]]), "ASSAY_READERS": "1"})
    try:
        with sync.Client(server.url, created["key"]) as assay:
            assert "Otters" in assay.scrape_page(url=article).content
        with sync.Client(server.url) as assay, pytest.raises(Unauthenticated):
            assay.scrape_page(url=article)
    finally:
        server.stop()


async def test_a_server_that_is_invalid_is_reported(site):
    site.says("/tools/scrape_page", "<h1>Something else</h1>")
    async with Client(site.url) as assay:
        with pytest.raises(ToolError, match="not JSON"):
            await assay.scrape_page(url="https://example.org/")
    with pytest.raises(ToolError, match="http"):
        Client("example.org")


def test_the_examples_of_the_readme_run(environ, server, site, article):
    results = [{"title": "On otters", "url": article, "content": "Otters hold hands."}]
    site.says("/searxng/search", json.dumps({"results": results}), 200, "application/json")
    assert len(EXAMPLES) == 2
    for example in EXAMPLES:
        program = example.replace("http://127.0.0.1:8787", server.url).replace("https://example.org/", article)
        done = subprocess.run(
            [sys.executable, "-c", program], env=os.environ | environ, capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
        assert "otters" in done.stdout.lower()


def test_importing_it_imports_nothing_else():
    program = "import sys; before = set(sys.modules); import assay; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "['assay']"


@pytest.mark.parametrize("name", tool_registry.tool_names())
def test_an_answer_without_its_empty_fields_is_an_answer(name):
    """Fields that are None are left out on the wire, so each has a default to read it again."""
    for model in parts_of(tool_registry.find_tool(name).answer):
        for field, info in model.model_fields.items():
            assert not (info.is_required() and type(None) in typing.get_args(info.annotation)), (model, field)


def parts_of(kind, known=None):
    known = set() if known is None else known
    if isinstance(kind, type) and issubclass(kind, BaseModel) and kind not in known:
        known.add(kind)
        for info in kind.model_fields.values():
            parts_of(info.annotation, known)
    for inner in typing.get_args(kind):
        parts_of(inner, known)
    return known
