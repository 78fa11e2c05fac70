"""The compiled scan of style sheets and its twin in Python find the same rules."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.processor_time import assert_linear

from assay.html.css import _rule_scan as compiled
from assay.html.css import rule_scan as pure
from assay.html.css.cascade_layers import UNLAYERED
from assay.html.css.css_syntax import split_list
from assay.html.css.selector_text import may_concern

NAMES = {".a", "#b", ".é", ".a:b", ".ab"}
SHEETS = {
    "ordinary": ".a, #b > p{color:red}\n.c:hover{}\n h1 { margin : 0 }",
    "brackets": "a[href^='x.y']:not(.z){width:calc(1px + (2px * var(--w)));grid-area:[x] 1}",
    "strings": """.a::before{content:"}\\"{"}b{background:url("x;y.png");quotes:'"' '\\''}""",
    "escapes": ".a\\:b{color:red}.\\31 0{--x:\\7d}.c\\\n{}",
    "statements": "@import 'x';@layer a,b;.a{top:0}@media print{.a{top:1px}.b{top:2px}}.c{top:3px}",
    "nesting": ".a{color:red;.b{top:0}&:is(.c, #d){top:1px}}",
    "URLs without quotation marks": ".a{background:url(data:image/png;base64,a/b=)}.b{background:url(it's.png)}",
    "spaces of other scripts": "\u2003.a\xa0{\u2003}\x85.b\x85{top:0}\x1c{left:0}?{?}\u2003{x}",
    "other scripts": ".é, #水獭 > i{content:'“”'}.\U000f0041{top:0}.\U0001f9a6{}",
    "half of a surrogate pair": ".a\ud800, .a{content:'\udfff'}",
    "null bytes": ".a\0b, .c{top:\0 0}",
    "nothing": "",
    "only spaces": " \n\t",
    "unclosed": ".a{color:red",
    "closing brackets": ")]}.a)]{)}]",
    "deep parentheses": ".a{width:(((1px)))}.b{width:((((1px))))}",
    "alternatives": ":is(.a,.z) b, p:where(.z):hover, ::is(.a)b, .a:not(:is(#b)), :where(.zz) i, .a:nth-child(2n of .b)[x]c",
    "brackets before arguments": ".a:is[x](.zz), .a:where[x][y='z'](.zz) b, p::is[x](p), .a:not(:is[x](.zz)), .a:is[x] (.zz)",
    "lists": """a[b="c,d"], .a:is(#b,.c), .zz:not(.a), x\\,y, q["], [a='\\'',b], url(,), {,}, .a::before, i(,,""",
    "a list without end": "(" * 40 + "," + "[" * 40,
    "braces": "{" * 300 + "}" * 301,
    "comments": ".a/**/{top:/*}*/0}/*" + ".b{top:0}",
    "custom properties": ".a{--a:0;--b :var(--c);--d--e\n:0;f--g:0;---h:0;--:0;-- i:0;--j}",
    "marks": "<!-- .a{top:0} --> .b{top:0}",
}  # fmt: skip
MARKS = [*"{}()[]\"'\\;@:.#,->+~* \n\f?"]
WORDS = ["a", "z", "é", "\u2003", "\ud800", ".a", "#b", ".zz", ":is(", ":not(", "url(", "[x=y]", "::", "hover", "--"]
PARTS = st.sampled_from([*MARKS, *WORDS, ".a{b:c}", "p{", "a(b){c:'d'}"])


def read_names(body: str) -> set[str]:
    return {f"?{body}"} if "\\" in body or "/*" in body else pure.find_declared(body)


def compare_scans(sheet: str) -> None:
    codes = sheet.encode("ascii", "replace")
    for start in {0, len(sheet) // 3, len(sheet)}:
        found = compiled.cut_rules(sheet, codes, start, UNLAYERED)
        assert found == pure.cut_rules(sheet, codes, start, UNLAYERED)
    body = sheet.encode("ascii", "ignore").decode()
    assert compiled.find_declared(body) == pure.find_declared(body)
    declaring = [*found[0], (sheet, body, UNLAYERED), ("p", sheet, UNLAYERED), ("b", f"--a:0;{sheet}", UNLAYERED)]
    assert compiled.group_by_declared(declaring, read_names) == pure.group_by_declared(declaring, read_names)
    rules = [*found[0], (sheet, "top:0", UNLAYERED), (sheet[::-1], "left:0", UNLAYERED), (sheet, "top:0", UNLAYERED)]
    for max_selectors, max_rules in product((2, 100), (0, 100)):
        limits = (max_selectors, max_rules, split_list, may_concern)
        concerned = compiled.find_concerned(rules, NAMES, *limits)
        assert [*concerned.items()] == [*pure.find_concerned(rules, NAMES, *limits).items()]


@pytest.mark.parametrize("sheet", SHEETS.values(), ids=SHEETS)
def test_a_sheet_has_the_same_rules_with_and_without_the_extension_module(sheet):
    compare_scans(sheet)


@given(st.lists(PARTS, max_size=14).map("".join))
def test_any_text_has_the_same_rules_with_and_without_the_extension_module(text):
    compare_scans(text)


def test_the_rules_that_may_concern_a_document_are_found():
    sheet = ".a{top:0}.zz{top:0}p:hover{top:0}.a:not(.zz), #b[x='.,']{left:0}.a{top:0}"
    rules, end = compiled.cut_rules(sheet, sheet.encode(), 0, UNLAYERED)
    assert end == len(sheet)
    assert compiled.find_concerned(rules, NAMES, 100, 100, split_list, may_concern) == {
        (".a", "top:0", UNLAYERED): 6,
        (".a:not(.zz)", "left:0", UNLAYERED): 4,
        (" #b[x='.,']", "left:0", UNLAYERED): 5,
    }


@pytest.mark.parametrize(
    "part",
    [
        "{",
        "}",
        "(",
        "[",
        "a{(",
        "a{[",
        '"',
        "a{'",
        "\\",
        "@a",
        ".a,",
        ".a(,",
        ":is(",
        ".a{b:c}",
        "a{b{",
        "/*",
        "--",
        "-a-",
        "--a ",
    ],
)
def test_the_time_of_the_scan_grows_with_the_sheet(part):
    def scan(sheet: str) -> None:
        compiled.cut_rules(sheet, sheet.encode(), 0, UNLAYERED)
        assert compiled.find_declared(sheet) == pure.find_declared(sheet)
        compiled.group_by_declared([("p", sheet, UNLAYERED)], read_names)
        compiled.find_concerned([(sheet, "", UNLAYERED)], NAMES, 100_000, 20_000, split_list, may_concern)

    assert_linear(scan, lambda many: part * many, first=4_000, largest=64_000)


def fail(*_):
    raise ZeroDivisionError


@pytest.mark.parametrize("selectors", ["url(,", "\ud800,.a", ".a\\:b", ".a:is(.b)", "\u2003"])
def test_a_failure_to_judge_a_selector_is_passed_on(selectors):
    rules = [(".a", "top:0", UNLAYERED), (selectors, "top:0", UNLAYERED)]
    with pytest.raises(ZeroDivisionError):
        compiled.find_concerned(rules, NAMES, 9, 9, split_list, fail)


@pytest.mark.parametrize("body", ["--\\61:0", "/**/--a:0", "--é:0", "--a:\ud800"])
def test_a_failure_to_read_the_names_of_an_unusual_body_is_passed_on(body):
    rules = [(".a", "--a:0", UNLAYERED), (".b", "top:0", UNLAYERED), (".c", body, UNLAYERED)]
    with pytest.raises(ZeroDivisionError):
        compiled.group_by_declared(rules, fail)
    assert compiled.group_by_declared(rules[:2], fail) == {"--a": [(".a", "--a:0")]}


@pytest.mark.parametrize("selectors", ["url(,", "\ud800,.a"])
def test_a_failure_to_split_a_list_is_passed_on(selectors):
    with pytest.raises(ZeroDivisionError):
        compiled.find_concerned([(selectors, "top:0", UNLAYERED)], NAMES, 9, 9, fail, may_concern)


@pytest.mark.parametrize(("max_selectors", "max_rules"), [(1, 9), (9, 0)])
def test_no_list_is_split_after_the_last_selector_that_counts(max_selectors, max_rules):
    rules = [(".a", "top:0", UNLAYERED), ("url(,", "top:0", UNLAYERED)]
    assert len(compiled.find_concerned(rules, NAMES, max_selectors, max_rules, fail, may_concern)) == 1


def test_rules_that_change_while_they_are_examined_do_no_harm():
    rules = [("url(,", "top:0", UNLAYERED)] * 4
    names = {".a"}

    def forget(text, _):
        rules.clear()
        names.clear()
        return bool(text)

    assert compiled.find_concerned(rules, names, 9, 9, split_list, forget)


def test_wrong_types_are_errors():
    limits = (100, 100, split_list, may_concern)
    with pytest.raises(TypeError):
        compiled.find_declared(b"--a:0")  # type: ignore[arg-type]
    with pytest.raises(UnicodeEncodeError):
        compiled.find_declared("--a:\ud800")
    with pytest.raises(ValueError, match="do not fit the sheet"):
        compiled.cut_rules("abc", b"ab", 0, UNLAYERED)
    with pytest.raises(ValueError, match="do not fit the sheet"):
        compiled.cut_rules("abc", b"abc", 4, UNLAYERED)
    for rules in [(), [".a"], [(".a", "b")], [(1, "b", UNLAYERED)], [(".a", "b", [])]]:
        with pytest.raises(TypeError):
            compiled.find_concerned(rules, NAMES, *limits)  # type: ignore[arg-type]
    for rules in [(), [".a"], [(".a", "--b:0")], [(1, "--b:0", UNLAYERED)], [(".a", 1, UNLAYERED)]]:
        with pytest.raises(TypeError):
            compiled.group_by_declared(rules, read_names)  # type: ignore[arg-type]
    for wrong in (None, lambda _: 1):
        with pytest.raises(TypeError):
            compiled.group_by_declared([(".a", "--\\b:0", UNLAYERED)], wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        compiled.find_concerned([("url(,", "", UNLAYERED)], NAMES, 9, 9, lambda _: ("a",), may_concern)  # type: ignore[arg-type,return-value]
    with pytest.raises(TypeError):
        compiled.find_concerned([("url(,", "", UNLAYERED)], NAMES, 9, 9, lambda _: (1,), may_concern)  # type: ignore[arg-type,return-value]
