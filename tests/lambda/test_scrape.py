"""A page read on Lambda, with its layers alone, is the page that a laptop reads."""

import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from assay.bootstrap import local_services
from assay.caller import Caller
from assay.context import Context
from assay.invoke import invoke
from assay.settings import Settings

PACKAGE = Path(__file__).parents[2] / "shared/assay"
SEAMED = Path(__file__).with_name("replaced_function")
ADDRESS = "http://otters.example/otters"


async def resolve(host, port):
    return ["93.184.215.14"]


@pytest.fixture
def port(site):
    return urlsplit(site.url).port


@pytest.fixture
async def laptop(tmp_path, port):
    services = local_services(Settings.read({"ASSAY_HOME": str(tmp_path / "home")}))
    services.web_overrides |= {"resolve": resolve, "connect": lambda *_: ("127.0.0.1", port)}
    yield services
    await services.close()


async def test_a_page_reads_the_same_on_lambda_and_on_a_laptop(run, event, article, port, laptop):
    ask = {"url": ADDRESS}
    # The function does not start if its layer lacks a compiled module.
    sources = [path.relative_to(PACKAGE.parent).with_suffix("") for path in PACKAGE.rglob("_*.c")]
    compiled = "import " + ", ".join(".".join(source.parts) for source in sources)
    function = run("Toolscrapepage", SEAMED, prelude=compiled, PORT=str(port))
    answer = function.call(event("http_api_post", ask))
    assert answer["statusCode"] == 200, answer["body"]
    there = json.loads(answer["body"])
    here = (await invoke("scrape_page", ask, Context(laptop, Caller()))).body()
    for body in (there, here):
        body.pop("_meta", None)
    assert "Otters hold hands" in json.dumps(there)
    assert there == here


def pdf():
    from io import BytesIO

    from reportlab.pdfgen.canvas import Canvas

    file = BytesIO()
    canvas = Canvas(file)
    for line in range(20):
        canvas.drawString(72, 720 - 20 * line, f"Line {line}: otters hold hands while they sleep.")
    canvas.save()
    return file.getvalue()


def test_a_document_is_read_in_its_child_process(run, event, site, port):
    site.says("/otters.pdf", pdf(), kind="application/pdf")
    function = run("Toolscrapepage", SEAMED, PORT=str(port))
    for _ in range(2):
        answer = function.call(event("http_api_post", {"url": "http://otters.example/otters.pdf"}))
        assert answer["statusCode"] == 200, (answer["body"], function.log())
        assert "otters hold hands" in answer["body"]
