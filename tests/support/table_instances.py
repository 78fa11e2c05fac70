"""Fixtures: both stores that keep their word when many write, SQLite and an engine that speaks DynamoDB over HTTP."""

import pytest
from tests.support.table_factories import FrozenClock, client, create_table, dynamo, sqlite


@pytest.fixture
def clock():
    return FrozenClock()


@pytest.fixture
def in_sqlite(tmp_path, clock):
    return lambda: sqlite(tmp_path, clock)


@pytest.fixture
def in_engine(engine_url, clock):
    dynamodb = client(engine_url)
    name = create_table(dynamodb)
    yield lambda: dynamo(dynamodb, name, clock)
    dynamodb.close()


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
