from datetime import date

import pytest

from assay.evaluation import source_quality

TODAY = date(2026, 3, 10)
LONG = "\n\n".join(["Tea is grown on hills. It is picked by hand. See https://tea.example for more of it."] * 60)


@pytest.mark.parametrize(
    ("published", "value"),
    [
        ("2026-03-10T08:00:00Z", 1.0),
        ("2026-03-11", 1.0),
        ("2026-03-05", 0.9),
        ("2026-02-20", 0.7),
        ("2025-08", 0.5),
        ("2025", 0.5),
        ("2019-01-01", 0.3),
        ("", 0.5),
        ("soon", 0.5),
        ("2031-01-01", 0.5),
    ],
)
def test_freshness_is_by_the_real_date(published, value):
    assert source_quality.score_freshness(published, TODAY) == value


@pytest.mark.parametrize(
    ("query", "title", "content", "value"),
    [
        ("green tea", "Green tea", "green tea", 1.0),
        ("green tea", "Green tea", "", 0.4),
        ("green tea", "", "Green tea is good", 0.6),
        ("green tea", "Cars", "Engines", 0.0),
        ("the of", "Cars", "Engines", 0.5),
    ],
)
def test_relevance_is_the_share_of_the_query_that_is_met(query, title, content, value):
    assert source_quality.score_relevance(query, title, content) == pytest.approx(value)


def test_part_of_a_word_is_not_a_word():
    assert source_quality.score_relevance("tea", "", "steam and teaching and plateau") == 0.0


@pytest.mark.parametrize(("content", "value"), [(LONG, 1.0), ("", 0.0), ("Tea.", 0.2), ("茶叶很好喝，" * 400, 0.5)])
def test_content_quality_adds_up(content, value):
    assert source_quality.score_content(content) == pytest.approx(value)


def test_the_overall_score_is_weighted_and_rounded():
    match = source_quality.score_source(
        "tea", url="https://www.nature.com/x", title="Tea", content=LONG, published="2026-03-10", today=TODAY
    )
    assert match.wire() == {
        "overall": 0.97,
        "relevance": 1.0,
        "freshness": 1.0,
        "authority": 0.9,
        "contentQuality": 1.0,
    }


def test_a_trusted_name_in_a_query_string_buys_nothing():
    match = source_quality.score_source(
        "tea", url="https://x.example/?ref=nature.com", title="", content="", published="", today=TODAY
    )
    assert match.authority == 0.5


def score_of(overall, **parts):
    return source_quality.QualityScore(
        **{"overall": overall, "relevance": 0.5, "freshness": 0.5, "authority": 0.5, "content_quality": 0.5} | parts
    )


def test_the_best_three_are_recommended_with_their_reason():
    results = source_quality.recommend_sources(
        [
            ("https://a.example", "A", score_of(0.7, authority=0.9)),
            ("https://b.example", "", score_of(0.59, relevance=1.0)),
            ("https://c.example", "C", score_of(0.9, relevance=1.0)),
            ("https://d.example", "D", score_of(0.61)),
            ("https://e.example", "E", score_of(0.8, freshness=1.0)),
        ]
    )
    assert [(one.url, one.score) for one in results] == [
        ("https://c.example", 0.9),
        ("https://e.example", 0.8),
        ("https://a.example", 0.7),
    ]
    assert results[0].reason == "closely matches the query (content-based; advisory only)"
    assert results[2].reason == "high-authority source (content-based; advisory only)"


def test_nothing_good_means_no_recommendation():
    assert source_quality.recommend_sources([("https://a.example", "A", score_of(0.5))]) == []


def test_a_weak_source_that_fills_the_answer_is_named():
    weak, good = ("https://weak.example", 900, 0.3), ("https://good.example", 100, 0.8)
    assert "https://weak.example" in source_quality.warn_of_dominance([good, weak])
    assert (
        source_quality.warn_of_dominance([("https://good.example", 900, 0.8), ("https://weak.example", 100, 0.3)])
        is None
    )
    assert source_quality.warn_of_dominance([weak]) is None
