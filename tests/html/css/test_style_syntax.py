"""Style sheets are read as a browser reads them. Every expectation was checked in Chromium."""

import pytest
from tests.support.processor_time import assert_linear

from assay.html.parser.html_tree import parse_html
from assay.html.reader.main_content import collect_blocks, read_main_content

FILLER = "<p>Herons stand in the shallows at dawn and wait for small fish to come within reach of their bills.</p>" * 4
TARGET = (
    "<p dir=ltr class='note late' id=note data-kind=aside><span>zebramarker</span></p><p class=seen>okapimarker</p>"
)


def text_of(*sheets: str, body: str = TARGET) -> str:
    head = "".join(f"<style>{sheet}</style>" for sheet in sheets)
    page = f"<!doctype html><html lang=en><head>{head}</head><body><article class=art><h1>Herons</h1>{body}{FILLER}"
    return " ".join(block.text for block in collect_blocks(parse_html(page)).blocks)


HIDING_SHEETS = {
    "a closing brace in brackets": ".note{--a:[}];display:none}",
    "a closing brace in parentheses": ".note{--a:(});display:none}",
    "a block as a value": ".note{--a:{x};display:none}",
    "a comment opener in a URL": ".x{background:url(/*)}.note{display:none}",
    "a comment opener in a string": '.x{content:"/*"}.note{display:none}.y{content:"*/"}',
    "an escaped brace in a class": ".x\\{,.note{display:none}",
    "an escaped attribute name": '[data-kin\\64 ="aside"]{display:none}',
    "an escaped tag": "\\70.note{display:none}",
    "an escaped pseudo-class": ".note:n\\6ft(.x){display:none}",
    "an escaped formula": ".note:nth-child(\\6e){display:none}",
    "an escaped letter in a class": ".n\\6f te{display:none}",
    "an escape in the name of another class": ".x\\:y,.note{display:none}",
    "an escaped bracket before": ".x\\[{color:red}.note{display:none}",
    "an alternative": "article :is(.note){display:none}",
    "an alternative with a step around": ":where(article .note:not(.x)){display:none}",
    "a string with an escape before": '.x{content:"\\e900"}.note{display:none}',
    "a string in brackets before": '[data-x="}"]{color:red}.note{display:none}',
    "a list with a pseudo-element": ".note::before,.note{display:none}",
    "an attribute and a pseudo-class": "[data-kind=aside]:first-of-type{display:none}",
    "a string in a block that does not apply": '@media print{.x{content:"}"}}.note{display:none}',
    "a bracket in a block that does not apply": "@media print{.x{--a:[}]}.y{color:red}}.note{display:none}",
    "a block within one that does not apply": "@media print{@media screen{.x{color:red}}}.note{display:none}",
    "an attribute in any namespace": '[*|data-kind="aside"]{display:none}',
    "an attribute in no namespace": '[|data-kind="aside"]{display:none}',
    "an invalid alternative": ":where(.note,>){display:none}",
    "deep alternatives": f"{':is(' * 10}.note{')' * 10}{{display:none}}",
    "deep negations": ":not(:not(:not(:not(:not(:not(.note)))))){display:none}",
    "a relative with several steps": "article:has(> p > span) .note{display:none}",
    "an element that nobody edits": ".note:read-only{display:none}",
    "no form control": ".note:not(:required):not(:invalid):not(:optional){display:none}",
    "a state that only scripts set": ".note:not(:state(x)):not(:picture-in-picture){display:none}",
    "one of two conditions": "@media (min-width:99999px) or (min-width:1px){.note{display:none}}",
    "a condition in parentheses": "@media ((min-width:1px)){.note{display:none}}",
    "a negated condition": "@media screen and (not (min-width:99999px)){.note{display:none}}",
    "a calculated width": "@media (min-width:calc(1px + 1px)){.note{display:none}}",
    "an exponent in a width": "@media (min-width:1e1px){.note{display:none}}",
    "an aspect ratio": "@media (min-aspect-ratio:1/100){.note{display:none}}",
    "a resolution": "@media (min-resolution:1dpi){.note{display:none}}",
    "a device pixel ratio": "@media (-webkit-min-device-pixel-ratio:0){.note{display:none}}",
    "a screen without a grid": "@media (grid:0) and (monochrome:0) and (min-color:1){.note{display:none}}",
    "a comment in a media query": "@media screen/**/and/**/(min-width:1px){.note{display:none}}",
    "an unsupported value": "@supports not (display:bogus){.note{display:none}}",
    "an escaped import": '@\\69mport "data:text/css,.note%7bdisplay:none%7d";',
    "escapes in the URL of an import": "@import url(data:text/css\\,.note\\{display:none\\});",
    "a fallback in a fallback": ".note{display:var(--zz,var(--yy,none))}",
    "properties that differ in case": ".note{--d:none;--D:block;display:var(--d)}",
    "a reference in capitals": ":root{--d:none}.note{display:VAR(--d)}",
    "a font in a custom property": ":root{--f:0/0 a}.note{font:var(--f)}",
    "layers in their declared order": "@layer a,b;@layer b{.note{display:none}}@layer a{.note{display:block}}",
    "a rule outside layers": ".note{display:none}@layer a{p.note{display:block}}",
    "an important rule of the first layer": "@layer a,b;@layer a{.note{display:none!important}}"
    "@layer b{.note{display:block!important}}",
    "an important rule of a layer": "@layer a{.note{display:none!important}}.note{display:block!important}",
    "a rule outside the layer within": "@layer a{.note{display:none}@layer b{p.note{display:block}}}",
    "layers without a name": "@layer{p.note{display:block}}@layer{.note{display:none}}",
    "a layer within a named one": "@layer a.c,b;@layer b{.note{display:none}}@layer a{@layer c{p.note{display:block}}}",
    "an attribute whose case does not count": ".note[dir=LTR]{display:none}",
    "a rule that is repeated": ".note{display:none}.note{display:block}.note{display:none}",
    "white as hue, whiteness and blackness": ".note{color:hwb(0 100% 0%)}",
    "white as lightness": ".note{color:lab(100 0 0)}",
    "white as perceived lightness": ".note{color:oklch(1 0 0)}",
    "white in a colour space": ".note{color:color(srgb 1 1 1)}",
    "white as a colour of the system": ".note{color:canvas}",
    "no channels at all": ".note{color:rgb(none none none/none)}",
    "no opacity of another colour": ".note{color:rgb(from red r g b/0)}",
    "a calculated opacity of a colour": ".note{color:rgb(0 0 0/calc(0))}",
    "a rare name": ".note{color:moccasin;background:moccasin}",
    "a name and its code": ".note{color:rebeccapurple;background:#663399}",
    "a property of the root": ":root{--w:#fff}.note{color:var(--w)}",
    "a property of its own": ".note{--w:#fff;color:var(--w)}",
    "a property of a property": ":root{--w:#fff}html{--p:var(--w)}.note{color:var(--p)}",
    "a ground from a property": "html{--d:#123}.note{color:#123;background:var(--d)}",
    "a fill from a property": ":root{--t:transparent}.note{-webkit-text-fill-color:var(--t)}",
    "the ground of an element around": ".art{background:#123}.note{color:#123}.seen{color:#fff}",
    "the ground of an element around, from a property": ":root{--d:#123}.art{background:var(--d)}.note{color:#123}",
    "a ground nearer than another": ".art{background:#123}article .note{background:#fff}.note span{color:#fff}",
}


