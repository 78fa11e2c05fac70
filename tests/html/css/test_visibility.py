"""Text that is invisible to a reader is never returned; visible text always is."""

import pytest

from assay.html.parser.html_tree import parse_html
from assay.html.reader.main_content import collect_blocks, read_main_content

FILLER = "<p>Herons stand in the shallows at dawn and wait for small fish to come within reach of their bills.</p>" * 4


def text_of(inside: str, head: str = "") -> str:
    page = f"<html><head>{head}</head><body><article><h1>Herons</h1>{FILLER}{inside}{FILLER}</article></body></html>"
    return read_main_content(parse_html(page), "https://birds.example/herons").markdown


INLINE = {
    "display": "display:none",
    "display in capitals": "DISPLAY: NONE",
    "display and important": "display : none ! important",
    "display between others": "color:red;display:none;margin:0",
    "display with a comment inside": "display:/* shown */none",
    "display with a comment in the name": "dis/**/play:none; display:none",
    "display with an escape": r"d\69splay:n\6f ne",
    "display, the later counts": "display:block;display:none",
    "display, the important counts": "display:none!important;display:block",
    "visibility": "visibility:hidden",
    "visibility collapse": "visibility: collapse",
    "opacity": "opacity:0",
    "opacity with decimals": "opacity: 0.00",
    "opacity nearly none": "opacity:.01",
    "opacity in per cent": "opacity:0%",
    "filter": "filter: opacity(0)",
    "no size": "font-size:0",
    "no size with a unit": "font-size: 0px",
    "one pixel": "font-size:1px",
    "half a point": "font-size:.5pt",
    "one per cent": "font-size:1%",
    "font shorthand": "font: 0/0 a",
    "transparent": "color:transparent",
    "no alpha": "color:rgba(10,20,30,0)",
    "no alpha in hexadecimal": "color:#12345600",
    "no alpha in hsl": "color:hsla(120, 50%, 50%, 0)",
    "fill colour": "-webkit-text-fill-color: transparent",
    "ground's colour": "color:#fff;background:#fff",
    "relative to the ground's colour": "background:#fff;color:rgb(from white r g b)",
    "relative to the ground's colour in another space": "background:#fff;color:oklch(from #fff l c h / 1)",
    "relative with channels of its own": "background:#fff;color:rgb(from black 255 100% 255)",
    "relative with channels of another": "background:#ff0000;color:rgb(from #0000ff b g r)",
    "relative in a named space": "background:#fff;color:color(from rgb(from white r g b) srgb r g b)",
    "ground's colour in other words": "color:white;background-color:rgb(255, 255, 255)",
    "almost ground's colour": "color:#fefefe;background:#ffffff",
    "dark on dark": "background:#000;color:#010101",
    "white on the page": "color:#ffffff",
    "left of the screen": "position:absolute;left:-9999px",
    "left of the screen in ems": "position: fixed; left: -999em",
    "above the screen": "position:absolute;top:-10000px",
    "right of the screen": "position:absolute;left:99999px",
    "margin": "margin-left:-9999px",
    "indent": "text-indent:-9999px",
    "indent in ems": "text-indent: -100em; overflow: hidden",
    "scaled away": "transform:scale(0)",
    "scaled flat": "transform: scaleY(0)",
    "matrix": "transform:matrix(0,0,0,0,0,0)",
    "translated": "transform:translateX(-9999px)",
    "turned edge on": "transform:rotateY(90deg)",
    "clip": "position:absolute;clip:rect(0,0,0,0)",
    "clip to a pixel": "position:absolute; clip: rect(1px, 1px, 1px, 1px)",
    "clip path": "clip-path:inset(50%)",
    "clip path all": "clip-path: inset(100%)",
    "clip path circle": "clip-path:circle(0)",
    "clip path polygon": "clip-path: polygon(0 0, 0 0, 0 0)",
    "no height": "height:0;overflow:hidden",
    "no height at most": "max-height:0px; overflow-y:hidden",
    "no width": "width:0;overflow:hidden",
    "a pixel square": "position:absolute;width:1px;height:1px;overflow:hidden",
    "content visibility": "content-visibility:hidden",
    "zoom": "zoom:0",
    "scale property": "scale: 0",
    "difference of lengths": "font-size:calc(16px - 16px)",
    "clamped size": "font-size:clamp(0px, 0px, 1px)",
    "calculated opacity": "opacity:calc(1 - 1)",
    "calculated height": "height:calc(1px - 1px);overflow:hidden",
    "smallest of heights": "height:min(0px, 100%);overflow:hidden",
    "three pixels": "height:3px;overflow:hidden",
    "a picture in place of the text": "content:url(a.gif)",
    "a gradient in place of the text": "content: linear-gradient(red, blue)",
    "clipped left of the element": "clip-path:polygon(-10px -10px,-5px -10px,-5px -5px)",
    "a clipping circle above the element": "clip-path:circle(1px at 50px -100px)",
    "indented by the window": "text-indent:100vw;overflow:hidden;white-space:nowrap",
    "padding above a box without height": "height:0;padding:56.25% 0 0;overflow:hidden",
    "a little padding below a box without height": "height:0;padding-bottom:4px;overflow:hidden",
    "padding as high as the box": "padding-top:100px;height:50px;box-sizing:border-box;overflow:hidden",
    "padding of all sides as high as the box": "padding:40px 0 0;height:40px;box-sizing:border-box;overflow:clip",
    "padding as wide as the box": "padding-left:100%;overflow:hidden;white-space:nowrap",
    "a border as high as the box": "border-top:50px solid #fff;height:50px;box-sizing:border-box;overflow:hidden",
    "no adjusted size": "font-size-adjust:0",
    "no adjusted size of a metric": "font-size-adjust: ex-height 0",
    "behind the viewer": "transform:perspective(100px) translateZ(200px)",
    "turned around a far point": "transform-origin:-5000px;transform:rotate(180deg)",
    "a column": "display:table-column",
    "a group of columns": "display:table-column-group",
    "cut from no ground": "color:transparent;background:none;-webkit-background-clip:text",
    "contained without a size": "contain:strict",
    "contained and clipped without a size": "contain:size;overflow:hidden",
    "rows without height": "display:grid;grid-template-rows:0;overflow:hidden",
    "several rows without height": "display:grid;grid-template-rows:0px 0px;grid-auto-rows:0;overflow:hidden",
    "an unknown variable of the browser": "font-size:env(nope, 0px)",
    "black on a ground made black": "background:#fff;filter:brightness(0) invert(1)",
    "a filter by a property": "--o:0;filter:opacity(var(--o))",
    "a height by a property": "--h:0px;height:var(--h);overflow:hidden",
    "above the window by all sides": "position:fixed;inset:auto auto 100vh auto",
    "a line whose middle is below the box": "line-height:400px;height:20px;overflow:hidden",
    "a line of many times the font's height": "line-height:99;height:20px;overflow:hidden",
    "a scrolled pane of no height at most": "max-height:0;overflow:auto",
    "block size": "block-size:0;overflow:hidden",
    "inset from two sides": "clip-path:inset(0 60% 0 60%)",
    "a slanting line": "clip-path:polygon(0 0, 100% 100%, 50% 50%)",
    "clip without height": "position:absolute;clip:rect(auto, auto, 0, auto)",
    "skewed flat": "transform:skewX(90deg)",
    "no contrast": "filter:contrast(0)",
    "margin of four sides": "margin:0 0 0 -9999px",
    "inline margin": "margin-inline:-9999px 0",
    "right of the window": "position:fixed;left:100%",
    "below the window": "position:fixed;top:100vh",
    "ground in the text's colour": "color:#123;background:currentcolor",
    "logical height at most": "max-block-size:0;overflow:hidden",
    "logical width at most": "max-inline-size:0;overflow:hidden",
    "logical overflow": "block-size:0;overflow-block:hidden",
    "beyond the end of lines": "position:absolute;inset-inline-end:9999px",
    "a field's colour": "color:field",
    "gradient of one colour": "color:#123;background:linear-gradient(90deg, #123 0%, #123 100%)",
    "gradient image of one colour": "color:#123;background-image:linear-gradient(#123,#123)",
    "text cut from a white ground": "background:#fff;-webkit-background-clip:text;color:transparent",
}


