import pytest

from assay.evaluation import known_hosts
from assay.evaluation.reputation import find_reputation


def test_a_listed_host_is_known_with_its_basis_and_note():
    result = find_reputation("https://www.who.int/news")
    assert result.wire() == {
        "tier": "high",
        "basis": "curated from each host's published editorial or legal procedure",
        "note": "United Nations system: official documents and statistics",
    }


@pytest.mark.parametrize(
    ("url", "tier"),
    [
        ("https://pubmed.ncbi.nlm.nih.gov/1", "high"),
        ("https://de.wikipedia.org/wiki/Tee", "mixed"),
        ("https://ec.europa.eu/x", "high"),
        ("HTTPS://WWW.NATURE.COM./x", "high"),
        ("nature.com", "high"),
    ],
)
def test_a_host_inherits_from_the_domains_above_it(url, tier):
    assert find_reputation(url).tier == tier


@pytest.mark.parametrize(
    "url", ["https://example.com/", "https://who.int.example.com/", "https://example.com/?u=who.int", "https://[x", ""]
)
def test_an_unlisted_host_is_unknown_and_not_bad(url):
    assert find_reputation(url) is None


def test_the_list_is_long_and_calls_nobody_unreliable():
    domains = known_hosts.load_table("reputation")["domains"]
    assert len(domains) >= 200
    assert {entry["tier"] for entry in domains.values()} == {"high", "mixed"}
    assert all(entry["note"] for entry in domains.values())
