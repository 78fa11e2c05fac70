"""Workers die by kill -9 in the middle of anything, and messages come twice: the crawl ends whole all the same."""

from pathlib import Path

from infra import kills


async def test_killed_workers_lose_and_double_nothing(tmp_path: Path):
    with kills.world("sqlite", tmp_path) as environ:
        result = await kills.crawled(environ, pages=40, kills=3, limit=60.0)
    assert result.faults == []
    assert result.kills == 3
    assert result.requests >= 40
