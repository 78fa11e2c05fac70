"""format_bibliography: sources as people cite them and as reference managers read them."""

import json
import re

import pytest

from assay.bibliography.notation import parse_bibliography
from assay.bibliography.person_names import Name
from assay.caller import Caller
from assay.sessions.recording import note_sources

OTTERS = {
    "url": "https://river.example/otters",
    "title": "On otters & their stones",
    "author": "Ada Brook; Jean-Paul van der Berg",
    "site": "River News",
    "date": "2025-03-04T05:06:07Z",
}
ATTENTION = {
    "title": "Attention is all you need",
    "author": "Ashish Vaswani and Noam Shazeer",
    "site": "NeurIPS",
    "date": "2017",
    "doi": "https://doi.org/10.5555/ABC.1",
}
STYLES = ["apa", "mla", "bibtex", "ris", "csl-json"]


@pytest.fixture
def format_sources(ask):
    async def answer(style, *sources, **more):
        reply = await ask("format_bibliography", style=style, **({"sources": list(sources)} if sources else {}), **more)
        assert reply.error is None, reply.error
        return reply.wire

    return answer


async def test_apa(format_sources):
    wire = await format_sources("apa", ATTENTION, OTTERS)
    assert wire["bibliography"].split("\n\n") == [
        (
            "Brook, A., & van der Berg, J.-P. (2025, March 4). On otters & their stones. River News. "
            "https://river.example/otters"
        ),
        "Vaswani, A., & Shazeer, N. (2017). Attention is all you need. NeurIPS. https://doi.org/10.5555/abc.1",
    ]
    assert (wire["style"], wire["entryCount"], wire["trust"]) == ("apa", 2, "untrusted-external-content")
    assert {"sessionId", "warnings"}.isdisjoint(wire)


async def test_mla(format_sources):
    assert (await format_sources("mla", OTTERS, ATTENTION))["bibliography"].split("\n\n") == [
        (
            "Brook, Ada, and Jean-Paul van der Berg. “On Otters & Their Stones.” River News, 4 Mar. 2025, "
            "https://river.example/otters."
        ),
        "Vaswani, Ashish, and Noam Shazeer. “Attention Is All You Need.” NeurIPS, 2017, https://doi.org/10.5555/abc.1.",
    ]


async def test_bibtex(format_sources):
    wire = await format_sources("bibtex", ATTENTION, OTTERS)
    assert wire["bibliography"] == (
        "@misc{brook2025on,\n"
        "  author = {Brook, Ada and van der Berg, Jean-Paul},\n"
        "  title = {{On otters \\& their stones}},\n"
        "  organization = {River News},\n"
        "  howpublished = {\\url{https://river.example/otters}},\n"
        "  year = {2025},\n"
        "  day = {4},\n"
        "  url = {https://river.example/otters},\n"
        "  month = mar\n"
        "}\n\n"
        "@article{vaswani2017attention,\n"
        "  author = {Vaswani, Ashish and Shazeer, Noam},\n"
        "  title = {{Attention is all you need}},\n"
        "  journal = {NeurIPS},\n"
        "  year = {2017},\n"
        "  doi = {10.5555/abc.1}\n"
        "}"
    )


async def test_ris(format_sources):
    wire = await format_sources("ris", ATTENTION, OTTERS)
    assert wire["bibliography"] == (
        "TY  - ELEC\nID  - brook2025on\nTI  - On otters & their stones\nAU  - Brook, Ada\n"
        "AU  - van der Berg, Jean-Paul\nPY  - 2025\nDA  - 2025/03/04/\nT2  - River News\n"
        "UR  - https://river.example/otters\nER  - \n\n"
        "TY  - JOUR\nID  - vaswani2017attention\nTI  - Attention is all you need\nAU  - Vaswani, Ashish\n"
        "AU  - Shazeer, Noam\nPY  - 2017\nT2  - NeurIPS\nDO  - 10.5555/abc.1\nER  - "
    )


