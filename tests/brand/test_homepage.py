"""What a homepage declares of a brand, and what is not read into it."""

import json
from functools import partial

import pytest
from tests.support.processor_time import assert_quick

from assay.brand import homepage
from assay.brand.brand_models import Brand
from assay.brand.design_tokens import build_tokens
from assay.html.parser.html_tree import parse_html

URL = "https://www.acme.example/"


def read(head="", body=""):
    return homepage.parse_brand(parse_html(f"<html><head>{head}</head><body>{body}</body></html>"), URL)


def non_empty_fields(part):
    return {name: value for name, value in part.wire().items() if value}


def ld(**node):
    return f'<script type="application/ld+json">{json.dumps(node)}</script>'


def test_a_page_that_declares_nothing_says_nothing():
    brand = read(
        "<title>Acme | Anvils</title><style>.x{color:#f00;font-family:Lora}</style>", "<h1>Acme</h1><img src=l.png>"
    )
    assert brand == Brand()


def test_the_company_of_json_ld_comes_first():
    brand = read(
        '<meta property="og:site_name" content="Acme Site"><meta name="description" content="Meta">'
        + ld(
            **{"@type": ["Organization"], "name": "Acme &amp; Sons", "slogan": "We have it", "description": "Anvils."},
            foundingDate="1949",
            industry="Anvils",
            address={"@type": "PostalAddress", "addressLocality": "Tucson", "addressCountry": {"name": "US"}},
            logo={"@type": "ImageObject", "url": "/logo.svg", "width": "320px", "height": 80},
            sameAs=["https://www.linkedin.com/company/acme/", "https://x.com/acme", "https://github.com/acme/repo"],
        )
    )
    assert non_empty_fields(brand.identity) == {
        "name": "Acme & Sons",
        "tagline": "We have it",
        "description": "Anvils.",
        "industry": "Anvils",
        "founded": "1949",
        "location": "Tucson, US",
    }
    assert non_empty_fields(brand.logos) == {
        "primary": {"url": "https://www.acme.example/logo.svg", "format": "svg", "width": 320, "height": 80}
    }
    assert non_empty_fields(brand.social) == {
        "linkedin": "https://www.linkedin.com/company/acme",
        "twitter": "https://x.com/acme",
    }


def test_the_publisher_of_a_site_is_its_company():
    site = {"@type": "WebSite", "name": "Site", "publisher": {"@type": "Organization", "name": "Acme", "logo": "l.png"}}
    brand = read(ld(**site))
    assert brand.identity.name == "Acme"
    assert brand.logos.primary.url == "https://www.acme.example/l.png"


def test_icons_are_distinguished():
    brand = read(
        '<link rel="shortcut icon" href="/f.ico"><link rel="apple-touch-icon" sizes="180x180" href="/t.png">'
        '<meta property="og:image" content="https://cdn.example/og.jpg"><link rel="stylesheet" href="/a.css">'
    )
    assert non_empty_fields(brand.logos) == {
        "icon": {"url": "https://www.acme.example/t.png", "format": "png", "width": 180, "height": 180},
        "favicon": "https://www.acme.example/f.ico",
        "og_image": "https://cdn.example/og.jpg",
    }


@pytest.mark.parametrize("link", ["javascript:alert(1)", "data:image/png;base64,AA", "https://[::1", "", "ftp://x/y"])
def test_a_link_that_is_not_an_address_is_not_a_logo(link):
    brand = read(
        f'<link rel="icon" href="{link}"><meta property="og:image" content="{link}">'
        + ld(**{"@type": "Brand"}, logo=link)
    )
    assert non_empty_fields(brand.logos) == {}


def test_a_theme_is_the_brands_colour_where_it_is_one():
    brand = read('<meta name="theme-color" content="#F05"><meta name="msapplication-TileColor" content="rgb(0,0,255)">')
    assert brand.colors.primary == "#ff0055"
    assert [(one.hex, one.role, one.brightness) for one in brand.colors.palette] == [
        ("#ff0055", "theme", 60),
        ("#0000ff", "tile", 18),
    ]


@pytest.mark.parametrize("grey", ["#fff", "black", "#222222", "#f8f9fa"])
def test_a_grey_theme_is_a_colour_but_not_the_brands(grey):
    brand = read(f'<meta name="theme-color" content="{grey}">')
    assert brand.colors.primary is None
    assert len(brand.colors.palette) == 1


@pytest.mark.parametrize("nothing", ["", "transparent", "var(--x)", "nonsense", "#12"])
def test_what_is_not_a_colour_is_none(nothing):
    assert read(f'<meta name="theme-color" content="{nothing}">').colors == Brand().colors


def test_the_light_schemes_theme_is_meant():
    brand = read(
        '<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#00f">'
        '<meta name="theme-color" media="(prefers-color-scheme: light)" content="#f00">'
    )
    assert brand.colors.primary == "#ff0000"


def test_variables_that_say_brand_are_its_colours_and_a_frameworks_are_not():
    brand = read(
        "<style>:root{--brand-primary:#123456;--color-brand-accent:#abcdef;--bs-primary:#0d6efd;"
        "--wp--preset--color--accent:#f0f;--brand-font:Lora}</style>"
    )
    assert (brand.colors.primary, brand.colors.accent) == ("#123456", "#abcdef")
    assert len(brand.colors.palette) == 2


