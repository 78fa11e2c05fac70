"""Tests measure processor time through one module, whose bounds hold on a busy machine and refuse what grows too fast."""

import gc
import re
import threading
from itertools import count
from pathlib import Path

import pytest
from tests.support import processor_time
from tests.support.processor_time import assert_linear, assert_quick, assert_quick_call

TESTS = Path(__file__).parents[1]
CLOCKS = re.compile(r"\b(?:process_time|thread_time|perf_counter)(?:_ns)?\b")
QUICK = 0.02  # seconds


def visit_once(items):
    for _ in items:
        pass


def visit_pairs(items):
    for _ in items:
        for _ in items:
            pass


def visit_in_a_step(items):
    """Take four times as long from a size on, and in proportion to the size on both sides of it."""
    for _ in range(4 if len(items) > 1_500_000 else 1):
        visit_once(items)


def repeat(many):
    return "x" * many


def test_one_module_of_the_tests_reads_these_clocks():
    readers = {path.relative_to(TESTS).as_posix() for path in TESTS.rglob("*.py") if CLOCKS.search(path.read_text())}
    assert readers == {"support/processor_time.py", "architecture/test_processor_time.py"}


def test_work_in_proportion_to_its_input_is_linear():
    assert_linear(visit_once, repeat, first=50_000, largest=800_000)


def test_a_step_is_no_growth():
    assert_linear(visit_in_a_step, repeat, first=1_000_000, largest=1_000_000)


def test_quadratic_work_is_not_linear_whichever_thread_does_it():
    def visit(items):
        thread = threading.Thread(target=visit_pairs, args=[items])
        thread.start()
        thread.join()

    with pytest.raises(AssertionError, match="for twice as many"):
        assert_linear(visit, repeat, all_threads=True)


def test_quadratic_work_is_not_quick():
    assert_quick(lambda: visit_once(repeat(3_000)), QUICK)
    with pytest.raises(AssertionError, match="s at most"):
        assert_quick(lambda: visit_pairs(repeat(3_000)), QUICK)


async def test_quadratic_work_of_the_event_loop_is_not_quick():
    async def visit(visit_items):
        visit_items(repeat(3_000))

    await assert_quick_call(lambda: visit(visit_once), QUICK)
    with pytest.raises(AssertionError, match="s at most"):
        await assert_quick_call(lambda: visit(visit_pairs), QUICK)


def test_work_that_is_slow_once_is_quick_and_what_it_returns_is_given_back():
    runs = count(1)

    def work():
        run = next(runs)
        visit_pairs(repeat(3_000 if run == 1 else 1))
        return run

    assert assert_quick(work, QUICK) == 2


def test_no_garbage_is_collected_during_a_measurement():
    assert_quick(lambda: [[each] for each in range(3)], QUICK)
    assert gc.isenabled()
    assert not assert_quick(gc.isenabled, QUICK)


def test_quick_work_is_measured_once():
    runs = []
    assert_quick(lambda: runs.append(1), QUICK)
    assert len(runs) == 1
    with pytest.raises(AssertionError):
        assert_quick(lambda: runs.append(1), 0)
    assert len(runs) == 1 + processor_time.ATTEMPTS