async def test_csl_json(format_sources):
    wire = await format_sources("csl-json", ATTENTION, {**OTTERS, "author": "Otter Society"})
    assert json.loads(wire["bibliography"]) == [
        {
            "id": "ottersociety2025on",
            "type": "webpage",
            "title": "On otters & their stones",
            "author": [{"literal": "Otter Society"}],
            "issued": {"date-parts": [[2025, 3, 4]]},
            "container-title": "River News",
            "URL": "https://river.example/otters",
        },
        {
            "id": "vaswani2017attention",
            "type": "article-journal",
            "title": "Attention is all you need",
            "author": [{"family": "Vaswani", "given": "Ashish"}, {"family": "Shazeer", "given": "Noam"}],
            "issued": {"date-parts": [[2017]]},
            "container-title": "NeurIPS",
            "DOI": "10.5555/abc.1",
        },
    ]


@pytest.mark.parametrize("style", STYLES)
async def test_the_order_of_the_sources_changes_nothing(format_sources, style):
    sources = [{**OTTERS, "url": f"https://river.example/{n % 4}", "title": f"T{n % 4}"} for n in range(6)] + [
        ATTENTION
    ]
    once = await format_sources(style, *sources[:4], ATTENTION)
    again = await format_sources(style, ATTENTION, *sources[3::-1])
    assert once == again == await format_sources(style, *sources)
    assert once["entryCount"] == 5


async def test_equal_keys_are_distinguished(format_sources):
    sources = [
        {"url": f"https://river.example/{n:02}", "title": "Otters", "author": "A Brook", "date": "2020"}
        for n in range(29)
    ]
    keys = [
        entry.key for entry in parse_bibliography((await format_sources("bibtex", *sources))["bibliography"]).entries
    ]
    assert len(set(keys)) == 29
    assert keys == sorted(keys)
    assert {"brook2020otters", "brook2020ottersa", "brook2020ottersz", "brook2020ottersz2"} <= set(keys)


@pytest.mark.parametrize("style", ["apa", "bibtex", "ris", "csl-json", "ieee"])
async def test_no_user_name_and_password_is_published(ask, style):
    source = {"url": "https://ada:secret@river.example/otters", "title": "On otters"}
    reply = await ask("format_bibliography", sources=[source], style=style)
    assert "https://river.example/otters" in reply.wire["bibliography"]
    assert "secret" not in reply.wire["bibliography"]


async def test_the_first_of_two_sources_with_one_address_stays(format_sources):
    wire = await format_sources("ris", OTTERS, {**OTTERS, "title": "Second"}, ATTENTION, {"doi": "10.5555/abc.1"})
    assert wire["entryCount"] == 2
    assert "Second" not in wire["bibliography"]


@pytest.mark.parametrize("style", STYLES)
async def test_a_work_with_only_a_doi_is_kept(format_sources, style):
    wire = await format_sources(style, {"doi": "doi:10.1000/182"})
    assert wire["entryCount"] == 1
    assert "10.1000/182" in wire["bibliography"]


@pytest.mark.parametrize("style", STYLES)
async def test_what_has_neither_address_nor_doi_is_left_out_and_reported(format_sources, style):
    wire = await format_sources(
        style, {"title": "A book"}, OTTERS, {"url": "javascript:alert(1)", "title": "Js"}, {"doi": "x"}
    )
    assert wire["entryCount"] == 1
    assert "3 left out, with neither a web address nor a DOI: 1, 3, 4." in wire["warnings"]
    assert "Source 3: This is not a web address: javascript:alert(1)" in wire["warnings"]
    assert "alert" not in wire["bibliography"]


@pytest.mark.parametrize(
    "text",
    [
        "A\nER  - \nTY  - JOUR\nTI  - Forged",
        "A\r\nER  - \r\n\r\nTY  - BOOK",
        "A\x0b\x0c\x85\u2028\u2029ER  - ",
        "}}\n@article{forged, title={x}}",
        '"}, {"type": "book", "title": "forged"}, {"x": "',
        "<script>alert(1)</script>",
        "\\input{/etc/passwd} \\write18{id}",
        "\u202egnp.exe\u2066",
        "\x1b]8;;https://evil.example\x07link\x1b]8;;\x07",
        "{ { unbalanced",
        "100% & $5 #1 _x_ ^2 ~ \\",
    ],
)
@pytest.mark.parametrize("style", STYLES[2:])
async def test_no_field_forges_another_entry(format_sources, style, text):
    forged = {"url": "https://a.example/", "title": text, "author": text, "site": text, "date": text, "doi": text}
    wire = await format_sources(style, forged, OTTERS)
    result = parse_bibliography(wire["bibliography"], style)
    assert (wire["entryCount"], len(result.entries), result.unread) == (2, 2, ())
    assert {entry.url for entry in result.entries} == {"https://a.example/", OTTERS["url"]}
    assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069\u2028\u2029]", wire["bibliography"])
    assert "<script" not in wire["bibliography"] or style != "csl-json"


