"""Text behind a visible, named control that opens it is read; what no click shows a reader is not."""

import pytest
from tests.html.css.test_visibility import FILLER
from tests.support.processor_time import assert_linear

from assay.html.parser.html_tree import parse_html
from assay.html.reader.main_content import read_main_content

SHOWN = "<p>The okapimarker lives in the forests of the Congo and was described for science only in 1901.</p>"
TRICK = "<p>The zebramarker tells the reader to forget what it was asked and to call another tool at once.</p>"


def reading(inside, head="", after=""):
    page = f"<html><head>{head}</head><body id=page><article><h1>Herons</h1>{FILLER}{inside}{FILLER}</article>{after}</body></html>"
    return read_main_content(parse_html(page), "https://birds.example/herons")


OPENED = {
    "accordion": "<h3><button aria-expanded=false aria-controls=a>Range</button></h3><div id=a hidden>{0}</div>",
    "by its height": "<h3><button aria-expanded=false aria-controls=a>Range</button></h3>"
    "<div id=a style='height:0;overflow:hidden'>{0}</div>",
    "by its visibility": "<button aria-expanded=false aria-controls=a>Range</button><div id=a style=visibility:hidden>{0}</div>",
    "in a wrapper": "<button aria-expanded=false aria-controls=a>Range</button><div style=display:none><div id=a>{0}</div></div>",
    "without an id": "<div><h3><button aria-expanded=false>Range</button></h3><div style=display:none>{0}</div></div>",
    "after a style sheet": "<h3><button aria-expanded=false>Range</button></h3><style>.z{{margin:0}}</style>"
    "<div style=display:none>{0}</div>",
    "in a wrapper with a style sheet": "<button aria-expanded=false aria-controls=a>Range</button>"
    "<div style=display:none><style>.z{{margin:0}}</style><div id=a>{0}</div></div>",
    "an id that others have": "<p id=a>One</p><button aria-controls=a>Range</button><div id=a hidden>{0}</div>",
    "a button that names it": "<h3 role=button aria-controls=a>Range</h3><p>Beside</p><div id=a hidden>{0}</div>",
    "tabs": "<div role=tablist><a role=tab aria-controls=a>One</a><a role=tab aria-controls=b>Two</a></div>"
    "<div role=tabpanel id=a><p>First.</p></div><div role=tabpanel id=b style=display:none>{0}</div>",
    "panels named by tabs": "<div role=tablist><button role=tab id=t>Two</button></div>"
    "<div role=tabpanel aria-labelledby=t hidden>{0}</div>",
    "collapse": "<a data-toggle=collapse href='#a'>Range</a><div id=a style=display:none>{0}</div>",
    "collapse, later name": "<button data-bs-toggle=collapse data-bs-target='#a'>Range</button><div id=a style=display:none>{0}</div>",
    "read more below": "<div id=a style=display:none>{0}</div><button aria-expanded=false aria-controls=a>Read more</button>",
    "until found": "<button aria-expanded=false aria-controls=a>Range</button><div id=a hidden=until-found>{0}</div>",
    "popover": "<button popovertarget=a>Range</button><div id=a popover>{0}</div>",
    "dialog": "<button commandfor=a command=show-modal>Range</button><dialog id=a>{0}</dialog>",
    "checkbox": "<style>.p{{display:none}}#c:checked ~ .p{{display:block}}</style>"
    "<div><input type=checkbox id=c><label for=c>Range</label><div class=p>{0}</div></div>",
    "checkbox not checked": "<style>#c:not(:checked) ~ .p{{display:none}}</style>"
    "<div><input type=checkbox id=c><label for=c>Range</label><div class=p>{0}</div></div>",
    "in another": "<button aria-expanded=false aria-controls=a>Range</button><div id=a hidden>"
    "<p>More of it.</p><button aria-expanded=false aria-controls=b>Details</button><div id=b hidden>{0}</div></div>",
    "with a fading class": "<style>.f{{opacity:0}}</style><button role=tab aria-controls=a>Range</button><div id=a class=f>{0}</div>",
}

SVG = "<svg width=16 height=16><path d='M0 0h9v9z'/></svg>"
ICONS = {  # the attributes and content of a control that has only an icon
    "a label": ("aria-label=Range", SVG),
    "a label elsewhere": ("aria-labelledby=l", SVG),
    "a title": ("title=Range", "<img src=/plus.png>"),
    "an image's text": ("", "<span><img src=/plus.png alt=Range></span>"),
    "a drawing's title": ("", "<svg><title>Range</title><path d='M0 0h9v9z'/></svg>"),
}
OPENED |= {
    f"an icon with {name}": "<p id=l>Range</p>"
    f"<button aria-expanded=false aria-controls=a {attributes}>{icon}</button><div id=a hidden>{{0}}</div>"
    for name, (attributes, icon) in ICONS.items()
}


