"""Less common CSS that hides text, each beside similar CSS that does not."""

import base64
from urllib.parse import quote

import pytest

from assay.html.parser.html_tree import parse_html
from assay.html.reader.main_content import read_main_content

FILLER = "<p>Herons stand in the shallows at dawn and wait for small fish to come within reach of their bills.</p>" * 4
Z = "<p class=x>zebramarker</p>"


def text_of(head, inside):
    page = f"<html><head>{head}</head><body><article><h1>Herons</h1>{FILLER}{inside}{FILLER}</article></body></html>"
    return read_main_content(parse_html(page), "https://birds.example/herons").markdown


def css(sheet):
    return f"<style>{sheet}</style>"


def as_text(sheet):
    return "data:text/css," + quote(sheet)


def in_base64(sheet):
    return "data:text/css;base64," + base64.b64encode(sheet.encode()).decode()


HIDES = ".x{display:none}"
HIDDEN = {
    "a number among those that fit": (css("p:nth-child(1 of .x){display:none}"), f"<div><p>b</p>{Z}</div>"),
    "a picture of no size": ("", '<p>A <img src=/a.png alt="zebramarker here" style="width:0;height:0"> b</p>'),
    "a picture element": (
        css("picture{display:none}"),
        '<picture><source><img src=/a.png alt="zebramarker"></picture>',
    ),
    "has tag": (css("div:has(.x){display:none}"), f"<div>{Z}</div>"),
    "has child": (css("div:has(> .x){display:none}"), f"<div>{Z}</div>"),
    "has plus": (css(".a:has(+ .b){display:none}"), "<p class=a>zebramarker</p><p class=b>b</p>"),
    "has tilde": (css(".a:has(~ .b){display:none}"), "<p class=a>zebramarker</p><p>x</p><p class=b>b</p>"),
    "has body": (css("body:has(.flag) .x{display:none}"), f"<i class=flag></i>{Z}"),
    "has html": (css("html:has(.flag) .x{display:none}"), f"<i class=flag></i>{Z}"),
    "has root": (css(":root:has(.flag) .x{display:none}"), f"<i class=flag></i>{Z}"),
    "has far": (
        css("article:has(.flag) .x{display:none}"),
        f"{Z}" + "<p>Otters and herons share the river at dawn.</p>" * 400 + "<i class=flag></i>",
    ),
    "not has": (css(".x:not(:has(b)){display:none}"), Z),
    "has list": (css("div:has(.zz, .x){display:none}"), f"<div>{Z}</div>"),
    "has in is": (css(":is(div:has(.x)){display:none}"), f"<div>{Z}</div>"),
    "has checked": (css("form:has(input:checked) .x{display:none}"), f"<form><input type=checkbox checked>{Z}</form>"),
    "has attr": (css("div:has([data-a]) .x{display:none}"), f"<div><i data-a></i>{Z}</div>"),
    "import data": (css(f"@import url({as_text(HIDES)});"), Z),
    "import data quoted": (css(f'@import url("{in_base64(HIDES)}") screen;'), Z),
    "import string": (css(f'@import "{in_base64(HIDES)}";'), Z),
    "import string raw": (css('@import "data:text/css,.x%7Bdisplay:none%7D";'), Z),
    "import raw": (css('@import url("data:text/css,.x{display:none}");'), Z),
    "import layer": (css(f"@import url({in_base64(HIDES)}) layer(a);"), Z),
    "import in import": (
        css(f'@import "{in_base64("@import {};".format(chr(34).join(["", in_base64(HIDES), ""])))}";'),
        Z,
    ),
    "link data": (f'<link rel=stylesheet href="{as_text(HIDES)}">', Z),
    "link data64": (f'<link rel="stylesheet" href="{in_base64(HIDES)}">', Z),
    "link charset": ('<link rel=stylesheet href="data:text/css;charset=utf-8,.x{display:none}">', Z),
    "link upper": ('<LINK REL=StyleSheet HREF="DATA:text/css,.x{display:none}">', Z),
    "link in body": ("", f'<link rel=stylesheet href="{as_text(HIDES)}">{Z}'),
    "mask": (css(".x{mask:linear-gradient(transparent,transparent)}"), Z),
    "mask image": (css(".x{mask-image:linear-gradient(transparent,transparent)}"), Z),
    "webkit mask": (css(".x{-webkit-mask-image:linear-gradient(transparent 0 100%)}"), Z),
    "mask rgba": (css(".x{-webkit-mask:linear-gradient(rgba(0,0,0,0),rgba(0,0,0,0))}"), Z),
    "mask url none": ("", '<p style="mask:linear-gradient(#0000,#0000)">zebramarker</p>'),
    "mask size 0": (
        "",
        '<p style="mask:linear-gradient(#000,#000);mask-size:0 0;mask-repeat:no-repeat">zebramarker</p>',
    ),
    "tx": ("", '<p style="transform:translateX(-9999px)">zebramarker</p>'),
    "tx vw": ("", '<p style="transform:translateX(-200vw)">zebramarker</p>'),
    "tx pos": ("", '<p style="transform:translateX(9999px)">zebramarker</p>'),
    "tx pct": ("", '<p style="transform:translateX(-1000%)">zebramarker</p>'),
    "translate prop": ("", '<p style="translate:-9999px 0">zebramarker</p>'),
    "translate prop2": ("", '<p style="translate:0 -9999px">zebramarker</p>'),
    "translate3d": ("", '<p style="transform:translate3d(-9999px,0,0)">zebramarker</p>'),
    "matrix off": ("", '<p style="transform:matrix(1,0,0,1,-9999,0)">zebramarker</p>'),
    "matrix3d off": ("", '<p style="transform:matrix3d(1,0,0,0,0,1,0,0,0,0,1,0,-9999,0,0,1)">zebramarker</p>'),
    "txrule": (css(".x{transform:translateX(-100vw)}"), Z),
    "ty": ("", '<p style="transform:translateY(-9999px)">zebramarker</p>'),
    "backface": ("", '<p style="backface-visibility:hidden;transform:rotateY(180deg)">zebramarker</p>'),
    "backface rule": (css(".x{transform:rotateX(180deg);-webkit-backface-visibility:hidden}"), Z),
    "backface rotate": ("", '<p style="backface-visibility:hidden;rotate:y 180deg">zebramarker</p>'),
    "backface turn": ("", '<p style="backface-visibility:hidden;transform:rotateY(.5turn)">zebramarker</p>'),
    "backface rad": ("", '<p style="backface-visibility:hidden;transform:rotateY(3.14159rad)">zebramarker</p>'),
    "backface scale": ("", '<p style="backface-visibility:hidden;transform:rotate3d(0,1,0,180deg)">zebramarker</p>'),
    "rotate 270": ("", '<p style="transform:rotateY(270deg)">zebramarker</p>'),
    "rotate .25turn": ("", '<p style="transform:rotateY(.25turn)">zebramarker</p>'),
    "rp": ("", "<p>A <ruby>heron<rp>zebramarker</rp><rt>hr</rt></ruby> bird</p>"),
    "rp alone": ("", "<p>A bird <rp>zebramarker</rp></p>"),
    "perspective": ("", '<p style="transform:scale3d(0,0,0)">zebramarker</p>'),
    "scale neg": ("", '<p style="scale:0 1">zebramarker</p>'),
    "scaleX rule": (css(".x{scale:1 0}"), Z),
    "clip-path xywh": ("", '<p style="clip-path:xywh(0 0 0 0)">zebramarker</p>'),
    "clip-path rect": ("", '<p style="clip-path:rect(0 0 0 0)">zebramarker</p>'),
    "webkit-clip-path": ("", '<p style="-webkit-clip-path:inset(100%)">zebramarker</p>'),
    "circle 0 at": ("", '<p style="clip-path:circle(0px at 50% 50%)">zebramarker</p>'),
    "polygon zero area": ("", '<p style="clip-path:polygon(0 0, 100% 0, 100% 0)">zebramarker</p>'),
    "color-mix": ("", '<p style="color:color-mix(in srgb, transparent 100%, red)">zebramarker</p>'),
    "rgb from": ("", '<p style="color:rgb(0 0 0 / 0)">zebramarker</p>'),
    "oklch": ("", '<p style="color:oklch(0.5 0.2 120 / 0)">zebramarker</p>'),
    "opacity calc": ("", '<p style="opacity:calc(0)">zebramarker</p>'),
    "filter brightness": ("", '<p style="filter:opacity(0%)">zebramarker</p>'),
    "filter blur": ("", '<p style="filter:blur(50px)">zebramarker</p>'),
    "font-size calc": ("", '<p style="font-size:calc(0px)">zebramarker</p>'),
    "font-size min": ("", '<p style="font-size:min(0px,1em)">zebramarker</p>'),
    "stroke/webkit fill rule": (css(".x{-webkit-text-fill-color:#fff0}"), Z),
    "inert offset-path": ("", '<p style="position:absolute;inset-inline-start:-9999px">zebramarker</p>'),
    "float margin": ("", '<p style="float:left;margin-left:-300%">zebramarker</p>'),
    "content": ("", '<p style="content:none;display:none">zebramarker</p>'),
    "nested css": (css("article{& .x{display:none}}"), Z),
    "nested css2": (css("article{.x{display:none}}"), Z),
    "layer": (css("@layer a{.x{display:none}}"), Z),
    "scope": (css("@scope (article){.x{display:none}}"), Z),
    "container": (css("@container (min-width:0px){.x{display:none}}"), Z),
    "starting": (css("@media all{@supports (display:grid){.x{display:none}}}"), Z),
    "media not print": (css("@media not print{.x{display:none}}"), Z),
    "media gt": (css("@media (width > 1px){.x{display:none}}"), Z),
    "media or": (css("@media print, screen{.x{display:none}}"), Z),
    "where": (css(":where(.x){display:none}"), Z),
    "lang": (css(":lang(en){display:none}"), "<p lang=en>zebramarker</p>"),
    "dir": (css("p:dir(ltr).x{display:none}"), Z),
    "attr i": (css("[class=X i]{display:none}"), Z),
    "ns": (css("*|p.x{display:none}"), Z),
    "open": (css("details:not([open]) .x, .x{display:none}"), Z),
    "enabled": (css("p.x:not(:disabled){display:none}"), Z),
    "empty sib": (css("i:empty + .x{display:none}"), f"<i></i>{Z}"),
    "var left": (css(".x{--c:-9999px;position:absolute;left:var(--c)}"), Z),
    "var transform": (css(".x{--c:scale(0);transform:var(--c)}"), Z),
    "var clip": (css(".x{--c:inset(100%);clip-path:var(--c)}"), Z),
    "var display inline": ("", '<p style="--d:none;display:var(--d)">zebramarker</p>'),
    "var fallback": ("", '<p style="display:var(--nope,none)">zebramarker</p>'),
    "svg foreign": ("", "<svg><foreignObject><p>zebramarker</p></foreignObject></svg>"),
    "object fallback": ("", "<object data=a.png>zebramarker</object>"),
    "video fallback": ("", "<video>zebramarker</video>"),
    "line-height 0 overflow": ("", '<p style="line-height:0;overflow:hidden;height:auto">zebramarker</p>'),
    "max-height rule sep": (css(".x{max-height:0}.y{overflow:hidden}"), '<p class="x y">zebramarker</p>'),
    "contain": ("", '<p style="contain:strict;width:0;height:0">zebramarker</p>'),
    "contain paint": ("", '<p style="contain:paint;height:0">zebramarker</p>'),
    "flex 0": ("", '<p style="width:0;overflow:clip;white-space:nowrap">zebramarker</p>'),
    "inset huge": ("", '<p style="position:absolute;inset:-9999px auto auto -9999px">zebramarker</p>'),
    "letter-spacing": ("", '<p style="letter-spacing:-1em">zebramarker</p>'),
    "word-spacing/indent": ("", '<p style="text-indent:200%;white-space:nowrap;overflow:hidden">zebramarker</p>'),
    "text-indent 100": ("", '<p style="text-indent:100%;white-space:nowrap;overflow:hidden">zebramarker</p>'),
    "negative z": ("", '<p style="position:absolute;z-index:-1;opacity:0">zebramarker</p>'),
    "text-size-adjust": ("", '<p style="font-size:0.1px">zebramarker</p>'),
    "interpolate": ("", '<p style="display:none;display:blocky">zebramarker</p>'),
    "invalid later": ("", '<p style="display:none;display:foo">zebramarker</p>'),
    "invalid later vis": ("", '<p style="visibility:hidden;visibility:foo">zebramarker</p>'),
    "invalid later op": ("", '<p style="opacity:0;opacity:foo">zebramarker</p>'),
    "invalid later color": ("", '<p style="color:transparent;color:foo">zebramarker</p>'),
    "invalid later fs": ("", '<p style="font-size:0;font-size:foo">zebramarker</p>'),
    "aria": ("", "<p hidden=foo>zebramarker</p>"),
    "backdrop textarea": ("", "<textarea>zebramarker</textarea>"),
    "dialog": ("", "<dialog><p>zebramarker</p></dialog>"),
    "popover manual": ("", "<div popover=manual>zebramarker</div>"),
}