@pytest.mark.parametrize("sheet", HIDING_SHEETS.values(), ids=HIDING_SHEETS.keys())
def test_a_rule_hides_however_it_is_written(sheet):
    text = text_of(sheet)
    assert "zebramarker" not in text
    assert "okapimarker" in text


SHOWING_SHEETS = {
    "a declaration in parentheses": ".note{color:(;display:none;)}",
    "a declaration in brackets": ".note{color:[;display:none;]}",
    "parentheses that stay open": ".note{color:(;display:none}",
    "parentheses that stay open in the rule before": ".x{color:(}.note{display:none}",
    "a comment in a class": ".no/**/te{display:none}",
    "an escaped colon": ".note\\:hover{display:none}",
    "an escaped space": ".x\\ .note{display:none}",
    "a class that is absent, as an alternative": ":is(.x) .note,.note:where(.x){display:none}",
    "a pseudo-class after an attribute": "[data-kind]:hover{display:none}",
    "an open block that does not apply": "@media print{.x{color:red}.note{display:none}",
    "a comment in a property": ".note{dis/**/play:none}",
    "a comment in a value": ".note{display:no/**/ne}",
    "an HTML comment in a rule": ".note{<!-- display:none}",
    "a class after an HTML comment": ".no<!--te{display:none}",
    "a brace too many": "}.note{display:none}",
    "a selector without an end": ".note>{display:none}",
    "a selector without a start": ">.note{display:none}",
    "an unknown media feature": "@media not (bogus:1){.note{display:none}}",
    "an unsupported value": "@supports (display:bogus){.note{display:none}}",
    "a property in other letters": ":root{--D:none}.note{display:var(--d)}",
    "layers in their declared order": "@layer a,b;@layer b{.note{display:block}}@layer a{.note{display:none}}",
    "a rule outside layers": ".note{display:block}@layer a{p.note{display:none}}",
    "an important rule of the first layer": "@layer a,b;@layer a{.note{display:block!important}}"
    "@layer b{.note{display:none!important}}",
    "an important rule of a layer": "@layer a{.note{display:block!important}}.note{display:none!important}",
    "a rule outside the layer within": "@layer a{.note{display:block}@layer b{p.note{display:none}}}",
    "an attribute whose case counts": ".note[data-kind=ASIDE],.note[dir=LTR s]{display:none}",
    "a list item": ".note{display:none}.note{display:list-item}",
    "a colour's name in that of a variable": ".note{color:var(--text-white)}",
    "another ground around": ".art{background:#123}.note{color:#fff}",
    "an image around": ".art{background:url(a.png)}.note{color:#fff}",
    "another ground around, from a property": ":root{--d:#123;--w:#fff}.art{background:var(--d)}.note{color:var(--w)}",
    "another ground on the page": "html{background:#123}.note span{color:#fff}",
    "a property of another theme": ":root{--c:#000}.dark{--c:#fff}.note{color:var(--c)}",
    "a property of another element": ".dark{--c:#fff}.note{color:var(--c,#000)}",
    "a property of its own before that of the root": ":root{--c:#fff}.note{--c:#000;color:var(--c)}",
    "a property that the root reads of itself": ":root{--p:var(--w);--w:#000}.note{--w:#fff;color:var(--p)}",
    "a property of a property of its own": ":root{--c:#fff}.note{--d:#000;--c:var(--d);color:var(--c)}",
}