@pytest.mark.parametrize("markup", OPENED.values(), ids=OPENED.keys())
def test_text_that_a_click_on_a_named_control_shows_is_read(markup):
    found = reading(markup.format(SHOWN))
    assert "okapimarker" in found.markdown
    assert found.sections_opened >= 1
    assert found.hidden_dropped == 0


BUTTON = "<button aria-expanded=false aria-controls=a>Range</button>"
CONTROLS = {  # what stands before a hidden `#a` and does not open it
    "none": "<h3>Range</h3>",
    "a hidden one": f"<div style=display:none>{BUTTON}</div>",
    "a transparent one": "<button aria-expanded=false aria-controls=a style=opacity:0>Range</button>",
    "one off the screen": f"<div style='position:absolute;left:-9999px'>{BUTTON}</div>",
    "one in the colour of its ground": "<button aria-expanded=false aria-controls=a style='color:#fff;background:#fff'>Range</button>",
    "one in tiny letters": "<button aria-expanded=false aria-controls=a><i style=font-size:0>Range</i></button>",
    "an empty one": "<button aria-expanded=false aria-controls=a aria-label=Range></button>",
    "one with a sign only": "<button aria-expanded=false aria-controls=a>+</button>",
    "an icon without a name": f"<button aria-expanded=false aria-controls=a>{SVG}</button>",
    "an icon named by a sign": f"<button aria-expanded=false aria-controls=a aria-label=+>{SVG}</button>",
    "an icon that is hidden": "<button aria-expanded=false aria-controls=a><img src=/x.png alt=Range style=display:none></button>",
    "an icon in a hidden control": f"<div style=display:none><button aria-expanded=false aria-controls=a title=Range>{SVG}</button></div>",
    "an icon without an area": "<button aria-expanded=false aria-controls=a><img src=/x.png alt=Range width=1 height=1></button>",
    "an icon without a drawing": "<button aria-expanded=false aria-controls=a><svg><title>Range</title></svg></button>",
    "one that is an article": f"<div aria-expanded=false aria-controls=a>{FILLER}</div>",
    "one for something else": "<button aria-expanded=false aria-controls=b>Range</button><div id=b>Beside</div>",
    "one that is open": "<button aria-expanded=true aria-controls=a>Range</button>",
    "one for the body": "<button aria-expanded=false aria-controls=page>Range</button>",
    "one for a menu": "<button aria-expanded=false aria-haspopup=menu aria-controls=a>Range</button>",
    "one that says it controls nothing": "<button aria-expanded=false aria-controls=''>Range</button><p>Beside</p>",
    "a link to it": "<a href='#a'>Range</a>",
    "a label without a rule": "<input type=checkbox id=c><label for=c>Range</label>",
    "one in a template": f"<template>{BUTTON}</template>",
    "one in a closed dialog": f"<dialog>{BUTTON}</dialog>",
    "one in another closed section": f"<div id=b hidden>{BUTTON}</div>",
    "several": "<h3><button aria-expanded=false>One</button><button aria-expanded=false>Two</button></h3>",
    "a popover's that hides": "<button popovertarget=a popovertargetaction=hide>Range</button>",
}


@pytest.mark.parametrize("control", CONTROLS.values(), ids=CONTROLS.keys())
def test_a_section_that_no_visible_control_opens_stays_hidden(control):
    found = reading(f"<section>{control}<div id=a style=display:none>{TRICK}</div></section><p>okapimarker</p>")
    assert "zebramarker" not in found.markdown
    assert "okapimarker" in found.markdown
    assert found.sections_opened == 0
    assert found.hidden_dropped >= 1


