"""Tables of both worlds, and what people allow clients."""

import pytest
import pytest_asyncio
from tests.support import table_factories

from assay.oauth.grants import Authorization
from assay.oauth.principals import Principal


@pytest.fixture
def frozen():
    return table_factories.FrozenClock()


@pytest_asyncio.fixture(params=["sqlite", "dynamodb"])
async def table(request, tmp_path, frozen):
    """A table on a laptop, and one on AWS."""
    if request.param == "sqlite":
        table = table_factories.sqlite(tmp_path, frozen)
    else:
        client = table_factories.client(request.getfixturevalue("engine_url"))
        table = table_factories.dynamo(client, table_factories.create_table(client), frozen)
    yield table
    await table.close()


@pytest.fixture
def allowed():
    ada = Principal("acme", "ada", frozenset({"*"}), "ada-laptop", "d" * 64)
    return Authorization(ada, "client-1", "Otter", "app.example", frozenset({"tool:*"}), "https://assay.example/mcp")
