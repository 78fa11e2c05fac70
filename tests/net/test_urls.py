"""One reading of a URL, whatever its spelling; what has no clear reading is refused."""

import pytest

from assay.errors import InvalidInput
from assay.net.urls import canonicalize_url, get_host, get_registrable_domain, parse_url

SAME = [
    ("http://127.1/", "http://127.0.0.1/"),
    ("http://0x7f.0.0x0.01/", "http://127.0.0.1/"),
    ("http://0177.0.0.1/", "http://127.0.0.1/"),
    ("http://2130706433/", "http://127.0.0.1/"),
    ("http://0x7f000001/", "http://127.0.0.1/"),
    ("http://2852039166/latest", "http://169.254.169.254/latest"),
    ("http://169.254.169.254./", "http://169.254.169.254/"),
    ("http://0/", "http://0.0.0.0/"),
    ("http://%31%32%37.0.0.1/", "http://127.0.0.1/"),
    ("http://１２７.０.０.１/", "http://127.0.0.1/"),
    ("http://①②⑦.⓪.⓪.①/", "http://127.0.0.1/"),
    ("http://𝟏27.0.0.1/", "http://127.0.0.1/"),
    ("http://127。0。0。1/", "http://127.0.0.1/"),
    ("http:///127.0.0.1/", "http://127.0.0.1/"),
    ("http:127.0.0.1", "http://127.0.0.1/"),
    ("http:\\\\127.0.0.1\\x", "http://127.0.0.1/x"),
    ("http://127.0.0.1:6666\\@1.1.1.1/", "http://127.0.0.1:6666/@1.1.1.1/"),
    ("http://[::FFFF:127.0.0.1]/", "http://[::ffff:7f00:1]/"),
    ("http://[0:0:0:0:0:0:0:1]/", "http://[::1]/"),
    ("HTTPS://Example.COM:443/../a/./b?q#part", "https://example.com/a/b?q"),
    ("http://example.com:080", "http://example.com/"),
    ("http://example.com:/", "http://example.com/"),
    ("http://example.com./a", "http://example.com/a"),
    ("http://example.com.:8080/a", "http://example.com:8080/a"),
    ("http://ex\tam\nple.com/", "http://example.com/"),
    (" \x00http://example.com/ ", "http://example.com/"),
    ("http://ex\u00adample.com/", "http://example.com/"),
    ("http://example。com/", "http://example.com/"),
    ("http://exam%70le.com/", "http://example.com/"),
    ("https://bücher.example/ä?ö", "https://xn--bcher-kva.example/%C3%A4?%C3%B6"),
    ("http://evil.example\\.example.com/", "http://evil.example/.example.com/"),
    ("http://example.com?@evil.example", "http://example.com/?@evil.example"),
    ("https://example.com/a%2Fb?u=http://127.0.0.1/", "https://example.com/a%2Fb?u=http://127.0.0.1/"),
]


@pytest.mark.parametrize(("given", "read"), SAME)
def test_every_spelling_has_one_reading(given, read):
    assert canonicalize_url(given) == read
    assert canonicalize_url(read) == read


UNREADABLE = [
    "", " ", "example.com", "//127.0.0.1/", "/path", "http://", "http://:80/", "http:///", "https://?x",
    "http://example.com:65536/", "http://example.com:-1/", "http://example.com:8o/", "http://exa mple.com/",
    "http://[::1%25@1.1.1.1]/", "http://[fe80::1%25eth0]/", "http://[fe80::1%eth0]/", "http://[::1/", "http://::1/",
    "http://[1:2]/", "http://[v1.a]/", "http://1.2.3.4.5/", "http://256.1.1.1/", "http://0x100000000/",
    "http://foo.0x7f/", "http://exa<mple.com/", "http://a|b.com/", "http://foo%00.com/", "http://foo\x00.com/",
    "http://l\u2024o/", "http://a^b.com/", "http://example.com%2f@x", "http://..com/", "http://.com/",
    "http://example.com../", "http://a..com/", "http://" + "a" * 64 + ".com/", "http://" + "a." * 127 + "com/",
    "http://example.com/" + "a" * 9000, "http://example.com/\ud800", "http://exa\ud800mple.com/",
]  # fmt: skip


