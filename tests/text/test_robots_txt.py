"""The robots.txt group that applies to a user agent, and what it allows."""

import pytest
from tests.support.processor_time import assert_quick

from assay.text.robots_txt import MAX_BYTES, find_group


def is_allowed(text: str | bytes, path: str, agent: str = "agentcli") -> bool:
    body = text.encode() if isinstance(text, str) else text
    return find_group(agent, body).allows(f"https://site.example{path}")


@pytest.mark.parametrize(
    ("rules", "path", "expected"),
    [
        ("Allow: /a\nDisallow: /a/b", "/a/b/c", False),
        ("Disallow: /a/b\nAllow: /a", "/a/b/c", False),
        ("Disallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("Disallow: /a\nAllow: /a", "/a", True),
        ("Disallow:", "/a", True),
        ("Disallow: /", "/", False),
        ("Disallow: /*.pdf$", "/x/y.pdf", False),
        ("Disallow: /*.pdf$", "/x/y.pdf?a=1", True),
        ("Disallow: /*.pdf$", "/x/y.pdfs", True),
        ("Disallow: /a*c", "/abbbc", False),
        ("Disallow: /s?q=", "/s?q=1", False),
        ("Disallow: /s?q=", "/s", True),
        ("Disallow: /a%3Cd", "/a%3cd", False),
        ("Disallow: /ä", "/%C3%A4", False),
        ("Disallow: /a%2Fb", "/a/b", True),
        ("disallow:/a", "/a", False),
        ("  Disallow : /a  # a comment", "/a", False),
        ("Noindex: /a", "/a", True),
        ("Disallow: /A", "/a", True),
    ],
)
def test_the_longest_match_decides(rules, path, expected):
    assert is_allowed(f"User-agent: *\n{rules}\n", path) is expected


@pytest.mark.parametrize(
    ("text", "agent", "expected"),
    [
        ("User-agent: AgentCLI\nDisallow: /", "agentcli", False),
        ("User-agent: agentcli\nAllow: /\n\nUser-agent: *\nDisallow: /", "other", False),
        ("User-agent: *\nDisallow: /\nUser-agent: agentcli\nAllow: /", "agentcli", True),
        ("User-agent: a\nUser-agent: b\nDisallow: /", "b", False),
        ("User-agent: a\n\n# x\nUser-agent: b\nDisallow: /", "a", False),
        ("User-agent: a\nAllow: /y\nUser-agent: b\nDisallow: /", "a", True),
        ("User-agent: a\nAllow: /y\nUser-agent: a\nDisallow: /", "a", False),
        ("User-agent: agentcli\nDisallow: /", "agentcli/1.0", False),
        ("User-agent: agentcli/2.0\nDisallow: /", "AgentCLI/1.0", False),
        ("User-agent: foobot\nDisallow: /", "Mozilla/5.0 (compatible; Foobot/2.1; +https://x.example)", False),
        ("User-agent: agentcli\nDisallow: /", "agentcli-news", True),
        ("User-agent: cli\nDisallow: /", "agentcli", True),
        ("Disallow: /", "agentcli", True),
        ("User-agent: *\nSitemap: https://x.example/s.xml\nDisallow: /", "a", False),
        ("\ufeffUser-agent: *\nDisallow: /", "a", False),
        ("User-agent: *\rDisallow: /\r", "a", False),
        ("User-agent:\nDisallow: /", "a", True),
        ("user agent: *\nDisallow: /", "a", False),
    ],
)
def test_all_groups_of_a_name_are_one_and_the_star_is_for_the_rest(text, agent, expected):
    assert is_allowed(text, "/x", agent) is expected


@pytest.mark.parametrize(
    ("value", "expected"), [("2", 2000), ("1.5", 1500), ("0", None), ("soon", None), ("-1", None), ("inf", None)]
)
def test_the_delay_is_in_milliseconds(value, expected):
    assert find_group("a", f"User-agent: *\nCrawl-delay: {value}".encode()).crawl_delay_ms == expected


def test_lines_are_reported_as_written():
    text = b"User-agent: *\nDISALLOW: /A # x\n\nCrawl-Delay: 3\nSitemap: https://x.example/\n"
    assert find_group("a", text).rules == ("DISALLOW: /A", "Crawl-Delay: 3")


def test_what_is_not_text_is_not_a_rule():
    assert find_group("a", b"\x00\xff\xfe" * 100).rules == ()
    assert is_allowed(b"User-agent: *\nDisallow: /\xff\n", "/other")


def test_beyond_the_bound_nothing_is_read_and_no_half_line_either():
    filler = b"# x\n" * (MAX_BYTES // 4 - 4)
    body = b"User-agent: *\n" + filler + b"Disallow: /a" + b"b" * 100
    assert is_allowed(body, "/a")
    assert not is_allowed(b"User-agent: *\nDisallow: /a\n" + filler + b"Allow: /a\n", "/a")


def test_hostile_rules_take_no_time():
    body = b"User-agent: *\n" + b"Disallow: /*a*a*a*a*b$\n" * 20_000
    assert assert_quick(lambda: is_allowed(body, "/" + "a" * 2_000), 5)
