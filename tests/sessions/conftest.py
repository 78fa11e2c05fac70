"""Sessions on both stores that keep their word when many write."""

import pytest
from tests.support.table_instances import clock, in_engine, in_sqlite, instances  # noqa: F401  fixtures

from assay.sessions.store import SessionStore


@pytest.fixture
def store_of(instances, clock):  # noqa: F811
    """`desk_at(tenant, user)`: someone's desk, over an instance of its own."""

    def store(tenant="acme", user="ada", **more):
        return SessionStore(instances(), tenant, user, clock=clock, **more)

    return store