@pytest.mark.parametrize("style", INLINE.values(), ids=INLINE.keys())
def test_inline_style_that_hides_is_obeyed(style):
    text = text_of(f'<p style="{style}">zebramarker</p><p>Visible okapimarker.</p>')
    assert "zebramarker" not in text
    assert "okapimarker" in text


@pytest.mark.parametrize("style", INLINE.values(), ids=INLINE.keys())
def test_what_hides_an_element_hides_what_it_holds(style):
    text = text_of(
        f"<div style='{style}'><p>One <b>zebramarker</b></p><ul><li>two zebramarker</li></ul></div><p>okapimarker</p>"
    )
    assert "zebramarker" not in text
    assert "okapimarker" in text


@pytest.mark.parametrize(
    "style",
    ["display:none", "visibility:hidden", "opacity:0", "font-size:0", "color:transparent", "text-indent:-999em"],
)
def test_style_hides_a_span_within_a_sentence(style):
    text = text_of(f'<p>The okapi <span style="{style}">zebramarker</span> lives in forests.</p>')
    assert "The okapi lives in forests." in text


STRUCTURE = {
    "hidden": "<p hidden>zebramarker</p>",
    "hidden with a value": '<p hidden="hidden">zebramarker</p>',
    "hidden until found": '<div hidden="until-found"><p>zebramarker</p></div>',
    "hidden, said false": '<p hidden="false">zebramarker</p>',
    "closed dialog": "<dialog>zebramarker</dialog>",
    "template": "<template><p>zebramarker</p></template>",
    "noscript": "<noscript><p>zebramarker</p></noscript>",
    "drawn text": "<svg><text x=1 y=9>zebramarker</text><title>zebramarker</title></svg>",
    "comment": "<!-- zebramarker --><!--> <p>zebramarker</p> -->"[:20],
    "conditional comment": "<!--[if lt IE 9]><p>zebramarker</p><![endif]-->",
    "script": "<script>var a = 'zebramarker'</script>",
    "script in JSON": '<script type="application/json">{"a": "zebramarker"}</script>',
    "style": "<style>.zebramarker { color: red }</style>",
    "hidden input": '<input type="hidden" value="zebramarker">',
    "data list": "<datalist><option>zebramarker</option></datalist>",
    "title of a frame": '<iframe title="zebramarker">zebramarker</iframe>',
    "attribute": '<p data-note="zebramarker" title="zebramarker" aria-label="zebramarker">Seen.</p>',
    "white font": '<font color="#FFFFFF">zebramarker</font>',
    "ground of a cell": '<table><tr><td bgcolor="black"><font color="black">zebramarker</font></td><td>b</td></tr></table>',
    "inherited ground": '<div style="background:#222"><p style="color:#222">zebramarker</p></div>',
    "white font without a sign": '<font color="ffffff">zebramarker</font>',
    "text for browsers without plug-ins": "<noembed>zebramarker</noembed>",
    "hidden formula": '<math style="display:none" alttext="zebramarker"><mi>zebramarker</mi></math>',
    "part of a formula": '<math><mi>a</mi><mtext style="display:none">zebramarker</mtext><mphantom><mi>zebramarker</mi></mphantom></math>',
    "hidden in an open formula": '<math><mi>a</mi><p style="display:none">zebramarker</p>',
    "hidden around a formula": '<span class="katex" hidden><math alttext="zebramarker"></math></span>',
    "opacities multiplied": "<div style='opacity:.2'><p style='opacity:.2'>zebramarker</p></div>",
    "scales multiplied": "<div style='transform:scale(.2)'><p style='scale:.2'>zebramarker</p></div>",
    "zooms multiplied": "<div style='zoom:.2'><p style='zoom:20%'>zebramarker</p></div>",
    "a formula in the ground's colour": "<math mathcolor=white><mtext>zebramarker</mtext></math>",
    "a formula without size": "<math mathsize=0><mtext>zebramarker</mtext></math>",
    "a part of a formula in the ground's colour": "<math><mi>a</mi><mtext mathcolor='#123' mathbackground='#123'>zebramarker</mtext></math>",
    "an action of a formula": "<math><mi>a</mi><maction actiontype=toggle><mi>b</mi><mtext>zebramarker</mtext></maction></math>",
    "a style of a shadow tree": "<div><template shadowrootmode=open><style>p{display:none}</style><p>zebramarker</p></template></div>",
    "a style of a closed shadow tree": "<div><template shadowrootmode=closed><style>b,.a{opacity:0}</style><p class=a>zebramarker</p></template></div>",
    "a style of a shadow host": "<x-y><template shadowrootmode=open><style>:host{display:none}</style><p>zebramarker</p></template></x-y>",
    "a style of a shadow host with a class": "<x-y class=a><template shadowrootmode=open><style>:host(.a) p{color:transparent}</style><p>zebramarker</p></template></x-y>",
    "a style of slotted text": "<x-y><template shadowrootmode=open><style>::slotted(p){display:none}</style><slot></slot></template><p>zebramarker</p></x-y>",
    "a style of a shadow tree with an at-rule": "<x-y><template shadowrootmode=open><style>@media screen{div p,:host(:not([open])) p{display:none}}</style><p>zebramarker</p></template></x-y>",
    "a second shadow tree": "<div><template shadowrootmode=open><slot></slot></template><template shadowrootmode=open><p>zebramarker</p></template><p>x</p></div>",
    "a shadow tree of what can have none": "<blockquote><em><template shadowrootmode=open>zebramarker</template></em></blockquote>",
    "a shadow tree in a template": "<template><div><template shadowrootmode=open><p>zebramarker</p></template></div></template>",
    "no slot": "<div><template shadowrootmode=open><b>a</b></template><p>zebramarker</p></div>",
    "no slot of the name": "<div><template shadowrootmode=open><slot name=a></slot></template><p>zebramarker</p></div>",
    "meta": '<meta name="x" content="zebramarker">',
}


