"""Memories on both stores that keep their word when many write."""

import pytest
from tests.support.table_instances import clock, in_engine, in_sqlite, instances  # noqa: F401  fixtures

from assay.memory.memory_store import MemoryStore


@pytest.fixture
def memories_of(instances, clock):  # noqa: F811
    """`memories_of(tenant, user)`: the memories of a person, over an instance of its own."""

    def memories(tenant="acme", user="ada", **more):
        return MemoryStore(instances(), tenant, user, clock=clock, **more)

    return memories
