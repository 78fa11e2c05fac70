"""Counted calls on both stores that keep their word when many write."""

import pytest
from tests.support.table_instances import clock, in_engine, in_sqlite, instances  # noqa: F401  fixtures

from assay.usage.usage_store import UsageStore


@pytest.fixture
def usage_of(instances, clock):  # noqa: F811
    """`usage_of(user)`: the counted calls of a person, over an instance of its own."""

    def usage(user="ada", tenant="acme", **more):
        return UsageStore(instances(), tenant, user, clock=clock, **more)

    return usage