@pytest.mark.parametrize("style", STYLES[:2])
async def test_a_line_break_in_a_title_makes_no_entry_more(format_sources, style):
    wire = await format_sources(style, {**OTTERS, "title": "A\n\nForged, F. (2020). Entry."}, ATTENTION)
    assert len(wire["bibliography"].split("\n\n")) == wire["entryCount"] == 2


@pytest.mark.parametrize(
    ("said", "date"),
    [("2024", "2024"), ("2024-05", "2024-05"), ("May 3, 2024", "2024-05-03"), ("Spring 2024", "2024"), ("soon", "")],
)
async def test_dates_are_understood_as_far_as_they_go(format_sources, said, date):
    wire = await format_sources("csl-json", {**OTTERS, "date": said})
    assert parse_bibliography(wire["bibliography"]).entries[0].date == date


@pytest.mark.parametrize("others", [" et al.", ", et al", "; and others", " u.a."])
async def test_others_are_nobodys_name(format_sources, others):
    wire = await format_sources("csl-json", {**OTTERS, "author": "Ada Brook" + others})
    assert parse_bibliography(wire["bibliography"]).entries[0].authors == (Name("Brook", "Ada"),)


async def test_a_session_lends_its_sources(ask, format_sources, services):
    arguments = {"searchStep": "Look", "stepNumber": 1, "nextStepNeeded": True}
    session = (await ask("sequential_search", **arguments)).wire["sessionId"]
    matches = [
        {"url": "https://a.example/", "title": "A", "author": "Ada Brook", "date": "2020-01-02"},
        {"url": "https://b.example/", "doi": "10.1000/b"},
    ]
    await note_sources(services.table, "local", "local", session, matches, services.clock())
    wire = await format_sources("csl-json", sessionId=session)
    assert (wire["entryCount"], wire["sessionId"]) == (2, session)
    first, second = sorted(parse_bibliography(wire["bibliography"]).entries, key=lambda entry: entry.url)
    assert (first.title, first.authors, first.date) == ("A", (Name("Brook", "Ada"),), "2020-01-02")
    assert (second.url, second.doi) == ("https://b.example/", "10.1000/b")
    stranger = await ask("format_bibliography", Caller("evil", "eve"), sessionId=session)
    unknown = await ask("format_bibliography", Caller("evil", "eve"), sessionId="unknown")
    assert stranger.error.text() == unknown.error.text()
    assert stranger.error.kind == "session_not_found"


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"sources": []},
        {"sources": [], "sessionId": ""},
        {"sources": [OTTERS], "style": "no-such-style"},
        {"sources": [OTTERS], "style": "../../etc/passwd"},
        {"sources": [OTTERS], "style": ""},
        {"sources": [OTTERS], "style": "chicago-notes"},
        {"sources": [OTTERS], "style": "https://evil.example/styles/apa"},
        {"sources": [OTTERS], "style": "<style xmlns='http://purl.org/net/xbiblio/csl'/>"},
        {"sources": [OTTERS], "locale": "tlh"},
        {"sources": [{**OTTERS, "type": "poem"}]},
        {"sources": [{**OTTERS, "authors": "x"}]},
        {"sources": "x"},
        {"sources": [OTTERS] * 1001},
    ],
)
async def test_what_is_out_of_bounds_is_the_callers_fault(ask, wrong):
    assert (await ask("format_bibliography", **wrong)).error.kind == "validation"


async def test_numbers_and_nothing_are_taken_for_what_they_mean(format_sources):
    wire = await format_sources(
        "csl-json", {"url": OTTERS["url"], "title": 1984, "date": 1949, "doi": None, "author": ""}
    )
    [item] = json.loads(wire["bibliography"])
    assert (item["title"], item["issued"]) == ("1984", {"date-parts": [[1949]]})
