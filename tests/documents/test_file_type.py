"""Detection of document kinds by content."""

import pytest

from assay.documents import detect_kind

RSS = b'<?xml version="1.0"?><rss version="2.0"><channel/></rss>'


@pytest.mark.parametrize(
    ("body", "content_type", "url", "kind"),
    [
        (b"%PDF-1.4 ...", "text/html", "https://a.example/page", "pdf"),
        (b"\n" * 900 + b"%PDF-1.4", "", "https://a.example/", "pdf"),
        (b"\n" * 1100 + b"%PDF-1.4", "", "https://a.example/x.pdf", None),
        (b"<!DOCTYPE html><p>%PDF-1.4", "application/pdf", "https://a.example/x.pdf", None),
        (b"<html><body>Sorry</body></html>", "application/pdf", "https://a.example/x.pdf", None),
        (b"  \r\n<!doctype HTML>\n<title>x</title>", "text/plain", "https://a.example/x.docx", None),
        (b"<p>Hello</p>", "text/html; charset=utf-8", "https://a.example/", None),
        (RSS, "text/html", "https://a.example/feed", "feed"),
        (RSS.replace(b"rss", b"catalog"), "application/xml", "https://a.example/x", "xml"),
        (RSS.decode().encode("utf-16"), "application/xml", "https://a.example/x", "feed"),
        (b'<feed xmlns="http://www.w3.org/2005/Atom"></feed>', "application/atom+xml", "https://a.example/x", "feed"),
        (b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>', "text/xml", "https://a.example/", None),
        (b'{"version": "https://jsonfeed.org/version/1.1", "items": []}', "application/json", "", "feed"),
        (b'{"a": 1}', "application/ld+json", "https://a.example/", "json"),
        (b"a,b\n1,2\n", "text/csv", "https://a.example/", "csv"),
        (b"a,b\n1,2\n", "application/octet-stream", "https://a.example/t.csv?x=1", "csv"),
        (b'{"cells": []}', "text/plain", "https://a.example/count.ipynb", "json"),
        (b"WEBVTT\n", "text/vtt", "https://a.example/talk.vtt", "text"),
        (b"just words", "text/plain", "https://a.example/", "text"),
        (b"a:\n  - b\n", "application/yaml", "https://a.example/", "text"),
        (b"<weir>b</weir>", "application/octet-stream", "https://a.example/", None),
        ("<p>Hello</p>".encode("utf-16"), "application/octet-stream", "https://a.example/", None),
        (b"\xfe\xff" + "<p>Hello</p>".encode("utf-16-be"), "application/octet-stream", "https://a.example/", None),
        ("a:\n  - b\n".encode("utf-16"), "application/yaml", "https://a.example/", "text"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "text/plain", "https://a.example/x.txt", None),
        (b"PK\x03\x04 zipped", "application/zip", "https://a.example/x.docx", None),
        (b"", "", "https://a.example/", None),
    ],
)
def test_a_kind_is_known_by_the_bytes_then_by_the_label(body, content_type, url, kind):
    assert detect_kind(body, content_type, url) == kind


def test_office_files_are_known_by_their_parts_whatever_they_are_called(a_docx, a_pptx):
    assert detect_kind(a_docx(lambda _: None), "application/zip", "https://a.example/x.pdf") == "docx"
    assert detect_kind(a_pptx(lambda _: None), "text/html", "https://a.example/") == "pptx"


def test_a_locked_word_file_is_still_a_word_file():
    body = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le") + bytes(600)
    assert detect_kind(body, "", "https://a.example/x.docx") == "docx"
    assert detect_kind(body, "", "https://a.example/x.pptx") == "pptx"
    assert detect_kind(body.replace(b"P\x00", b"Q\x00"), "", "https://a.example/x.doc") is None