@pytest.mark.parametrize("markup", STRUCTURE.values(), ids=STRUCTURE.keys())
def test_elements_that_show_nothing_say_nothing(markup):
    text = text_of(f"{markup}<p>Visible okapimarker.</p>")
    assert "zebramarker" not in text
    assert "okapimarker" in text


SHEETS = {
    "class": ".note {display:none}",
    "class among others": "p{margin:0} .note,.other{color:red;display:none}",
    "id": "#note{visibility:hidden}",
    "tag": "article p.note { opacity: 0 }",
    "descendant": "article .note { font-size: 0 }",
    "child": "article > .note { display:none }",
    "compound": "p.note.late{display:none}",
    "attribute": '[data-kind="aside"]{display:none}',
    "attribute that begins": '[data-kind^="as"]{display:none}',
    "not": ".note:not(.active){display:none}",
    "important": ".note{display:none!important} .late{display:block}",
    "more specific first": "p.note{display:none} .late{display:block}",
    "off screen": ".note{position:absolute;left:-9999px}",
    "in two rules": ".note{height:0} .late{overflow:hidden}",
    "clip": ".note{clip:rect(0 0 0 0);position:absolute}",
    "transparent": ".note{color:transparent}",
    "same colour": "body{background:#fff} .note{color:#fff}",
    "same colour in one rule": ".note{color:#123;background:#123}",
    "indent": ".note{text-indent:-9999px}",
    "in a layer": "@layer base { .note { display: none } }",
    "on screens": "@media screen { .note { display: none } }",
    "where supported": "@supports (display: grid) { .note { display: none } }",
    "after a comment": "/* .note { display: block } */ .note { display: none }",
    "an escaped property": r".note { d\69splay: none }",
    "an escaped class": r".n\6fte { display: none }",
    "nested": "article { .note { display: none } }",
    "no closing brace": ".note{display:none",
    "where the container is wide": "@container (inline-size > 1px) { .note { display: none } }",
    "calculated": ".note{font-size:calc(16px - 16px)}",
    "few pixels": ".note{max-height:2px;overflow:hidden}",
    "opacities multiplied": ".note,.note span{opacity:.2}",
    "scales multiplied": ".note,.note span{transform:scale(.2)}",
    "padding as wide as the box": ".note{padding-left:100%} .late{overflow:hidden}",
    "padding as high as the box": ".note{box-sizing:border-box;padding-top:200px;height:200px} .late{overflow:hidden}",
    "a picture in place of the text": ".note{content:url(a.png)}",
    "a filter by a property": ":root{--none:0} .note{filter:opacity(var(--none))}",
    "rows without height": ".note{display:grid;grid-template-rows:0px;overflow:hidden}",
    "lines below the box": ".note{line-height:300px;height:1em} .late{overflow:hidden}",
    "ground in the text's colour": ".note{color:#345;background-color:currentColor}",
    "gradient of one colour": ".note{color:#123;background:linear-gradient(#123,#123)}",
    "right of the window": ".note{position:fixed;left:100%}",
    "a brace in a string": '.x::before{content:"}"} .note{display:none}',
    "after an import": '@import url("a.css"); .note{display:none}',
    "an animation that has ended": "@keyframes out{to{opacity:0}} .note{animation:out 1s forwards}",
    "an animation of visibility": "@keyframes out{from{color:red}to{visibility:hidden}} .note{animation:out .2s ease-in 1s both}",
    "an animation by its parts": ".note{animation-name:out;animation-duration:1s;animation-fill-mode:forwards} @keyframes out{99%,100%{display:none}}",
    "an animation in two rules": "@keyframes out{to{opacity:0}} .note{animation-name:Out} .late{animation-fill-mode:both}",
    "an animation with a prefix": "@-webkit-keyframes out{to{opacity:0}} .note{-webkit-animation:out 1s forwards}",
    "an animation backwards": "@keyframes in{from{opacity:0}to{opacity:1}} .note{animation:in 1s reverse forwards}",
    "an animation there and back": "@keyframes in{from{opacity:0}to{opacity:1}} .note{animation:in 1s 2 alternate forwards}",
    "an animation without change": "@keyframes out{from,to{opacity:0}} .note{animation:out 1s infinite}",
    "an animation of days": "@keyframes in{from{opacity:0}to{opacity:1}} .note{animation:in 100000s linear}",
    "an animation in days": "@keyframes in{from{opacity:0}to{opacity:1}} .note{opacity:0;animation:in 1s 100000s forwards}",
    "the last of two animations": "@keyframes in{to{opacity:1}} @keyframes out{to{opacity:0}} .note{animation:in 1s forwards,out 1s cubic-bezier(0,0,1,1) forwards}",
    "an important declaration": "@keyframes in{to{opacity:1}} .note{opacity:0!important;animation:in 1s forwards}",
    "an animation whose name is another": "@keyframes in{to{opacity:1}} .note{opacity:0;animation:inn 1s forwards}",
    "an animation that begins again": "@keyframes in{to{opacity:1}} .note{opacity:0;animation:in 1s}",
    "an animation that moves away": "@keyframes out{to{transform:translateX(-9999px)}} .note{animation:out 1s forwards}",
}


