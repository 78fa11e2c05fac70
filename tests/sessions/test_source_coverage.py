"""What is said of a session's sources: counts and thin places, and questions that widen them."""

import pytest

from assay.sessions.source_coverage import measure_coverage, suggest_queries


def sources(*urls):
    return [{"url": url} for url in urls]


def test_nothing_read_is_reported_and_the_goal_is_the_first_question():
    covered = measure_coverage([])
    assert (covered["sourceCount"], covered["domainSpread"], covered["sourceTypes"]) == (0, 0.0, {})
    assert covered["gaps"]
    assert suggest_queries("Otters", [], covered, 2026) == ["Otters"]


def test_domains_and_kinds_are_counted():
    covered = measure_coverage(
        [
            *sources(
                "https://www.nature.com/a", "https://nature.com/b", "https://www.bbc.com/news/1", "https://x.example/"
            ),
            {"url": "https://y.example/", "doi": "10.1000/x"},
        ]
    )
    assert (covered["sourceCount"], covered["uniqueDomains"], covered["domainSpread"]) == (5, 4, 0.8)
    assert covered["sourceTypes"] == {"news_publication": 1, "peer_reviewed": 3, "unknown": 1}
    assert covered["dominantDomain"] is None
    assert covered["gaps"] == []


@pytest.mark.parametrize(
    ("mine", "others", "dominant"), [(3, 2, None), (4, 2, "a.example"), (2, 0, None), (3, 0, "a.example")]
)
def test_a_domain_dominates_beyond_six_in_ten(mine, others, dominant):
    urls = [f"https://a.example/{n}" for n in range(mine)] + [f"https://{n}.example/" for n in range(others)]
    assert measure_coverage(sources(*urls))["dominantDomain"] == dominant


def test_away_from_a_dominant_domain_and_to_other_kinds_is_suggested():
    covered = measure_coverage(sources(*(f"https://www.nature.com/{n}" for n in range(4))))
    request = suggest_queries("sea otters", [], covered, 2026)
    assert request == ['"sea otters" -site:nature.com', '"sea otters" review OR commentary']


def test_gaps_become_questions_the_newest_first_in_words_that_are_new():
    covered = measure_coverage(sources("https://a.example/", "https://b.example/", "https://www.bbc.com/news/1"))
    request = suggest_queries(
        "sea otters", ["counts of otters in Norway", "latest disease of sea otters"], covered, 2026
    )
    assert request == ['"sea otters" latest disease after:2025', '"sea otters" counts norway']
    assert suggest_queries("sea otters", ["counts since 2021"], covered, 2026) == [
        '"sea otters" counts since 2021 after:2020'
    ]


def test_of_a_long_goal_the_words_that_carry_it_are_asked():
    goal = "How has the population of sea otters along the coast of Norway changed in the last twenty years and why?"
    [query] = suggest_queries(goal, [], measure_coverage([]), 2026)
    assert '"' not in query
    assert "otters" in query
    assert len(query.split()) <= 8


@pytest.mark.parametrize("gap", ["", "   ", '"', "的" * 400, "x" * 5000, "otters"])
def test_questions_stay_questions_whatever_the_gap(gap):
    for query in suggest_queries('an "odd" goal', [gap] * 9, measure_coverage([]), 2026):
        assert 0 < len(query) <= 320
        assert query.count('"') % 2 == 0


def test_no_more_than_six_are_suggested():
    covered = measure_coverage(sources(*(f"https://www.nature.com/{n}" for n in range(4))))
    request = suggest_queries("otters", [f"gap number {n} {'abcdefghi'[n]}" for n in range(9)], covered, 2026)
    assert len(request) == 6
    assert "otters -site:nature.com" in request
