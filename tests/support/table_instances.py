"""Fixtures: both stores that keep their word when many write, SQLite and an engine that speaks DynamoDB over HTTP."""

import pytest
from tests.support.table_factories import FrozenClock, create_engine_table, open_engine_table, sqlite


@pytest.fixture
def clock():
    return FrozenClock()


@pytest.fixture
def in_sqlite(tmp_path, clock):
    return lambda: sqlite(tmp_path, clock)


@pytest.fixture
def in_engine(engine_url, clock):
    name = create_engine_table(engine_url)
    return lambda: open_engine_table(engine_url, name, clock)


@pytest.fixture(params=["in_sqlite", "in_engine"])
async def instances(request):
    """`instances()` opens the store once more, as another instance does."""
    make = request.getfixturevalue(request.param)
    opened = []

    def instance():
        opened.append(make())
        return opened[-1]

    yield instance
    for table in opened:
        await table.close()
