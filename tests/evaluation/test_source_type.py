import tracemalloc

import pytest

from assay.evaluation import authority, known_hosts
from assay.evaluation.source_type import categorize_host, classify, classify_host, is_journal


@pytest.mark.parametrize(
    ("url", "source_type"),
    [
        ("https://www.nature.com/articles/x", "peer_reviewed"),
        ("https://www.irs.gov/x", "government"),
        ("https://www.legislation.gov.uk/x", "government"),
        ("https://www.mofa.go.jp/x", "government"),
        ("https://www.economie.gouv.fr/x", "government"),
        ("https://en.wikipedia.org/wiki/Tea", "wiki"),
        ("https://cs.stanford.edu/~ann", "peer_reviewed"),
        ("https://www.ox.ac.uk/x", "peer_reviewed"),
        ("https://docs.python.org/3/", "official_docs"),
        ("https://developer.mozilla.org/x", "official_docs"),
        ("https://www.reuters.com/x", "news_publication"),
        ("https://old.reddit.com/r/tea", "forum"),
        ("https://x.com/ann", "social_media"),
        ("https://ann.substack.com/p/tea", "blog"),
        ("https://blog.example.com/tea", "blog"),
        ("https://example.com/tea", "unknown"),
        ("not a url", "unknown"),
        ("", "unknown"),
    ],
)
def test_the_host_tells_the_kind_of_source(url, source_type):
    assert classify(url).source_type == source_type


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/?ref=nature.com",
        "https://evil.example/nature.com/articles",
        "https://nature.com.evil.example/",
        "https://notnature.com/",
        "https://nature.com@evil.example/",
        "https://whitehouse.gov.evil.example/",
        "https://evil.example/#.gov",
        "https://edu.example/",
        "https://gov.example/",
    ],
)
def test_a_trusted_name_that_is_not_the_owner_of_the_address_counts_for_nothing(url):
    assert classify(url) == ("unknown", "medium", "general")
    assert authority.score_authority(url) == 0.5


@pytest.mark.parametrize(
    ("types", "source_type"),
    [
        (["scholarlyarticle"], "peer_reviewed"),
        (["website", "newsarticle"], "news_publication"),
        (["blogposting"], "blog"),
        (["techarticle"], "official_docs"),
        (["qapage"], "forum"),
        (["socialmediaposting"], "social_media"),
        (["governmentservice"], "government"),
        (["article"], "unknown"),
    ],
)
def test_what_the_page_calls_itself_goes_before_its_host(types, source_type):
    assert classify("https://example.com/tea", types=types).source_type == source_type


def test_only_papers_carry_citation_metas():
    stated = {"citation": {"citation_doi": "10.1000/x"}}
    assert classify("https://example.com/tea", types=["newsarticle"], structured=stated).source_type == "peer_reviewed"
    assert classify("https://example.com/tea", structured={"citation": None}).source_type == "unknown"


@pytest.mark.parametrize(
    ("url", "score", "tier"),
    [
        ("https://www.cdc.gov/x", 0.9, "high"),
        ("https://web.mit.edu/x", 0.9, "high"),
        ("https://github.com/a/b", 0.9, "high"),
        ("https://medium.com/@ann/tea", 0.7, "medium"),
        ("https://www.nytimes.com/x", 0.7, "medium"),
        ("https://www.destatis.de/x", 0.9, "high"),
        ("https://www.biorxiv.org/x", 0.7, "medium"),
        ("https://example.com/x", 0.5, "medium"),
    ],
)
def test_the_weight_of_a_host(url, score, tier):
    assert authority.score_authority(url) == score
    assert authority.to_tier(authority.score_authority(url)) == tier


def test_a_low_number_is_a_low_tier():
    assert authority.to_tier(0.49) == "low"


@pytest.mark.parametrize(
    ("host", "subject"),
    [
        ("nejm.org", "medical"),
        ("ncbi.nlm.nih.gov", "medical"),
        ("courtlistener.com", "legal"),
        ("sec.gov", "financial"),
        ("pypi.org", "technical"),
        ("arxiv.org", "academic"),
        ("nvd.nist.gov", "technical"),
        ("stanford.edu", "academic"),
        ("example.com", "general"),
    ],
)
def test_the_subject_of_a_host(host, subject):
    assert categorize_host(host) == subject


def test_a_lens_knows_the_subject_better_than_the_host():
    assert classify("https://example.com/x", lens="finance").domain_category == "financial"
    assert classify("https://nejm.org/x", lens="clinical").domain_category == "medical"
    assert classify("https://nejm.org/x", lens="news").domain_category == "medical"


def test_what_is_said_of_a_host_goes_before_what_is_said_of_its_domain():
    assert classify_host("dl.acm.org") == "peer_reviewed"
    assert classify_host("cloud.google.com") == "official_docs"


def test_every_listed_name_is_a_bare_host_and_none_has_two_kinds():
    for name in ("authority", "source_types", "categories"):
        seen = [domain for domains in known_hosts.load_table("hosts")[name].values() for domain in domains]
        assert all(domain == domain.lower().strip() and "/" not in domain for domain in seen)
        assert len(seen) == len(set(seen)), [domain for domain in seen if seen.count(domain) > 1]


def test_long_hosts_of_callers_are_not_kept():
    tracemalloc.start()
    try:
        for number in range(1_000):
            url = f"https://{'a' * 8_000}{number}.example/"
            assert (classify(url).source_type, is_journal(url)) == ("unknown", False)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 4_000_000  # `urllib` keeps the last 128
