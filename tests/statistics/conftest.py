"""Fixtures: the stores that keep their word when many write."""

from tests.support.table_instances import clock, in_engine, in_sqlite, instances  # noqa: F401  fixtures
