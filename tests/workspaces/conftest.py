"""Workspaces on both stores that keep their word when many write."""

import pytest
from tests.support.table_instances import clock, in_engine, in_sqlite, instances  # noqa: F401  fixtures

from assay.workspaces.workspace_store import WorkspaceMembers, WorkspaceStore


@pytest.fixture
def workspace_of(instances, clock):  # noqa: F811
    """`workspace_of(user)`: what the person can do in the workspace, over an instance of its own."""

    def workspace(user="ada", tenant="acme", name="river"):
        return WorkspaceStore(instances(), name, tenant, user, clock=clock)

    return workspace


@pytest.fixture
def members(instances, clock):  # noqa: F811
    return WorkspaceMembers(instances(), "river", clock)