@pytest.mark.parametrize("sheet", SHEETS.values(), ids=SHEETS.keys())
def test_style_blocks_are_obeyed(sheet):
    text = text_of(
        '<p class="note late" id="note" data-kind="aside"><span>zebramarker</span></p><p class="seen">Visible okapimarker.</p>',
        f"<style>{sheet}</style>",
    )
    assert "zebramarker" not in text
    assert "okapimarker" in text


def test_an_animation_of_a_style_attribute_counts():
    sheet = "<style>@keyframes in{to{opacity:1}} @keyframes out{to{opacity:0}}</style>"
    text = text_of(
        '<p style="animation:out 1s forwards">zebramarker</p><p style="opacity:0;animation:in 1s forwards">okapimarker</p>',
        sheet,
    )
    assert ("zebramarker" in text, "okapimarker" in text) == (False, True)


def test_a_style_block_in_the_body_counts():
    assert "zebramarker" not in text_of("<style>.n{display:none}</style><p class=n>zebramarker</p>")


SHOWN_SHEETS = {
    "print": "@media print { .seen { display: none } }",
    "narrow screens": "@media (max-width: 600px) { .seen { display: none } }",
    "a later rule": ".seen{display:none} .seen{display:block}",
    "a more specific rule": "p.seen{display:block} .seen{display:none}",
    "an important rule": ".seen{display:block!important} p.seen{display:none}",
    "a pointer": ".seen:hover{display:none}",
    "a pseudo element": ".seen::before{display:none}",
    "another class": ".seen .inner{display:none}",
    "a comment": "/* .seen{display:none} */",
    "a string": '.x::after{content:".seen{display:none}"}',
    "frames of an animation": "@keyframes a { from { opacity: 0 } to { opacity: 1 } }",
    "not the other way": ".seen:not(.seen){display:none}",
    "gradient text": ".seen{background:linear-gradient(red,blue);-webkit-background-clip:text;color:transparent}",
    "white on dark": ".seen{background:#000;color:#fff}",
    "white on a picture": ".seen{background-image:url(a.jpg);color:#fff}",
    "a list marker": ".seen{list-style:none;text-decoration:none}",
    "small but legible": ".seen{font-size:11px;opacity:.6}",
    "padding that a later rule takes back": ".seen{padding-left:100%;overflow:hidden} .seen{padding:0} p.seen{padding-left:0}",
    "fades in": "@keyframes in{from{opacity:0}to{opacity:1}} .seen{opacity:0;animation:in .5s ease-out .2s forwards}",
    "fades in by a rule of its own": ".seen{visibility:hidden} .seen{animation-fill-mode:both;animation-name:IN} @keyframes in{100%{visibility:visible}}",
    "fades in with a variable": "@keyframes in{to{opacity:1}} .seen{opacity:0;animation:in var(--time, .3s) ease-out forwards}",
    "moves in": "@keyframes in{from{opacity:0;transform:translateX(-9999px)}to{opacity:1;transform:none}} .seen{opacity:0;animation:in 1s both}",
    "fades in and pulses": "@keyframes in{to{opacity:1}} @keyframes pulse{50%{opacity:.5}} .seen{opacity:0;animation:1s forwards in,2s infinite pulse}",
    "an animation that waits for a script": "@keyframes out{to{opacity:0}} .seen{animation:out 1s forwards paused}",
    "an animation that does not stay": "@keyframes out{from{opacity:0}to{opacity:0}} .seen{animation:out 1s}",
    "an animation that blinks": "@keyframes out{from{opacity:1}to{opacity:0}} .seen{animation:out 1s infinite}",
    "an important declaration": "@keyframes out{to{opacity:0}} .seen{opacity:1!important;animation:out 1s forwards}",
    "keyframes without an end": "@keyframes out{to{opacity:0} .seen{animation:out 1s forwards",
}


