"""Workers die by kill -9 in the middle of anything, and messages come twice: the crawl ends whole all the same."""

from pathlib import Path

import pytest
from infra.chaos import chaos_crawl, deployments


@pytest.mark.parametrize(("world", "pages", "dead"), [("sqlite", 30, 2), ("aws", 12, 1)])
async def test_killed_workers_lose_and_double_nothing(tmp_path: Path, world, pages, dead):
    with deployments.deployment(world, tmp_path) as environ:
        result = await chaos_crawl.run_experiment(environ, pages=pages, kills=dead, limit=120.0)
    assert result.faults == []
    assert result.kills == dead
    assert result.requests >= pages
