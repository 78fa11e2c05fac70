"""Consents on both stores that keep their word when many write."""

import pytest
from tests.support.table_instances import clock, in_engine, in_sqlite, instances  # noqa: F401  fixtures

from assay.consent.consent_records import ConsentStore


@pytest.fixture
def consents_of(instances, clock):  # noqa: F811
    """`consents_of(tenant, user)`: the consents of a person, over an instance of its own."""

    def consents(tenant="acme", user="ada", **more):
        return ConsentStore(instances(), tenant, user, clock=clock, **more)

    return consents