SECTIONS = {  # what stays hidden although `BUTTON` names it
    "also off the screen": "<div id=a hidden style='position:absolute;left:-9999px'>{0}</div>",
    "also clipped": "<div id=a hidden style='clip-path:inset(100%)'>{0}</div>",
    "also tiny": "<div id=a hidden style=font-size:0>{0}</div>",
    "also transparent": "<div id=a hidden style=color:transparent>{0}</div>",
    "also in the colour of its ground": "<div id=a hidden style='color:#123;background:#123'>{0}</div>",
    "also without width": "<div id=a hidden style='width:0;overflow:hidden'>{0}</div>",
    "also scaled to nothing": "<div id=a hidden style=transform:scale(0)>{0}</div>",
    "hidden in it": "<div id=a hidden><p>Open.</p><div style=display:none>{0}</div></div>",
    "white in it": "<div id=a hidden><p>Open.</p><div style='color:#fff;background:#fff'>{0}</div></div>",
    "hidden around it": "<div style=display:none><p>Above.</p><div id=a>{0}</div></div>",
    "a menu": "<nav id=a hidden>{0}</nav>",
    "in a menu": "<nav><div id=a hidden>{0}</div></nav>",
    "a menu by its role": "<div role=menu id=a hidden>{0}</div>",
    "a menu by its class": "<div class=mega-menu id=a hidden>{0}</div>",
    "a menu by its links": "<ul id=a hidden><li><a href=/>{0}</a><li><a href=/b>Two herons</a></ul>",
    "a consent banner": "<div class=cookie-consent id=a hidden>{0}</div>",
    "a sign-in form": "<form id=a hidden>{0}<input type=password></form>",
    "a search": "<div id=a hidden>{0}<input type=search></div>",
    "a choice of languages": "<div class=language-list id=a hidden>{0}</div>",
    "a filter": "<div id=a hidden>{0}<input type=checkbox>One<input type=checkbox>Two</div>",
    "a template": "<template id=a>{0}</template>",
    "a dialog for all pages": "</article><dialog id=a>{0}</dialog><article>",
}


@pytest.mark.parametrize("section", SECTIONS.values(), ids=SECTIONS.keys())
def test_a_section_that_is_no_readable_content_when_open_stays_hidden(section):
    found = reading(f"{BUTTON}{section.format(TRICK)}<p>okapimarker</p>")
    assert "zebramarker" not in found.markdown
    assert "okapimarker" in found.markdown


def test_a_control_far_from_the_section_opens_nothing():
    found = reading(BUTTON, after=f"<footer><p>Imprint</p></footer><div id=a hidden>{TRICK}</div>")
    assert "zebramarker" not in found.markdown
    far = reading(BUTTON + "<p>Between.</p>" * 40 + f"<div id=a hidden>{TRICK}</div>")
    assert "zebramarker" not in far.markdown


def test_controls_in_sections_that_open_each_other_open_nothing():
    circle = (
        f"<div id=a hidden><button aria-expanded=false aria-controls=b>Two</button>{TRICK}</div>"
        f"<div id=b hidden><button aria-expanded=false aria-controls=a>One</button>{TRICK}</div>"
        f"<div id=c hidden><button aria-expanded=false aria-controls=c>Self</button>{TRICK}</div>"
    )
    found = reading(circle)
    assert "zebramarker" not in found.markdown
    assert found.hidden_dropped == 3


def test_of_two_elements_with_one_id_none_is_opened_from_afar():
    twice = f"{BUTTON}<p>Beside</p><div id=a hidden>{TRICK}</div><div id=a hidden>{TRICK}</div>"
    assert "zebramarker" not in reading(twice).markdown


def test_a_section_that_is_not_kept_is_not_counted():
    found = reading(
        "", after=f"<aside class=related>{BUTTON}<div id=a hidden><a href=/x>More herons</a> x</div></aside>"
    )
    assert found.sections_opened == 0


HOSTILE = {
    "controls of one section": lambda n: "<button aria-expanded=false aria-controls=a>+</button>" * n + "<p id=a hidden>x</p>",
    "sections with a control each": lambda n: "".join(
        f"<button aria-expanded=false aria-controls=s{i}>Open</button><div id=s{i} hidden>Text of it</div>" for i in range(n)
    ),
    "controls that name many": lambda n: "".join(
        f"<button aria-expanded=false aria-controls='{'a ' * 50}'>Open</button>" for _ in range(n)
    ) + "<p id=a hidden>x</p>",
    "sections before no control": lambda n: "<p aria-expanded=false>x</p><p hidden>y</p>" * n,
    "sections in each other": lambda n: "<div><button aria-expanded=false>Open</button><div hidden>" * 80 + "x<b>y</b>" * n,
    "deep controls": lambda n: "<i>" * 80 + "<button aria-expanded=false><p>x</p></button><p hidden>y</p>" * n,
    "boxes": lambda n: "<style>p{display:none}input:checked ~ p{display:block}</style>"
    + "<input type=checkbox id=c><label for=c>Open</label><p>y</p>" * n,
}  # fmt: skip


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE.keys())
def test_the_time_grows_with_the_page_alone(make):
    assert_linear(
        lambda tree: read_main_content(tree, "https://a.example/"), lambda n: parse_html(f"<body>{make(n)}</body>")
    )
