"""What the HTML of every page owes: nothing runs and nothing is loaded but the own assets, and it reads without them."""

import re
from urllib.parse import urlsplit

from lxml import html

from assay.entrypoints.console.page_table import ASSETS

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
LOADING = {"script": "src", "link": "href", "img": "src"}
DRAWING = "drawing"  # the class of own drawings, which are made of these alone
SHAPES = {"g", "path", "rect", "text", "title"}
FORBIDDEN = {"svg", "math", "iframe", "object", "embed", "base", "style", "video", "audio"}


def check_headers(response):
    parts = (part.strip().partition(" ") for part in response.headers["content-security-policy"].split(";"))
    assert {name: value for name, _, value in parts} == POLICY
    assert response.headers["x-frame-options"] == "DENY"
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["cache-control"] == "no-store"
    assert "access-control-allow-origin" not in response.headers


def check_html(text):
    """Check the page, and return its tree."""
    tree = html.document_fromstring(text)
    for element in tree.iter(html.etree.Element):
        if element.tag == "svg" and element.get("class") == DRAWING:
            assert {inner.tag for inner in element.iterdescendants()} <= SHAPES
        else:
            assert element.tag not in FORBIDDEN, element.tag
        assert not [name for name in element.attrib if name.startswith("on") or name == "style"], element.attrib
        if element.get("http-equiv"):
            assert element.getparent().tag == "noscript"
            assert element.get("content").isdecimal(), "the same page again"
        if element.tag == "script":
            assert not (element.text or "").strip(), "a script in the page"
        if address := element.get(LOADING.get(element.tag, "no-attribute"), ""):
            assert address.startswith((ASSETS, "/console/image?")) or address == "data:,", address
        for name in ("href", "action", "formaction"):
            if (link := element.get(name)) and element.tag != "link":
                assert urlsplit(link).scheme in ("", "http", "https", "mailto", "vscode", "cursor"), link
                assert not link.startswith(("//", "/\\")), link
    check_structure(tree)
    return tree


def check_structure(tree):
    assert tree.get("lang") == "en"
    assert tree.findtext(".//title").strip()
    assert len(tree.findall(".//h1")) == 1
    assert len(tree.findall(".//main")) == 1
    assert tree.xpath("//a[@class='skip']/@href") == ["#main"]
    assert tree.xpath("string(//main)").strip()
    identities = tree.xpath("//@id")
    assert len(identities) == len(set(identities)), "an id twice"
    for form in tree.xpath("//form[translate(@method, 'POST', 'post')='post']"):
        assert form.xpath("string(.//input[@name='form_once']/@value)"), "no number"
        assert re.fullmatch("[0-9a-f]{64}", form.xpath("string(.//input[@name='form_token']/@value)")), "no token"
