"""What pages declare for machines, put under the names of a schema; nothing is taken from beside the subject."""

import json

import pytest

from assay.extraction.page_extraction import Unavailable, extract_declared
from assay.extraction.target_schema import parse_schema
from assay.net.guarded_client import Fetched
from assay.scraping.snapshot_content import parse_snapshot

TEXT = "<p>" + "Words about it. " * 40 + "</p>"


def read(markup, schema):
    fetched = Fetched(
        "https://shop.example/it", 200, {"content-type": "text/html; charset=utf-8"}, markup.encode(), False, 0
    )
    return extract_declared(parse_schema(schema), parse_snapshot(fetched, "static"))


def page_with_json_ld(value):
    script = f'<script type="application/ld+json">{json.dumps(value)}</script>'
    return f"<html><head><title>It</title>{script}</head><body><article><h1>It</h1>{TEXT}</article></body></html>"


def fields(**types):
    named = {name: {"type": kind} if isinstance(kind, str) else kind for name, kind in types.items()}
    return {"type": "object", "properties": named}


LIST = {"type": "array", "items": {"type": "string"}}
RECIPE = {
    "@type": "Recipe",
    "name": "Soup",
    "recipeIngredient": ["2 onions", "water"],
    "cookTime": "PT20M",
    "recipeYield": "4",
    "nutrition": {"calories": "200 kcal"},
    "author": {"@type": "Person", "name": "Ann"},
    "recipeInstructions": [{"@type": "HowToStep", "text": "Cut."}, {"@type": "HowToStep", "text": "Boil."}],
}
JOB = {
    "@type": "JobPosting",
    "title": "Engineer",
    "hiringOrganization": {"@type": "Organization", "name": "Acme"},
    "jobLocation": {"@type": "Place", "address": {"addressLocality": "Bern", "addressCountry": "CH"}},
    "datePosted": "2026-01-02",
    "employmentType": "FULL_TIME",
}
EVENT = {
    "@type": "Event",
    "name": "Fair",
    "startDate": "2026-05-01T10:00",
    "location": {"@type": "Place", "name": "Hall", "address": "Main St 1"},
    "offers": [{"@type": "Offer", "price": "10"}, {"@type": "Offer", "price": "20"}],
}
PRODUCT = {
    "@type": "Product",
    "name": "Lamp",
    "sku": "X1",
    "offers": {"@type": "AggregateOffer", "lowPrice": "9.5", "highPrice": "12", "priceCurrency": "EUR"},
    "review": [{"@type": "Review", "author": {"name": "Bob"}, "reviewRating": {"ratingValue": "1"}, "name": "Bad"}],
    "publisher": {"name": "Somebody else", "telephone": "123"},
}
PLACE = {
    "@type": "Restaurant",
    "name": "Eat",
    "telephone": "+41 1",
    "address": {"streetAddress": "Rue 1", "addressLocality": "Genf", "postalCode": "1200"},
    "geo": {"latitude": 46.2},
    "openingHours": ["Mo-Fr 9-18"],
}
ADDRESS = {"type": "object", "properties": {name: {"type": "string"} for name in ("street", "city", "postal_code")}}


@pytest.mark.parametrize(
    ("declared", "schema", "data"),
    [
        (
            RECIPE,
            fields(
                title="string",
                ingredients=LIST,
                cook_time="string",
                servings="integer",
                calories="number",
                author="string",
                instructions=LIST,
            ),
            {
                "title": "Soup",
                "ingredients": ["2 onions", "water"],
                "cook_time": "PT20M",
                "servings": 4,
                "calories": 200,
                "author": "Ann",
                "instructions": ["Cut.", "Boil."],
            },
        ),
        (
            JOB,
            fields(jobTitle="string", company="string", location="string", date_posted="string", salary="number"),
            {
                "jobTitle": "Engineer",
                "company": "Acme",
                "location": "Bern",
                "date_posted": "2026-01-02",
                "salary": None,
            },
        ),
        (
            EVENT,
            fields(name="string", start_date="string", venue="string", price="number"),
            {"name": "Fair", "start_date": "2026-05-01T10:00", "venue": "Hall", "price": 10},
        ),
        (
            PRODUCT,
            fields(
                product_name="string", price="number", sku="string", rating="number", author="string", phone="string"
            ),
            {"product_name": "Lamp", "price": 9.5, "sku": "X1", "rating": None, "author": None, "phone": None},
        ),
        (
            PLACE,
            fields(name="string", phone="string", address=ADDRESS, latitude="number", opening_hours=LIST),
            {
                "name": "Eat",
                "phone": "+41 1",
                "address": {"street": "Rue 1", "city": "Genf", "postal_code": "1200"},
                "latitude": 46.2,
                "opening_hours": ["Mo-Fr 9-18"],
            },
        ),
    ],
    ids=["recipe", "job", "event", "product", "place"],
)
def test_linked_data_is_put_under_the_schemas_names(declared, schema, data):
    assert read(page_with_json_ld(declared), schema).data == data


def test_metas_of_a_post_are_read():
    metas = "".join(
        f'<meta property="{name}" content="{value}">'
        for name, value in {
            "og:title": "Post",
            "article:published_time": "2026-01-02T03:04:05Z",
            "og:description": "About it",
            "og:image": "https://x.example/y.png",
        }.items()
    )
    schema = fields(title="string", publishedAt="string", summary="string", image="string")
    assert read(f"<html><head>{metas}</head><body>{TEXT}</body></html>", schema).data == {
        "title": "Post",
        "publishedAt": "2026-01-02T03:04:05Z",
        "summary": "About it",
        "image": "https://x.example/y.png",
    }