@pytest.mark.parametrize(
    "link",
    [
        "https://fonts.googleapis.com/css2?family=Inter:wght@400;700&amp;family=Lora:ital,wght@0,500;1,600&amp;display=swap",
        "https://fonts.googleapis.com/css?family=Inter:400,700|Lora:500,600i",
        "//fonts.googleapis.com/css?family=Inter:400,700|Lora:500,600",
    ],
)
def test_googles_families_come_with_their_weights(link):
    brand = read(
        f'<link href="{link}"><style>body{{font-family:"Inter",sans-serif}} h1,h2{{font-family:Lora,serif}}</style>'
    )
    faces = brand.typography
    assert (faces.body.family, faces.body.weights, faces.body.origin, faces.body.origin_id) == (
        "Inter",
        [400, 700],
        "google",
        "Inter",
    )
    assert (faces.heading.family, faces.heading.weights) == ("Lora", [500, 600])
    assert faces.google_fonts_url.startswith("https://fonts.googleapis.com/css")


def test_a_family_without_a_use_is_given_none():
    faces = read('<link href="https://fonts.googleapis.com/css2?family=Inter">').typography
    assert (faces.heading, faces.body, faces.mono) == (None, None, None)
    assert faces.google_fonts_url


def test_variables_that_name_a_use_are_followed():
    faces = read(
        "<style>:root{--font-sans:'Acme Sans',system-ui;--font-heading:var(--font-display-stack);"
        "--font-display-stack:Acme Display, serif;--font-mono: JetBrains Mono, monospace;--text:#333}</style>"
    ).typography
    assert (faces.heading.family, faces.body.family, faces.mono.family) == (
        "Acme Display",
        "Acme Sans",
        "JetBrains Mono",
    )
    assert faces.body.origin is None


@pytest.mark.parametrize("stack", ["system-ui, Arial", "inherit", "var(--nothing)", "-apple-system,Roboto", "100%"])
def test_a_stack_that_begins_with_the_system_is_not_a_face(stack):
    assert read(f"<style>body{{font-family:{stack}}}</style>").typography == Brand().typography


def test_a_profile_is_taken_where_there_is_one_and_not_where_there_are_rivals():
    brand = read(
        "",
        '<a href="https://twitter.com/intent/tweet?url=x">share</a><a href="https://twitter.com/acme">t</a>'
        '<a href="https://www.facebook.com/sharer/sharer.php?u=x">f</a>'
        '<a href="https://github.com/acme">g</a><a href="https://github.com/other">h</a>'
        '<a href="https://youtube.com/@acme">y</a><a href="https://youtube.com/watch?v=1">v</a>'
        '<a href="https://linkedin.com.evil.example/company/acme">e</a>',
    )
    assert non_empty_fields(brand.social) == {
        "twitter": "https://twitter.com/acme",
        "youtube": "https://youtube.com/@acme",
    }


def test_what_is_known_is_not_overwritten():
    sure = read('<meta name="theme-color" content="#f00"><meta property="og:site_name" content="Acme">')
    other = read(
        '<meta name="theme-color" content="#00f"><meta property="og:site_name" content="Other">'
        '<meta name="description" content="D">'
    )
    both, added = sure.merge(other)
    assert (both.identity.name, both.identity.description, both.colors.primary) == ("Acme", "D", "#ff0000")
    assert [one.hex for one in both.colors.palette] == ["#ff0000", "#0000ff"]
    assert added == ["identity.description", "colors.palette"]
    assert sure.merge(sure) == (sure, [])


def test_design_tokens_have_a_value_and_a_type():
    brand = read('<meta name="theme-color" content="#f00"><style>body{font-family:Inter}</style>')
    assert build_tokens(brand) == {
        "color": {"brand": {"$value": "#ff0000", "$type": "color"}},
        "font": {"body": {"$value": "Inter", "$type": "fontFamily"}},
    }
    assert build_tokens(Brand()) == {}


@pytest.mark.parametrize(
    "node",
    [
        {"@type": "Organization", "name": {"a": 1}, "logo": [], "sameAs": {"x": 1}, "address": [[]]},
        {"@type": "Organization", "name": ["A", "B"], "logo": {"url": {"@id": "x"}}, "sameAs": [None, 5]},
        {"@type": 5, "publisher": "x"},
        {"@type": "Organization", "foundingDate": 1949, "address": "Tucson", "logo": 5},
    ],
)
def test_json_ld_of_any_shape_breaks_nothing(node):
    read(ld(**node)).wire()


def test_coverage_says_how_much_there_is():
    nothing = Brand().measure_coverage(blocked=False)
    assert set(nothing.wire().values()) == {"none"}
    some = read('<meta name="theme-color" content="#f00"><link rel="icon" href="/f.ico">').measure_coverage(
        blocked=True
    )
    assert some.wire() == {
        "colors": "partial",
        "logos": "partial",
        "typography": "none",
        "tone_of_voice": "none",
        "extraction_blocked": True,
    }


def test_hostile_pages_are_read_in_reasonable_time():
    for head in (
        "<style>:root{" + "".join(f"--brand-{n}-x:#123456;" for n in range(20_000)) + "}</style>",
        "<style>body{font-family:" + "a," * 200_000 + "}</style>",
        "<style>:root{--" + "a-" * 300_000 + ":x,y}</style>",
        "<style>" + "@import url(" * 100_000 + "</style>",
        "".join(f'<link href="https://fonts.googleapis.com/css?family={"A|" * 50}{n}">' for n in range(10_000)),
        "".join(f'<a href="https://twitter.com/u{n}">x</a>' for n in range(50_000)),
    ):
        assert_quick(partial(read, head), 5)