@pytest.mark.parametrize("sheet", SHOWN_SHEETS.values(), ids=SHOWN_SHEETS.keys())
def test_rules_that_do_not_hide_here_hide_nothing(sheet):
    assert "okapimarker" in text_of('<p class="seen">Visible okapimarker stands here.</p>', f"<style>{sheet}</style>")


def test_a_style_block_for_paper_or_without_scripts_is_not_obeyed():
    seen = '<p class="seen">Visible okapimarker stands here.</p>'
    assert "okapimarker" in text_of(seen, '<style media="print">.seen{display:none}</style>')
    assert "okapimarker" in text_of(seen, "<noscript><style>.seen{display:none}</style></noscript>")


SHOWN = {
    "hidden from readers aloud only": '<p aria-hidden="true">okapimarker</p>',
    "talk of style": "<p>Write okapimarker with display:none and font-size:0 to hide it.</p>",
    "closed details": "<details><summary>More</summary><p>okapimarker</p></details>",
    "open dialog": "<dialog open>Herons stand in the shallows near the okapimarker and wait for small fish to come.</dialog>",
    "shown again": '<div style="visibility:hidden"><p style="visibility:visible">okapimarker</p></div>',
    "sized again": '<div style="font-size:0"><p style="font-size:16px">okapimarker</p></div>',
    "overridden": '<p style="display:none;display:block">okapimarker</p>',
    "hidden but displayed": '<p hidden style="display:block">okapimarker</p>',
    "white on dark": '<div style="background:#003"><p style="color:#fff">okapimarker</p></div>',
    "white on a gradient": '<div style="background:linear-gradient(#000,#333)"><p style="color:white">okapimarker</p></div>',
    "not quite off screen": '<p style="position:relative;left:-20px">okapimarker</p>',
    "half seen": '<p style="opacity:0.5">okapimarker</p>',
    "no height, no clipping": '<p style="height:0">okapimarker</p>',
    "a class called hidden": '<p class="hidden-gem">okapimarker</p>',
    "shadow root": '<div><template shadowrootmode="open"><p>okapimarker</p></template></div>',
    "a mark before the text": "<style>.a::before{content:url(a.gif)}</style><p class=a>okapimarker</p>",
    "ordinary content": "<p style='content:normal'>okapimarker</p>",
    "a clipping circle over the corner": "<p style='clip-path:circle(400px at -10px -10px)'>okapimarker</p>",
    "a clipping polygon over the edge": "<p style='clip-path:polygon(-10px -10px,100% -10px,100% 100%,-10px 100%)'>okapimarker</p>",
    "indented by half the window": "<p style='text-indent:50vw;overflow:hidden;white-space:nowrap'>okapimarker</p>",
    "padding within the box": "<p style='padding:20px;height:200px;box-sizing:border-box;overflow:hidden'>okapimarker</p>",
    "padding at the bottom of the box": "<p style='padding:0 0 100px;height:100px;box-sizing:border-box;overflow:hidden'>okapimarker</p>",
    "padding below a box without height": "<p style='height:0;padding-bottom:56.25%;overflow:hidden'>okapimarker</p>",
    "padding of a box that grows": "<p style='padding-top:100px;box-sizing:border-box;overflow:hidden'>okapimarker</p>",
    "padding around the content": "<p style='padding-top:40px;height:40px;overflow:hidden'>okapimarker</p>",
    "padding as wide as the box without clipping": "<p style='padding-left:100%'>okapimarker</p>",
    "an adjusted size": "<p style='font-size-adjust:.5'>okapimarker</p>",
    "no adjustment": "<p style='font-size-adjust:none'>okapimarker</p>",
    "before the viewer": "<p style='transform:perspective(300px) translateZ(20px)'>okapimarker</p>",
    "turned around its corner": "<p style='transform-origin:0 100%;transform:rotate(2deg)'>okapimarker</p>",
    "a cell": "<p style='display:table-cell'>okapimarker</p>",
    "contained with a height": "<p style='contain:strict;height:9em'>okapimarker</p>",
    "contained layout": "<p style='contain:layout paint'>okapimarker</p>",
    "rows of no share": "<p style='display:grid;grid-template-rows:0fr;overflow:hidden'>okapimarker</p>",
    "rows with height": "<p style='display:grid;grid-template-rows:0 auto;overflow:hidden'>okapimarker</p>",
    "a bright filter without a ground": "<p style='filter:brightness(0)'>okapimarker</p>",
    "much brighter": "<p style='background:#fff;filter:brightness(100)'>okapimarker</p>",
    "a little brighter": "<p style='background:#123;color:#fff;filter:brightness(1.2)'>okapimarker</p>",
    "high lines in a high box": "<p style='line-height:80px;height:80px;overflow:hidden'>okapimarker</p>",
    "a known variable of the browser": "<p style='height:env(safe-area-inset-top, 0px);font-size:1em'>okapimarker</p>",
    "relative to another colour": "<p style='background:#fff;color:rgb(from black r g b)'>okapimarker</p>",
    "relative with a calculation": "<p style='background:#fff;color:hsl(from white h s calc(l - 90))'>okapimarker</p>",
    "relative to many colours": f"<p style='background:#fff;color:{'rgb(from ' * 2000}white{' r g b)' * 2000}'>okapimarker</p>",
    "relative without its channels": "<p style='background:#fff;color:color(from white rgb r g)'>okapimarker</p>",
    "relative to nothing": "<p style='background:#fff;color:rgb(from nothing r g b)'>okapimarker</p>",
    "a colour named in part": '<p style="color:#fff8dc;background:#5a2d0c">okapimarker</p>',
    "calculated size": '<p style="font-size:calc(1rem + 1vw);opacity:calc(1 - 0.2)">okapimarker</p>',
    "clamped size": '<p style="font-size:clamp(1rem, 2vw, 2rem)">okapimarker</p>',
    "lines as high as the font": '<p style="line-height:1;overflow:hidden">okapimarker</p>',
    "full width": '<p style="margin:0 -9999px;padding:0 9999px">okapimarker</p>',
    "fixed and moved back": '<p style="position:fixed;top:100%;transform:translateY(-100%)">okapimarker</p>',
    "beside its parent": '<p style="position:absolute;left:100%">okapimarker</p>',
    "grown from a pixel": '<p style="height:1px;min-height:100vh;overflow:hidden">okapimarker</p>',
    "a pane that scrolls": '<div style="height:0;flex:1;overflow:auto"><p>okapimarker</p></div>',
    "cut as a bow tie": '<p style="clip-path:polygon(0 0, 100% 100%, 100% 0, 0 100%)">okapimarker</p>',
    "cut from both sides": '<p style="clip-path:inset(0 10% 0 10%)">okapimarker</p>',
    "text cut from a dark ground": '<p style="background:#024;background-clip:text;color:transparent">okapimarker</p>',
    "opacities multiplied, still legible": "<div style='opacity:.7'><p style='opacity:.7'>okapimarker</p></div>",
    "scales multiplied, still legible": "<div style='zoom:.8'><p style='scale:.8'>okapimarker</p></div>",
    "logical size without clipping": "<p style='max-inline-size:0;block-size:0'>okapimarker</p>",
    "near the end of lines": "<p style='position:absolute;inset-inline-end:9px'>okapimarker</p>",
    "a gradient": "<p style='color:#123;background:linear-gradient(#123,#fff)'>okapimarker</p>",
    "a gradient of another colour": "<p style='color:#fff;background:linear-gradient(#123,#123)'>okapimarker</p>",
    "a coloured formula": "<math mathcolor='#800' mathsize=large><mtext>okapimarker</mtext></math>",
    "the selected action of a formula": "<math><maction selection=2><mi>b</mi><mtext>okapimarker</mtext></maction></math>",
    "a closed shadow root": "<div><template shadowrootmode=closed><p>okapimarker</p></template></div>",
    "a style of another shadow tree": "<x-y><template shadowrootmode=open><style>p,:host{display:none}</style><p>a</p></template></x-y><x-y><template shadowrootmode=open><p>okapimarker</p></template></x-y><p>x</p>",
    "a style of a shadow tree for what is beside it": "<div><div><template shadowrootmode=open><style>p,:root p,.a{display:none}</style><p>a</p></template></div><p class=a>okapimarker</p></div>",
    "a style of a shadow host without the class": "<x-y><template shadowrootmode=open><style>:host(.a){display:none} :hostile{display:none}</style><p>okapimarker</p></template></x-y>",
    "a style of other slotted text": "<x-y><template shadowrootmode=open><style>::slotted(b){display:none}</style><slot></slot></template><p>okapimarker</p></x-y>",
    "shadow trees of many elements": "<x-y><template shadowrootmode=open><style>:host{display:block}p{opacity:1}</style><p>x</p></template></x-y>"
    * 300
    + "<p>okapimarker</p>",
    "a slot": "<div><template shadowrootmode=open><b>a</b><slot></slot></template><p>okapimarker</p></div>",
    "a slot of the name": "<div><template shadowrootmode=open><slot name=a></slot></template><p slot=a>okapimarker</p></div>",
    "mark": '<mark style="background:yellow;color:black">okapimarker</mark>',
}


