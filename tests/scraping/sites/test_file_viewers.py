"""Files behind the viewers of sites."""

from io import BytesIO

import docx
import pytest

from assay.bootstrap import local_services
from assay.errors import ToolError
from assay.net.urls import canonicalize_url
from assay.scraping.site_registry import SiteContext, route
from assay.scraping.sites.file_viewers import find_file
from assay.settings import Settings

ID = "1AbCdEfGhIjKlMnOpQrStUvWxYz_0123456789-abcdE"
DOCUMENT = f"https://docs.google.com/document/d/{ID}/edit?usp=sharing#heading=h.1"


@pytest.fixture
def environ(environ, site):
    names = {"GOOGLE_DOCS": "/docs", "GOOGLE_DRIVE": "/drive", "EUROPE_PMC": "/europepmc"}
    return environ | {f"{name}_BASE_URL": site.url + path for name, path in names.items()}


def a_document():
    document, body = docx.Document(), BytesIO()
    document.add_heading("On otters")
    document.add_paragraph("They hold hands.")
    document.save(body)
    return body.getvalue()


async def test_a_document_is_read_with_its_name(by_route, site):
    named = {"content-disposition": "attachment; filename=\"x.docx\"; filename*=UTF-8''Ott%C3%A9rs%201.2.docx"}
    site.says(f"/docs/document/d/{ID}/export?format=docx", a_document(), kind="application/octet-stream", headers=named)
    page = await by_route(DOCUMENT)
    assert page.content == "# On otters\n\nThey hold hands."
    assert (page.title, page.site, page.content_type, page.tier) == ("Ottérs 1.2", "Google Docs", "docx", "file")
    assert page.url == DOCUMENT.partition("#")[0]


async def test_a_tool_reads_a_notebook_that_is_kept_in_drive(ask, site):
    address = f"https://colab.research.google.com/drive/{ID}"
    site.says(f"/drive/uc?export=download&id={ID}", '{"nbformat": 4, "cells": [{"cell_type": "markdown", "source": "# A"}]}',
              kind="application/octet-stream", headers={"content-disposition": 'attachment; filename="count.ipynb"'})  # fmt: skip
    output = (await ask("scrape_page", url=address)).wire
    assert (output["content"], output["url"]) == ("# A", address)


async def test_an_article_of_pubmed_central_has_its_facts(ask, site):
    meta = """<article-id pub-id-type="doi">10.5555/river.9</article-id><title-group><article-title>On otters</article-title>
    </title-group><contrib-group><contrib><name><surname>Brook</surname><given-names>Ada</given-names></name></contrib>
    <contrib><name><surname>Reed</surname><given-names>Eve</given-names></name></contrib></contrib-group>"""
    body = f"<article><front><article-meta>{meta}</article-meta></front><body><p>They hold hands.</p></body></article>"
    site.says("/europepmc/PMC7000001/fullTextXML", body, kind="application/xml")
    output = (await ask("scrape_page", url="https://www.ncbi.nlm.nih.gov/pmc/articles/PMC7000001/?report=reader")).wire
    assert output["content"].endswith("They hold hands.")
    assert output["detectedDoi"] == "10.5555/river.9"
    assert output["citation"]["metadata"]["author"] == "Ada Brook; Eve Reed"


@pytest.mark.parametrize(
    ("body", "status"), [("<html><title>Sign in</title></html>", 200), ("No", 404), (b"\x89PNG\r\n\x1a\n\0", 200)]
)
async def test_what_is_not_handed_out_is_left_to_the_page_of_the_viewer(by_route, site, body, status):
    site.says(f"/docs/document/d/{ID}/export?format=docx", body, status)
    assert await by_route(DOCUMENT) is None