SEEN = {
    "another number among those that fit": (css("p:nth-child(2 of .x){display:none}"), f"<div><p>b</p>{Z}</div>"),
    "no number, of those that do not fit": (css("p:nth-child(1 of .y){display:none}"), f"<div>{Z}</div>"),
    "a picture of some size": ("", '<p>A <img src=/a.png alt="zebramarker here" style="width:10px;height:auto"> b</p>'),
    "has none": (css("div:has(.y){display:none}"), f"<div>{Z}</div>"),
    "has child none": (css("div:has(> .x){display:none}"), f"<div><div class=k>ok</div></div><section>{Z}</section>"),
    "has plus none": (css(".x:has(+ .b){display:none}"), f"{Z}<p>x</p><p class=b>b</p>"),
    "import print": (css(f"@import url({as_text(HIDES)}) print;"), Z),
    "import after": (css(f".y{{color:red}}@import url({as_text(HIDES)});"), Z),
    "link print": (f'<link rel=stylesheet media=print href="{as_text(HIDES)}">', Z),
    "link alternate": (f'<link rel="alternate stylesheet" href="{as_text(HIDES)}">', Z),
    "link not css": ('<link rel="stylesheet" href="data:text/plain,.x{display:none}">', Z),
    "link disabled": (f'<link rel="stylesheet" disabled href="{as_text(HIDES)}">', Z),
    "mask seen": ("", '<p style="mask:linear-gradient(#000,transparent)">zebramarker</p>'),
    "mask url": ("", '<p style="mask-image:url(a.svg)">zebramarker</p>'),
    "mask none": ("", '<p style="mask:none">zebramarker</p>'),
    "tx small": ("", '<p style="transform:translateX(-50%)">zebramarker</p>'),
    "tx px": ("", '<p style="transform:translateX(-20px)">zebramarker</p>'),
    "tx 100%": ("", '<p style="transform:translateX(-100%)">zebramarker</p>'),
    "backface": ("", '<p style="backface-visibility:hidden">zebramarker</p>'),
    "backface z": ("", '<p style="backface-visibility:hidden;transform:translateZ(0)">zebramarker</p>'),
    "backface 360": ("", '<p style="backface-visibility:hidden;transform:rotateY(360deg)">zebramarker</p>'),
    "rotate180": ("", '<p style="transform:rotate(180deg)">zebramarker</p>'),
    "rotateY180": ("", '<p style="transform:rotateY(180deg)">zebramarker</p>'),
    "rt": ("", "<p>A <ruby>heron<rp>(</rp><rt>zebramarker</rt><rp>)</rp></ruby></p>"),
    "details": ("", "<details><summary>More</summary><p>zebramarker</p></details>"),
    "opacity calc": ("", '<p style="opacity:calc(1 - .1)">zebramarker</p>'),
    "matrix": ("", '<p style="transform:matrix(1,0,0,1,-20,0)">zebramarker</p>'),
    "clip-path path": ("", "<p style=\"clip-path:path('M0 0 L 100 0 L 100 100 Z')\">zebramarker</p>"),
    "polygon": ("", '<p style="clip-path:polygon(0 0, 100% 0, 100% 100%)">zebramarker</p>'),
    "scope": (css("@scope (.other){.x{display:none}}"), Z),
    "keyframes fade in": (css("@keyframes k{from{opacity:0}to{opacity:1}}.x{animation:k 1s}"), Z),
    "supports not grid": (css("@supports not (display:grid){.x{display:none}}"), Z),
    "media lt": (css("@media (width < 300px){.x{display:none}}"), Z),
    "var shown": (css(".x{--d:block;display:var(--d)}"), Z),
    "invalid none": ("", '<p style="display:block;display:nono">zebramarker</p>'),
    "invalid vis": ("", '<p style="visibility:hidden;visibility:visible">zebramarker</p>'),
    "color invalid": ("", '<p style="color:black;color:foo">zebramarker</p>'),
    "text-indent": ("", '<p style="text-indent:2em">zebramarker</p>'),
    "blur": ("", '<p style="filter:blur(.5px)">zebramarker</p>'),
    "contain": ("", '<p style="contain:paint;height:200px">zebramarker</p>'),
    "lang": (css(":lang(de){display:none}"), "<p lang=en>zebramarker</p>"),
    "dir": (css("p:dir(rtl).x{display:none}"), Z),
}


@pytest.mark.parametrize(("head", "inside"), HIDDEN.values(), ids=HIDDEN.keys())
def test_text_that_style_hides_is_left_out(head, inside):
    text = text_of(head, inside)
    assert "zebramarker" not in text
    assert "Herons stand" in text


@pytest.mark.parametrize(("head", "inside"), SEEN.values(), ids=SEEN.keys())
def test_text_that_style_leaves_in_sight_is_read(head, inside):
    assert "zebramarker" in text_of(head, inside)


def test_the_brackets_around_how_a_word_is_read_stay():
    text = text_of("", "<p><ruby>鷺<rp>(</rp><rt>sagi</rt><rp>)</rp></ruby> means heron, and that is said here.</p>")
    assert "鷺(sagi)" in text