@pytest.mark.parametrize("markup", SHOWN.values(), ids=SHOWN.keys())
def test_what_is_seen_is_kept(markup):
    assert "okapimarker" in text_of(markup)


def test_white_text_is_kept_where_an_unread_sheet_may_paint_the_ground():
    sheet = '<link rel="stylesheet" href="a.css">'
    assert "okapimarker" in text_of('<div class="hero"><p style="color:#fff">okapimarker</p></div>', sheet)


@pytest.mark.parametrize(
    "head",
    [
        "<style>body{opacity:0}</style>",
        "<style>article{visibility:hidden}</style>",
        "<style>.page{display:none}</style>",
    ],
)
def test_a_rule_that_hides_most_of_the_page_waits_for_a_script(head):
    page = f"<html><head>{head}</head><body class=page><article class=page>{FILLER}<p>okapimarker</p></article></body></html>"
    assert "okapimarker" in read_main_content(parse_html(page), "https://birds.example/").markdown


LAYERED = {
    "one rule twice": ("<style>.page{display:none}</style><style>.page{display:none}</style>", "<main class=page>"),
    "three rules": (
        "<style>main{opacity:0}.page{visibility:hidden}#top{display:none}</style>",
        "<main><div class=page><div id=top>",
    ),
    "a rule that each of many obeys": (
        "<style>.part{visibility:hidden}</style>",
        "<main class=part><div class=part><div class=part>",
    ),
}


