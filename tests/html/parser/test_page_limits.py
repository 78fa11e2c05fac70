"""The compiled scan lets pass exactly the pages that the limits leave unchanged."""

import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.html.parser import page_limits
from assay.html.parser._page_scan import is_ordinary
from assay.html.parser.page_limits import (
    FORMATTING,
    FORMATTING_START,
    FORMATTING_TAG,
    MAX_EQUAL_FORMATTING,
    ROOT_TAG,
    change_page,
    limit_page,
)

LIMITS = (page_limits.MAX_TAGS, page_limits.MAX_ELEMENTS, page_limits.MAX_ROOT_TAGS)


NAMES = [*FORMATTING.split("|"), "html", "body", "p", "bdo", "B", "FONT", "Body", "hTML", "htmls", "strikes", "a-b"]
ENDS = (
    ">",
    " x>",
    "/>",
    "\n",
    "",
    " x=y z>",
    "\fx='>'>",
    ' x="y"\n/>',
    " x=>",
    ' x="y"z>',
    " =x>",
    " x = y>",
    "/x>",
    " x=é>",
)
TAGS = [f"<{slash}{name}{end}" for slash in ("", "/") for name in NAMES for end in ENDS]
TAGS += [f"<{name} x>text</{end}>" for name in ("b", "B", "strong") for end in ("b", "B", "STRONG", "b ", "i")]
SIGNS = [
    "<",
    ">",
    "&",
    "&#",
    "&#x",
    ";",
    " ",
    "\n",
    "\t",
    "\r",
    "\f",
    "\v",
    "\0",
    "\x1f",
    "\x7f",
    "\x85",
    "\ufffe",
    "\uffff",
]
SIGNS += ["\ufffd", "\uff1f", "ﾁ", "\ud800", "é", "٣", "😀", "text", "\xa0", "K"]
CODES = [*range(70), *range(65_530, 65_540), 0x110000, 10**20]
REFERENCES = [
    form.format(code) for code in CODES for form in ("&#{}", "&#{};", "&#0{}a", "&#x{:x}", "&#X00{:X};", "&#x{:x}g")
]
REFERENCES += ["&#000", "&#2٣", "&#x1٣"]
PARTS = st.one_of(*(st.sampled_from(parts) for parts in (TAGS, SIGNS, REFERENCES)))


def count_formatting(html: str) -> int:
    """The formatting tags that the parser may open again, of pages with few different ones."""
    tags = FORMATTING_TAG.findall(html)
    equal = Counter(tag for tag, _, closed in tags if not closed)
    open_again = sum(min(MAX_EQUAL_FORMATTING, number) for number in equal.values())
    return len(FORMATTING_START.findall(html)) - len(tags) + open_again


def count_within(html: str, max_tags: int, max_elements: int, max_roots: int) -> bool:
    """What the limits look at, counted without the scan."""
    tags = html.count("<")
    return (
        page_limits._remove_controls(html) == html
        and tags <= max_tags
        and tags <= max_elements // max(1, count_formatting(html))
        and len(ROOT_TAG.findall(html)) <= max_roots
    )


def check_scan(html: str, *limits: int) -> None:
    if html.isascii():
        assert is_ordinary(html, *limits) == count_within(html, *limits), (html, limits)
    elif is_ordinary(html, *limits):  # it may send a page with characters of other scripts the longer way
        assert count_within(html, *limits), (html, limits)


def test_the_scan_knows_each_tag_and_each_character():
    for part in (*TAGS, *SIGNS, *REFERENCES):
        for html in (part, f"a{part}b", part * 2):
            for limits in ((9, 9, 9), (1, 9, 9), (9, 3, 9), (9, 9, 0)):
                check_scan(html, *limits)


@given(st.lists(PARTS, max_size=12).map("".join), st.integers(0, 8), st.integers(0, 12), st.integers(0, 3))
def test_the_scan_counts_what_the_limits_count(html, max_tags, max_elements, max_roots):
    check_scan(html, max_tags, max_elements, max_roots)


@given(
    st.lists(st.sampled_from([tag for tag in TAGS if tag[1] in "bB/"]), max_size=12).map("".join), st.integers(0, 40)
)
def test_the_scan_counts_formatting_tags_that_stay_open_as_the_limits_do(html, max_elements):
    check_scan(html, 99, max_elements, 99)


def test_pages_with_many_closed_or_equal_formatting_tags_pass():
    closed = "<p><b class=x>text</b><i title='y'></i>" * 1000
    equal = "<p><b class=x>text<br></b>" * 1000
    assert is_ordinary(closed + equal, *LIMITS)
    assert not is_ordinary(closed + "".join(f"<p><b id=x{place}><br></b>" for place in range(300)), *LIMITS)


@given(st.lists(PARTS, max_size=12).map("".join))
def test_a_page_is_limited_in_the_same_way_with_and_without_the_scan(html):
    assert limit_page(html) == change_page(html)
    if is_ordinary(html, *LIMITS):
        assert change_page(html) == html


@pytest.mark.parametrize(
    "html", ["", "<p>Plain", "<b>é — \ufffd</b> &amp; &#8217; &#x27; 😀", "<html lang=en><body>\r\n\t"]
)
def test_the_scan_lets_ordinary_pages_pass(html):
    assert is_ordinary(html, *LIMITS)
    assert limit_page(html) is html


def test_a_page_is_limited_where_no_extension_module_is_installed():
    program = """
import sys
sys.modules["assay.html.parser._page_scan"] = None  # as if it were not installed
from assay.html.parser.page_limits import limit_page
print(repr(limit_page("<p>a\\0b\\f&#1;" + "<body>" * 22)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == repr("<p>ab " + "<body>" * 20 + "<x-body>" * 2) + "\n"
