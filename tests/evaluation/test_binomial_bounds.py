"""The confidence interval of a proportion: known values, and the defining tail sums."""

import math

import pytest

from assay.evaluation.binomial_bounds import clopper_pearson


def at_least(successes: int, trials: int, rate: float) -> float:
    """Return the probability of `successes` or more, summed exactly."""
    counts = range(successes, trials + 1)
    return math.fsum(math.comb(trials, k) * rate**k * (1 - rate) ** (trials - k) for k in counts)


def test_without_a_success_the_upper_bound_has_a_closed_form_and_the_lower_one_is_zero():
    for trials in (1, 10, 365, 1_000_000):
        low, high = clopper_pearson(0, trials)
        assert low == 0.0
        assert high == pytest.approx(1 - 0.025 ** (1 / trials), rel=1e-9)


@pytest.mark.parametrize(
    ("successes", "trials", "confidence"),
    [(1, 10, 0.95), (5, 10, 0.9), (9, 10, 0.95), (3, 700, 0.99), (250, 900, 0.95), (1, 2, 0.5)],
)
def test_each_bound_leaves_half_of_the_error_in_its_tail(successes, trials, confidence):
    low, high = clopper_pearson(successes, trials, confidence)
    tail = (1 - confidence) / 2
    assert at_least(successes, trials, low) == pytest.approx(tail, rel=1e-7)
    assert 1 - at_least(successes + 1, trials, high) == pytest.approx(tail, rel=1e-7)


def test_the_interval_of_the_failures_mirrors_that_of_the_successes():
    low, high = clopper_pearson(12, 345)
    assert clopper_pearson(333, 345) == pytest.approx((1 - high, 1 - low), rel=1e-9)


def test_extremes_stay_within_zero_and_one():
    assert clopper_pearson(0, 0) == (0.0, 1.0)
    assert clopper_pearson(7, 7)[1] == 1.0
    low, high = clopper_pearson(1_000_000, 2_000_000)
    assert 0.499 < low < 0.5 < high < 0.501


@pytest.mark.parametrize(("successes", "trials", "confidence"), [(-1, 5, 0.95), (6, 5, 0.95), (1, 5, 1.0), (1, 5, 0.0)])
def test_what_has_no_interval_is_refused(successes, trials, confidence):
    with pytest.raises(ValueError, match="no interval"):
        clopper_pearson(successes, trials, confidence)