@pytest.mark.parametrize(("head", "start"), LAYERED.values(), ids=LAYERED.keys())
def test_rules_that_wait_for_a_script_may_lie_within_each_other(head, start):
    page = f"<html><head>{head}</head><body><p>Menu</p>{start}{FILLER}<p>okapimarker</p></body></html>"
    assert "okapimarker" in read_main_content(parse_html(page), "https://birds.example/").markdown


def test_a_body_that_fades_in_is_read():
    assert (
        "okapimarker"
        in read_main_content(
            parse_html(f'<body style="opacity:0">{FILLER}<p>okapimarker</p>'), "https://a.example/"
        ).markdown
    )


STREAMED = (
    '<body>{0}<div><!--$?--><template id="B:0"></template>Waiting<!--/$--></div><p>Second</p>'
    '<div hidden id="S:0">First <p>part</p><template id="P:1"></template></div><script>{1}</script>'
    '<div hidden id="S:1"><p>Inner</p></div><script>{2}</script>'
)
INNER, OUTER = '$RS("S:1","P:1")', '$RC=function(a,b){};$RC("B:0","S:0")'


@pytest.mark.parametrize(
    ("scripts", "expected"),
    [
        ((OUTER, INNER), ["First", "part", "Inner", "Waiting", "Second"]),
        ((INNER, OUTER), ["First", "part", "Inner", "Waiting", "Second"]),
        (("", ""), ["First", "part", "Inner", "Waiting", "Second"]),
        ((OUTER, ""), ["First", "part", "Waiting", "Second"]),
        (("", INNER), ["Waiting", "Second"]),
    ],
)
def test_a_page_sent_in_parts_is_read_in_the_order_that_its_scripts_make(scripts, expected):
    page = collect_blocks(parse_html(STREAMED.format(FILLER, *scripts)))
    assert [block.text for block in page.blocks][-len(expected) :] == expected
    assert page.dropped == scripts.count("") % 2


@pytest.mark.parametrize("how", ["style='display:none'", "style='opacity:0' hidden"])
def test_a_part_that_its_style_hides_is_not_read(how):
    page = f"<body>{FILLER}<template id='B:0'></template><div {how} id='S:0'>part</div><script>{OUTER}</script>"
    assert "part" not in [block.text for block in collect_blocks(parse_html(page)).blocks]


@pytest.mark.parametrize("kind", ["text/plain", "application/json"])
def test_a_part_that_no_script_moves_is_not_read(kind):
    page = f"<body>{FILLER}<template id='B:0'></template><div hidden id='S:0'>part</div><script type={kind}>{OUTER}</script>"
    assert "part" not in [block.text for block in collect_blocks(parse_html(page)).blocks]


@pytest.mark.parametrize(
    ("places", "how", "is_read"),
    [
        ('<template id="B:0"></template>', "hidden", True),
        ('<template id="P:0"></template>', "hidden", True),
        ('<template id="B:1"></template>', "hidden", False),
        ("<template></template>", "hidden", False),
        ('<div id="B:0"></div>', "hidden", False),
        ("", "hidden", False),
        ('<template id="B:0"></template>', 'style="display:none"', False),
        ('<template id="B:0"></template>', 'hidden style="display:none"', False),
    ],
)
def test_a_stored_page_without_scripts_has_parts_at_places_of_their_number_only(places, how, is_read):
    page = f'<body>{FILLER}{places}<p>Second</p><div {how} id="S:0">part</div><div hidden>unseen</div>'
    texts = [block.text for block in collect_blocks(parse_html(page)).blocks]
    assert [text for text in texts if text not in FILLER] == (["part", "Second"] if is_read else ["Second"])


def test_parts_that_contain_each_other_are_not_read():
    part = (
        '<div hidden id="S:{0}"><p>Part</p><template id="B:{1}"></template></div><script>$RC("B:{1}","S:{1}")</script>'
    )
    page = f"<body>{FILLER}{part.format(0, 1)}{part.format(1, 0)}"
    assert "Part" not in [block.text for block in collect_blocks(parse_html(page)).blocks]


def test_a_section_in_a_part_opens_like_others():
    page = (
        f'<body>{FILLER}<template id="B:0"></template><div hidden id="S:0"><button aria-expanded="false" aria-controls="x">Size'
        f' and weight</button><div id="x" hidden>Two metres tall and very light.</div></div><script>{OUTER}</script>'
    )
    assert [block.text for block in collect_blocks(parse_html(page)).blocks][-1] == "Two metres tall and very light."


def test_parts_within_parts_end():
    part = (
        '<div hidden id="S:{0}"><p>Part</p><template id="B:{1}"></template></div><script>$RC("B:{0}","S:{0}")</script>'
    )
    page = "".join(part.format(place, place + 1) for place in range(2000))
    blocks = collect_blocks(parse_html(f'<body>{FILLER}<template id="B:0"></template>{page}')).blocks
    assert [block.text for block in blocks].count("Part") == 30


def test_hidden_parts_are_counted():
    page = f"<body>{FILLER}<p hidden>a</p><p style='display:none'>b</p></body>"
    assert read_main_content(parse_html(page), "https://a.example/").hidden_dropped == 2


def test_a_page_whose_words_are_all_for_readers_without_scripts_is_read():
    page = f"<body><div id=app></div><noscript><article>{FILLER}</article></noscript></body>"
    assert "Herons stand" in read_main_content(parse_html(page), "https://a.example/").markdown


def test_a_page_that_says_far_more_to_readers_without_scripts_is_read():
    shell = "<p>Welcome to the forum of the bird watchers of the marshes, where you may ask whatever you like.</p>" * 3
    page = f"<body>{shell}<noscript><article>{FILLER * 6}</article></noscript></body>"
    assert "Herons stand" in read_main_content(parse_html(page), "https://a.example/").markdown


