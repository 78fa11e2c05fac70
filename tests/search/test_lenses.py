"""Lenses: ours are sound, the operator's replace them, and what cannot be used is named."""

import json
from pathlib import Path

import pytest

from assay.errors import ConfigError, InvalidInput
from assay.search.lenses import BUILT_IN, NAMES, Lenses, list_custom_lenses
from assay.settings import Settings
from assay.toolkit import tool_registry


def test_our_lenses_are_there_with_enough_hosts_and_a_reason_for_each():
    lenses = Lenses(Settings())
    assert tuple(lenses.names()) == NAMES
    for lens in lenses.all.values():
        assert lens.goggle or 8 <= len(lens.domains) <= 20
        assert lens.description
    folder = next(folder for folder in BUILT_IN if folder.is_dir())
    for file in folder.glob("*.json"):
        document = json.loads(file.read_text())
        assert document["name"] == file.stem
        assert all(domain["reason"] for domain in document.get("domains", ()))


def test_a_tool_that_takes_a_lens_names_every_lens_the_operators_too(tmp_path):
    custom = tmp_path / "mine.json"
    custom.write_text('{"name": "otters", "domains": ["example.org"]}')
    cards = [tool_registry.find_tool(name).card() for name in ("web_search", "scrape_page")]
    ours = cards[0]["inputSchema"]["properties"]["lens"]["description"]
    assert all(name in ours for name in NAMES)
    listed, other = list_custom_lenses(cards, Lenses(Settings(lenses_path=custom)).names())
    assert "medical, news, otters, programming" in listed["inputSchema"]["properties"]["lens"]["description"]
    assert other is cards[1]
    assert cards[0]["inputSchema"]["properties"]["lens"]["description"] == ours


def custom(path: Path, document) -> Lenses:
    file = path / "mine.json"
    file.write_text(document if isinstance(document, str) else json.dumps(document))
    return Lenses(Settings(lenses_path=path))


def test_an_operators_lens_stands_beside_ours_and_replaces_one_of_the_same_name(tmp_path):
    lenses = custom(
        tmp_path,
        [
            {"name": "Mine", "domains": ["WWW.Example.org/Path/"]},
            {"name": "legal", "domains": ["law.example", "ü.example"]},
        ],
    )
    assert lenses.find(" MINE ").domains == ("example.org/path",)
    assert lenses.find("legal").domains == ("law.example", "xn--tda.example")
    assert lenses.find("academic").domains


def test_one_file_may_be_named_instead_of_a_folder(tmp_path):
    (tmp_path / "one.json").write_text('{"domains": ["example.org"]}')
    assert Lenses(Settings(lenses_path=tmp_path / "one.json")).find("one").domains == ("example.org",)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("{", "not readable JSON"),
        ("[" * 100_000, "not readable JSON"),
        ("5", "a lens must be an object"),
        ({"name": "x"}, "needs domains, cx or goggle"),
        ({"name": "x", "domains": []}, "needs domains, cx or goggle"),
        ({"name": "x", "domains": "example.org"}, "domains must be a list"),
        ({"name": "x", "domain": ["example.org"]}, "unknown field 'domain'"),
        ({"name": "../x", "domains": ["example.org"]}, "is not a valid name"),
        ({"name": "x", "goggle": "http://x.example"}, "https"),
        ({"name": "x", "cx": 5}, "cx must be a string"),
        *[
            ({"name": "x", "domains": [domain]}, "is not a domain")
            for domain in [
                "https://example.org",
                "example.org:80",
                "a b",
                "",
                "localhost",
                "*.example.org",
                5,
                "a.example?x",
                "u@x.example",
            ]
        ],
    ],
)
def test_what_cannot_be_used_is_named_with_its_file(tmp_path, document, said):
    with pytest.raises(ConfigError) as failure:
        custom(tmp_path, document).names()
    assert said in failure.value.message
    assert "mine.json" in failure.value.message


def test_a_path_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ConfigError, match="does not exist"):
        Lenses(Settings(lenses_path=tmp_path / "no")).names()


def test_an_unknown_lens_is_answered_with_those_there_are():
    with pytest.raises(InvalidInput, match="academic"):
        Lenses(Settings()).find("magic")