CLASSES = {
    "a colon": ("m:note", ".m\\:note"),
    "brackets": ("w-[3]", ".w-\\[3\\]"),
    "a digit at the start": ("2note", ".\\32 note"),
    "a letter beyond ASCII": ("nöte", ".nöte"),
    "a character for private use": ("\U000f003a", ".\U000f003a"),
    "a backslash": ("a\\b", ".a\\\\b"),
}


@pytest.mark.parametrize(("name", "selector"), CLASSES.values(), ids=CLASSES.keys())
@pytest.mark.parametrize(
    "around", ["{}", "article {}", "p{}", ":is({})", ":not(.x){}", "{}:first-of-type", "{}[class]"]
)
def test_a_class_is_found_however_it_is_written(name, selector, around):
    body = f'<p class="{name}">zebramarker</p><p>okapimarker</p>'
    text = text_of(f"{around.format(selector)}{{display:none}}", body=body)
    assert "zebramarker" not in text
    assert "okapimarker" in text


@pytest.mark.parametrize("sheet", SHOWING_SHEETS.values(), ids=SHOWING_SHEETS.keys())
def test_a_rule_that_a_browser_drops_hides_nothing(sheet):
    assert "zebramarker" in text_of(sheet)


def test_a_property_that_a_style_attribute_sets_again_is_not_that_of_the_root():
    sheet = ":root{--c:#fff}.note{color:var(--c)}"
    assert "zebramarker" in text_of(sheet, body=f"<div style='--c:#000'>{TARGET}</div>")


def test_a_ground_that_an_external_sheet_may_set_hides_nothing():
    link, sheet = "<link rel=stylesheet href=a.css>", ".art{color:#000}.note{color:#fff}"
    assert "zebramarker" in text_of(sheet, body=link + TARGET)
    assert "zebramarker" not in text_of(sheet)


@pytest.mark.parametrize("left_open", [".x{color:(", '.x{content:"', "/*", "@media print{", "}", ".x["])
def test_a_sheet_ends_with_its_element(left_open):
    assert "zebramarker" not in text_of(left_open, ".note{display:none}")


@pytest.mark.parametrize(
    "style",
    [
        "--a:[;];display:none",
        "x{a}display:none",
        "background:url(data:image/png;base64,aa);display:none",
        "background:URL(data:a;{}[];display:block);display:none",
        "background:url(a;b);/*url(*/display:none;/*)*/",
        "background:url(a;b);content:'url(';display:none;quotes:')'",
        "content:';';display:none",
    ],
)
def test_a_style_attribute_hides_after_unusual_declarations(style):
    assert "zebramarker" not in text_of(body=f'<p style="{style}">zebramarker</p>')


@pytest.mark.parametrize(
    "style",
    [
        "background:url(data:a;display:none;b)",
        "background:url(a;b);content:'url(c;display:none;d)'",
        "background:url(a;b);content:'url(';quotes:';display:none;)'",
        "background:url(a;b);color:green/*;display:none;url(*/",
    ],
)
def test_a_style_attribute_hides_nothing_by_what_a_url_or_string_holds(style):
    assert "zebramarker" in text_of(body=f'<p style="{style}">zebramarker</p>')


