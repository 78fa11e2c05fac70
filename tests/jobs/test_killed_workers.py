"""A job is killed by kill -9 before each thing that it writes: nothing is lost, and nothing is archived twice."""

from pathlib import Path

from infra.chaos import chaos_jobs


def test_a_job_killed_at_each_step_of_a_hundred_items_archives_each_once(tmp_path: Path):
    result = chaos_jobs.run_experiment("sqlite", tmp_path, items=100, of=25, limit=200.0)
    assert result.faults == []
    assert result.captures == 100
    assert result.kills >= 30
    assert {"put due", "put errands", "delete due", "put archive", "put journal", "put session"} <= set(result.points)


def test_it_is_so_on_dynamodb(tmp_path: Path):
    result = chaos_jobs.run_experiment("aws", tmp_path, items=2, of=2, limit=200.0)
    assert result.faults == []
    assert result.captures == 2
    assert result.kills >= 10