def test_what_is_said_to_readers_without_scripts_beside_a_page_is_not_read():
    assert "zebramarker" not in text_of(f"<noscript><p>zebramarker</p>{FILLER}</noscript>")


def test_only_numbers_are_taken_for_numbers_of_lines():
    assert "okapimarker" in text_of("<section class=gutter><p>okapimarker 1</p></section>")
    code = "<table><tr><td class=gutter><pre>77\n78</pre></td><td><pre>okapi()\nmarker()</pre></td></tr></table>"
    assert "okapi()" in text_of(code)
    assert "78" not in text_of(code)


def test_a_note_that_scripts_are_needed_is_no_content():
    page = "<body><div id=app></div><noscript>You need to enable JavaScript to run this app.</noscript></body>"
    assert read_main_content(parse_html(page), "https://a.example/").markdown == ""


def test_rules_for_what_stands_elsewhere_do_not_tire_the_search():
    sheet = ".form *:not(svg *, math *, table *, pre *){opacity:0} .x{display:none}"
    text = text_of(f"<p class=form></p>{'<p><i>-</i>' * 8_000}<p class=x>zebramarker</p>", f"<style>{sheet}</style>")
    assert "zebramarker" not in text
    assert "Herons" in text


BEFORE_A_SLASH = {
    "another slash": ("", "/"),
    "an empty comment": ("<!-->", ""),
    "a comment that ends oddly": ("<!-- x --!>", ""),
    "a value that begins with a sign": ('<b a=="></b>', ""),
    "a value with a sign in it": ('<b a=b="></b>', ""),
    "an attribute that begins with a sign": ('<b ="></b>', ""),
    "an end tag with a quote": ('</b x="\'">', ""),
    "a comment in raw text": ("<iframe><!--</iframe>", ""),
    "a script that does not end yet": ("<script></scripted <!-- </script>", ""),
    "a script in a script": ("<script><!-- <script></script> <b a=' --></script>", ""),
    "no tag at all": ("<ſcript>", ""),
}


@pytest.mark.parametrize(("before", "slash"), BEFORE_A_SLASH.values(), ids=BEFORE_A_SLASH.keys())
def test_a_slash_ends_no_element_that_hides_whatever_stands_before(before, slash):
    text = text_of(f'{before}<div style="display:none" {slash}/>zebramarker</div><p>okapimarker</p><i a="\'">-->')
    assert "zebramarker" not in text
    assert "okapimarker" in text


def test_a_slash_that_ends_an_address_stays():
    text = text_of("<p>Seen at <a class=x href=https://birds.example/a/>herons</a> today.</p>", "<style>.x{}</style>")
    assert "(https://birds.example/a/)" in text


HEADINGS = {
    "closed": "<h2 class=x>zebramarker</h2><p>okapimarker</p>",
    "left open": "<h2 class=x>Herons<p>zebramarker</p></h2><div>okapimarker</div>",
    "closed in a value": '<h2 class=x>Herons<b a="</h2>">-</b><p>zebramarker</p></h2><div>okapimarker</div>',
    "closed in an odd value": '<h2 class=x>Herons<b ="x=" b></h2>">-</b><p>zebramarker</p></h2><div>okapimarker</div>',
    "closed in a comment": "<h2 class=x>Herons<!--</h2>--><p>zebramarker</p></h2><div>okapimarker</div>",
    "another closed": "<h2>Egrets</h2><p></p><h2 class=x>Herons<p>zebramarker</p></h2><div>okapimarker</div>",
}


ENDED_TOGETHER = {
    "in another": "<{1}>a<{0} class=x><p>zebramarker</p></{0}></{1}><p>okapimarker</p>",
    "in two others": "<{1}><{1}>a<{0} class=x><p>zebramarker</p></{0}></{1}></{1}><p>okapimarker</p>",
    "in a paragraph": "<p>a<{0} class=x><p>zebramarker</p></{0}><p>okapimarker</p>",
}


@pytest.mark.parametrize(("name", "around"), [("b", "u"), ("small", "s"), ("u", "b"), ("tt", "big")])
@pytest.mark.parametrize("markup", ENDED_TOGETHER.values(), ids=ENDED_TOGETHER.keys())
def test_what_the_parser_ends_together_with_others_is_kept_whole(markup, name, around):
    text = text_of(markup.format(name, around), "<style>.x{display:none}</style>")
    assert "zebramarker" not in text
    assert "okapimarker" in text


WITHIN = "<section class=x><article><{0}>a<p>b</p>c</{0}><p>zebramarker</p></article></section>"
SAME_NAME = {
    "in another": f"<{{0}}>a {WITHIN}</{{0}}><div>okapimarker</div>",
    "in two others": f"<{{0}}><{{0}}>a {WITHIN}</{{0}}</{{0}}><div>okapimarker</div>",
    "in another that hides": "<{0} class=x><b><{0}><{0}>a<p>b</p></{0}></{0}>zebramarker</b></{0}><div>okapimarker</div>",
}


@pytest.mark.parametrize("name", ["small", "s", "big", "strike", "tt"])
@pytest.mark.parametrize("markup", SAME_NAME.values(), ids=SAME_NAME.keys())
def test_an_element_that_the_parser_ends_early_takes_no_other_along(markup, name):
    text = text_of(markup.format(name), "<style>.x{display:none}</style>")
    assert "zebramarker" not in text
    assert "okapimarker" in text


@pytest.mark.parametrize("markup", HEADINGS.values(), ids=HEADINGS.keys())
def test_a_heading_that_hides_holds_the_paragraphs_within(markup):
    text = text_of(markup, "<style>.x{display:none}</style>")
    assert "zebramarker" not in text
    assert "okapimarker" in text