async def test_a_file_on_a_domain_that_is_not_allowed_is_left_to_the_page(services, environ):
    allowed = Settings.read(environ | {"ALLOWED_DOMAINS": "pmc.ncbi.nlm.nih.gov"})
    own = local_services(allowed, services.clock)
    context = SiteContext(own.web, own.http, allowed, own.clock)
    address = canonicalize_url("https://pmc.ncbi.nlm.nih.gov/articles/PMC7000001/")
    assert await route(address)(address, context) is None
    await own.close()


async def test_a_file_cut_short_is_no_page(by_route, site):
    site.says(f"/docs/document/d/{ID}/export?format=docx", a_document()[:-200], kind="application/octet-stream")
    with pytest.raises(ToolError):
        await by_route(DOCUMENT)


FILES = {
    f"https://docs.google.com/document/u/1/d/{ID}/": f"/docs/document/d/{ID}/export?format=docx",
    f"https://docs.google.com/spreadsheets/d/{ID}/edit#gid=7": f"/docs/spreadsheets/d/{ID}/export?format=xlsx",
    f"https://docs.google.com/presentation/d/{ID}/preview": f"/docs/presentation/d/{ID}/export/pptx",
    f"https://drive.google.com/file/d/{ID}/view?usp=sharing": f"/drive/uc?export=download&id={ID}",
    f"https://drive.google.com/open?id={ID}": f"/drive/uc?export=download&id={ID}",
    "https://colab.research.google.com/github/ada/otters/blob/main/a/b.ipynb": "/raw/ada/otters/main/a/b.ipynb",
    "https://nbviewer.org/github/ada/otters/blob/main/b.ipynb": "/raw/ada/otters/main/b.ipynb",
    "https://pmc.ncbi.nlm.nih.gov/articles/PMC7000001/": "/europepmc/PMC7000001/fullTextXML",
    "https://europepmc.org/article/PMC/PMC7000001": "/europepmc/PMC7000001/fullTextXML",
    "https://www.dropbox.com/s/abc123/otters.pdf?dl=0": "https://www.dropbox.com/s/abc123/otters.pdf?dl=1",
    "https://www.dropbox.com/scl/fi/abc/o.pdf?e=1&rlkey=k_1-b&dl=0": "https://www.dropbox.com/scl/fi/abc/o.pdf?rlkey=k_1-b&dl=1",
    "https://huggingface.co/datasets/ada/otters/blob/main/a.csv": "https://huggingface.co/datasets/ada/otters/resolve/main/a.csv",
    "https://bitbucket.org/ada/otters/src/main/a/b.py": "https://bitbucket.org/ada/otters/raw/main/a/b.py",
    "https://git.river.example/group/sub/otters/-/blob/main/a%7B0%7D.md?ref_type=heads": "https://git.river.example/group/sub/otters/-/raw/main/a%7B0%7D.md",
    "https://codeberg.org/ada/otters/src/branch/main/a.md": "https://codeberg.org/ada/otters/raw/branch/main/a.md",
}  # fmt: skip


@pytest.mark.parametrize("address", FILES)
def test_the_file_of_a_viewer_is_found(address, settings, site):
    file = find_file(canonicalize_url(address), settings)[1]
    assert file.replace(site.url, "") == FILES[address]


@pytest.mark.parametrize(
    "address",
    [
        f"https://docs.google.com/document/d/e/2PACX-{ID}/pub",
        f"https://docs.google.com/spreadsheets/d/{ID}/export?format=csv",
        f"https://docs.google.com/forms/d/{ID}/viewform",
        f"https://docs.google.com.evil.example/document/d/{ID}/edit",
        "https://pmc.ncbi.nlm.nih.gov/articles/PMC7000001/bin/s1.csv",
        "https://www.dropbox.com/login",
        "https://www.dropbox.com/scl/fi/abc/o.pdf",
        "https://huggingface.co/ada/otters",
        "https://git.river.example/ada/otters/-/issues/1",
        "https://river.example/src/branch",
    ],
)
def test_other_pages_of_such_sites_are_read_as_pages(address):
    assert route(canonicalize_url(address)) is None
