"""XML that means harm, by the path that every caller takes: no DOCTYPE is read, nothing is fetched, no file is opened."""

import zipfile
from io import BytesIO
from itertools import count

import pytest
from tests.support.processor_time import assert_quick_call

SECRET = "root:"
ENTITIES = {
    "quadratic": f"<!DOCTYPE x [<!ENTITY e '{'otter ' * 17_000}'>]>",
    "laughs": "<!DOCTYPE x [<!ENTITY e 'ha'>"
    + "".join(f"<!ENTITY e{n} '{f'&e{n - 1 if n else ""};' * 10}'>" for n in range(9))
    + "]>",
    "file": "<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>",
    "fetched": "<!DOCTYPE x [<!ENTITY e SYSTEM '{canary}/e'>]>",
    "parameter": "<!DOCTYPE x [<!ENTITY % p SYSTEM '{canary}/p'>%p;]>",
    "definition": "<!DOCTYPE x SYSTEM '{canary}/x.dtd'>",
}
FEED = "<rss version='2.0'><channel><title>Otters</title><item><title>&e;{more}</title></item></channel></rss>"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-be", "utf-7"])
@pytest.mark.parametrize("name", ENTITIES)
@pytest.mark.parametrize("tool", ["scrape_page", "rss_fetch"])
async def test_a_doctype_is_never_read(tool, name, encoding, ask, site, canary):
    doctype = ENTITIES[name].replace("{canary}", canary.url)
    text = f"<?xml version='1.0' encoding='{encoding}'?>{doctype}{FEED.replace('{more}', '&e;&e8;' * 500)}"
    site.says("/feed", text.encode(encoding), kind="application/rss+xml")
    urls = (f"http://river.example/feed?{number}" for number in count())  # none is in the cache
    reply = await assert_quick_call(lambda: ask(tool, url=next(urls)), 2)
    assert reply.error is not None
    assert SECRET not in reply.error.text()
    assert not canary.requests


async def test_an_office_file_with_a_doctype_is_refused_and_nothing_is_fetched(ask, site, canary):
    body = BytesIO()
    with zipfile.ZipFile(body, "w") as archive:
        archive.writestr("word/document.xml", f"<!DOCTYPE x SYSTEM '{canary.url}/x.dtd'><x/>")
    site.says("/otters", body.getvalue(), kind="application/octet-stream")
    reply = await ask("scrape_page", url="http://river.example/otters")
    assert "DOCTYPE" in reply.error.text()
    assert not canary.requests


async def test_included_files_are_not_included(ask, site):
    include = "<x xmlns:xi='http://www.w3.org/2001/XInclude'><xi:include href='file:///etc/passwd'/>otters</x>"
    site.says("/x", include, kind="application/xml")
    reply = await ask("scrape_page", url="http://river.example/x")
    assert SECRET not in reply.text
    assert "otters" in reply.text


async def test_an_element_with_a_hundred_thousand_attributes_is_survived(ask, site):
    many = " ".join(f'a{number}="1"' for number in range(100_000))
    site.says("/x", f"<x {many}>otters</x>", kind="application/xml")
    urls = (f"http://river.example/x?{number}" for number in count())  # none is in the cache
    reply = await assert_quick_call(lambda: ask("scrape_page", url=next(urls)), 5)
    assert reply.error is not None or "otters" in reply.text
    assert len(reply.text if reply.error is None else reply.error.text()) < 10_000


async def test_a_stylesheet_of_a_document_is_not_fetched(ask, site, canary):
    sheet = f"<?xml-stylesheet type='text/xsl' href='{canary.url}/x.xsl'?><x>otters swim</x>"
    site.says("/x", f"<?xml version='1.0'?>{sheet}", kind="application/xml")
    assert "otters" in (await ask("scrape_page", url="http://river.example/x")).text
    assert not canary.requests