def test_a_unit_beside_a_name_is_not_part_of_it():
    table = "<table><tr><td>Weight</td><td>1.5 kg</td></tr><tr><td>Height (mm)</td><td>120</td></tr></table>"
    result = read(f"<html><body><h1>Specs</h1>{table}{TEXT}</body></html>", fields(weight="string", height="number"))
    assert result.data == {"weight": "1.5 kg", "height": 120}
    assert result.words["height"] == "table height: 120"


STAFF = """<table><thead><tr><th>Name</th><th>Phone number</th><th>Room</th></tr></thead>
<tbody><tr><td>Ann</td><td>12</td><td>A</td></tr><tr><td>Bob</td><td>13</td><td>B</td></tr></tbody></table>"""
PEOPLE = [{"name": "Ann", "phone": "12"}, {"name": "Bob", "phone": "13"}]


@pytest.mark.parametrize("wrapped", [True, False])
def test_a_list_is_read_off_the_table_that_knows_most_of_it(wrapped):
    row = {"type": "object", "properties": {"name": {"type": "string"}, "phone": {"type": "string"}}}
    rows = {"type": "array", "items": row}
    other = (
        "<table><tr><th>Year</th><th>Flow</th></tr><tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>"
    )
    page = f"<html><body><h1>Staff</h1>{other}{STAFF}{TEXT}</body></html>"
    result = read(page, fields(staff=rows) if wrapped else rows)
    assert result.data == ({"staff": PEOPLE} if wrapped else PEOPLE)
    assert result.valid


def test_what_belongs_to_a_part_is_not_the_subjects():
    declared = {"@type": "Product", "brand": {"name": "Riverside", "description": "A maker"}, "offers": {"price": 5}}
    result = read(
        page_with_json_ld(declared), fields(name="string", description="string", brand="string", price="number")
    )
    assert result.data == {"name": None, "description": None, "brand": "Riverside", "price": 5}


HUGE = {"@id": "#a", "@type": "Thing", **{f"name{n}": "x" for n in range(2_000)}}
POINTERS = [{"@type": "Thing", "parts": [{"@id": "#a"}] * 50} for _ in range(300)]


@pytest.mark.parametrize(
    "markup",
    [
        page_with_json_ld({"@graph": [HUGE, *POINTERS]}),
        "<div itemscope>" * 200 + "<span itemprop='name price'>x</span>" * 3_000,
        "<p itemprop=name>" * 3_000 + "x",
        "<dl>" + "<dt>Name<dd>x" * 5_000 + "</dl>",
        "<table>" + "<tr><td>Name<td>x" * 3_000 + "</table>",
        '<meta property="og:title" content="x">' * 5_000,
    ],
    ids=["pointers", "scopes", "nested", "terms", "rows", "metas"],
)
def test_a_page_that_declares_without_end_is_read_to_an_end(markup):
    row = {"type": "object", "properties": {"name": {"type": "string"}, "price": {"type": "number"}}}
    schema = fields(name="string", price="number", parts={"type": "array", "items": row})
    try:
        result = read(markup + TEXT, schema)
    except Unavailable:
        return
    assert set(result.data) == {"name", "price", "parts"}


def test_text_alone_is_never_taken_for_a_declaration():
    page = f"<html><body><h1>Lamp</h1><p>Price: $12.50</p>{TEXT}</body></html>"
    with pytest.raises(Unavailable) as failure:
        read(page, fields(price="number"))
    assert "EXTRACT_UNAVAILABLE" in failure.value.message


def test_words_of_boxes_in_a_value_are_apart():
    page = (
        f"<html><body>{TEXT}<dl><dt>Weight<dd><div>2</div><div>kg</div></dl><div itemscope itemtype='https://schema.org/Shop'>"
        "<div itemprop=address>Main St<br>Bern <b>C</b>H</div></div></body></html>"
    )
    assert read(page, fields(weight="string", address="string")).data == {
        "weight": "2 kg",
        "address": "Main St Bern CH",
    }


def test_addresses_are_without_user_names_and_passwords():
    secret, address = "https://ada:secret@shop.example/x", "https://shop.example/x"
    schema = fields(url="string", image="string", video="string")
    page = page_with_json_ld({"@type": "Product", "url": secret}).replace(
        "<article>",
        f'<article itemscope><a itemprop="image" href="{secret}">It</a><meta property="og:video" content="{secret}">',
    )
    assert read(page, schema).data == {"url": address, "image": address, "video": address}


def test_facts_that_begin_like_an_address_stay_as_they_are():
    text = "https://ok.example by @ada, ask me@b.example"
    schema = fields(slogan="string", note="string", description="string", image="string", url="string", logo="string")
    page = page_with_json_ld({"@type": "Product", "slogan": text, "logo": "ht\ntps://ada:secret@b.example/z"}).replace(
        "<article>",
        f'<article itemscope><b itemprop="note" content="{text}">It</b><meta property="og:description" content="{text}">'
        '<meta property="og:image" content="ht\ntps://ada:secret@b.example/x">'
        '<a itemprop="url" href="ht\ntps://ada:secret@b.example/y">It</a>',
    )
    expected = {"slogan": text, "note": text, "description": text}
    links = {"image": "https://b.example/x", "url": "https://b.example/y", "logo": "https://b.example/z"}
    assert read(page, schema).data == expected | links


def test_entities_do_not_hide_passwords_of_facts():
    page = page_with_json_ld({"@type": "Product", "url": "https://ada:secret&#64;shop.example/x"})
    assert read(page, fields(url="string")).data == {"url": "https://shop.example/x"}


def test_what_does_not_fit_the_type_is_not_forced():
    result = read(
        page_with_json_ld({"@type": "Product", "name": "Lamp", "offers": {"price": "on request"}}),
        fields(name="string", price="number"),
    )
    assert result.data == {"name": "Lamp", "price": None}