HOSTILE_SHEETS = {
    "brackets": "[" * 300_000,
    "nested functions": f"{':is(' * 100_000}p{')' * 100_000}{{display:none}}",
    "nested values": f".note{{color:{'rgb(' * 4_000}}}",
    "nested conditions": f"@media {'(' * 240}width{')' * 240}{{.note{{display:none}}}}",
    "signs without a number": "p:nth-child(n+){display:none}p:nth-child(-n-){display:none}p:nth-child(+){display:none}",
    "colours without arguments": "p{color:color();color:rgb(/);color:hsl(none none);color:color(/ 0);color:lab(a b c)}",
    "attributes without a name": "[]{display:none}[=]{display:none}[|]{display:none}[*|]{display:none}[a=]{display:none}",
    "empty functions": ":is(){display:none}:has(){display:none}:not(){display:none}:nth-child(of){display:none}::{a:b}",
}


@pytest.mark.parametrize("sheet", HOSTILE_SHEETS.values(), ids=HOSTILE_SHEETS.keys())
def test_a_page_with_an_invalid_sheet_is_read(sheet):
    page = f"<style>.x{{display:none}}{sheet}</style><p class=x>zebramarker<p class=note>okapimarker{FILLER}"
    text = read_main_content(parse_html(page), "https://birds.example/").markdown
    assert "zebramarker" not in text
    assert "Herons stand" in text


LONG_SHEETS = {
    "properties of the root and of elements": lambda n: (
        "<style>b{display:none}:root{"
        + "".join(f"--r{number}:#fff;" for number in range(n))
        + "}</style>"
        + "".join(f"<p style='--e{number}:#fff;left:var(--r1);color:var(--e{number})'>x</p>" for number in range(n))
    ),
    "properties in a chain": lambda n: (
        "<style>b{display:none}:root{--c0:#fff;"
        + "".join(f"--c{number + 1}:var(--c{number});" for number in range(n))
        + f"}}p{{color:var(--c{n})}}</style>"
        + "<p>x</p>" * n
    ),
    "blocks that do not apply": lambda n: (
        "<style>b{display:none}"
        + "@media print{a{b:c}" * n
        + "</style><style>@media print{"
        + "a{b:c}" * n
        + "'</style>"
    ),
    "classes in a selector": lambda n: (
        f"<style>.x{{display:none}}{'.a' * 4 * n}:first-child{{display:none}}{'.a' * 4 * n}.{{display:none}}</style>"
        "<p class='a x'>y</p>"
    ),
    "space in selectors": lambda n: (
        f"<style>.x{{display:none}}a{' ' * 8 * n}>*{{display:none}}</style><p class=x>y</p>"
    ),
    "brackets in selectors": lambda n: (
        "<style>.x{display:none}" + "a[b='[\"['\"]" * n + "{display:none}</style><p>y</p>"
    ),
    "dashes in a declaration": lambda n: (
        f"<style>b{{display:none}}i{{é{'-' * 64 * n}}}p{{--a:#fff}}</style><p style='left:var(--a)'>x</p>"
    ),
    "grounds of deep elements": lambda n: (
        "<style>div{background:#123}p{color:#fff}</style>" + "<div>" * 80 + "<p>x</p>" * n
    ),
    "keyframes": lambda n: (
        "<style>p{opacity:0;animation:k1 1s forwards}"
        + "".join(f"@keyframes k{number}{{to{{opacity:1}}}}" for number in range(n))
        + "</style><p>x</p>"
    ),
    "keyframes without an end": lambda n: (
        "<style>p{opacity:0;animation:a 1s forwards}" + "@keyframes a{" * n + f"@keyframes{' ' * 8 * n}</style><p>x</p>"
    ),
    "animations of an element": lambda n: (
        "<style>@keyframes a{to{opacity:1}}p{opacity:0;animation:"
        + "a 1s,a(,a(((" * n
        + ";animation-name:"
        + "a," * n
        + "}</style><p>x</p>"
    ),
    "animated elements": lambda n: (
        "<style>@keyframes a{to{opacity:1}}</style>"
        + "".join(f"<p style='opacity:0;--n:{number};animation:a 1s forwards'>x</p>" for number in range(n))
    ),
    "grounds of neighbours": lambda n: "<style>div{background:#123}p{color:#fff}</style>" + "<div><p>x</p></div>" * n,
}


@pytest.mark.parametrize("make", LONG_SHEETS.values(), ids=LONG_SHEETS.keys())
def test_the_time_for_styles_grows_with_the_page_alone(make):
    assert_linear(collect_blocks, lambda n: parse_html(f"<body>{make(n)}</body>"))