@pytest.mark.parametrize("given", UNREADABLE)
def test_what_has_no_reading_is_refused(given):
    with pytest.raises(InvalidInput) as refusal:
        canonicalize_url(given)
    assert refusal.value.field == "url"
    assert not refusal.value.retryable


SCHEMES = [
    "gopher://127.0.0.1:6379/_INFO", "dict://127.0.0.1:11211/stats", "javascript:alert(1)",
    "view-source:file:///etc/passwd", "chrome://settings", "jar:http://example.com/a.zip!/b", "\\\\127.0.0.1\\share",
    "file:///etc/passwd", "file://example.com/x", "ftp://example.com/", "ftps://example.com/", "data:text/html,hi",
    "blob:https://example.com/x", "ws://example.com/", "wss://example.com/", "ldap://example.com/",
    "tftp://example.com/", "sftp://example.com/", "smb://example.com/x", "about:blank", "mailto:a@example.com",
    "netdoc:///etc/passwd", "php://filter", "unix:/run/x.sock", "http+unix://%2Frun%2Fx.sock/",
    "httpx://example.com/", "feed:https://example.com/", "java\nscript:alert(1)", "urn:x:y", "chrome-extension://x/",
    "filesystem:http://example.com/", "rtsp://example.com/", "telnet://example.com/", "ipfs://x",
]  # fmt: skip


@pytest.mark.parametrize("given", SCHEMES)
def test_only_http_and_https_are_read(given):
    with pytest.raises(InvalidInput, match="http"):
        canonicalize_url(given)


CREDENTIALS = [
    "http://1.1.1.1@127.0.0.1/", "http://1.1.1.1:80@127.0.0.1:80/", "http://a@127.0.0.1@1.1.1.1/",
    "http://u:s3cret@example.com/", "http://:s3cret@example.com/", "http://s3cret%40x@example.com/",
    "https:s3cret:x@example.com", "http:\\\\s3cret@example.com", "http://example.com\t@evil.example/",
    "http://s3cret:@example.com",
]  # fmt: skip


@pytest.mark.parametrize("given", CREDENTIALS)
def test_credentials_are_refused_and_not_echoed(given):
    with pytest.raises(InvalidInput) as refusal:
        canonicalize_url(given)
    assert "s3cret" not in refusal.value.text()
    assert "remove" in refusal.value.message


def test_an_empty_user_name_is_not_a_credential():
    assert canonicalize_url("http://@example.com/") == "http://example.com/"


@pytest.mark.parametrize(
    ("link", "read"),
    [
        ("/b", "https://example.com/b"),
        ("b?c", "https://example.com/a/b?c"),
        ("//other.example/x", "https://other.example/x"),
        ("\\\\other.example\\x", "https://other.example/x"),
        ("https:/b", "https://example.com/b"),
        ("http:/b", "http://b/"),
        ("?q=ü", "https://example.com/a/?q=%C3%BC"),
        ("#top", "https://example.com/a/"),
    ],
)
def test_a_link_is_read_as_a_browser_reads_it(link, read):
    assert parse_url(link, "https://example.com/a/").url == read


def test_the_parts_agree_with_the_whole():
    at = parse_url("https://[2606:4700::1111]:8443/a?b")
    assert (at.scheme, at.host, at.port, at.target) == ("https", "2606:4700::1111", 8443, "/a?b")
    assert at.authority == "[2606:4700::1111]:8443"
    assert parse_url("http://example.com:80/").authority == "example.com"
    assert parse_url("http://example.com:443/").authority == "example.com:443"
    assert get_host("http://EXAMPLE.com.:1/") == "example.com"


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("news.bbc.co.uk", "bbc.co.uk"),
        ("example.com", "example.com"),
        ("a.b.example.com.", "example.com"),
        ("WWW.Example.com", "example.com"),
        ("someone.github.io", "someone.github.io"),
        ("a.someone.github.io", "someone.github.io"),
        ("co.uk", "co.uk"),
        ("localhost", "localhost"),
        ("93.184.216.34", "93.184.216.34"),
        ("2606:4700::1111", "2606:4700::1111"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"),
    ],
)
def test_the_registrable_domain_is_what_somebody_registered(host, domain):
    assert get_registrable_domain(host) == domain
