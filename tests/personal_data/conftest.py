"""People with data of every kind, in the stores of a laptop."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.support import belongings
from tests.support.table_instances import in_engine  # noqa: F401  a fixture

NEWS = {"results": [{"title": "Otters", "url": "https://otters.example/", "content": "They sleep."}]}


@pytest.fixture
def environ(environ):
    return environ | belongings.SETTINGS


@pytest.fixture
def give_data(services, site):
    """`await give_data(caller)`: the person gets two memories, two scheduled tasks, and one item of every other kind."""
    site.says("/searxng/search", json.dumps(NEWS), kind="application/json")
    services.runs_workers = False  # the jobs stay as they are

    async def give(caller):
        return await belongings.fill(services, caller)

    return give


@pytest.fixture
def list_stored(services):
    """`list_stored()`: the keys of all rows, and the names of all files of objects."""

    def list_names(world=services) -> set[tuple[str, str]]:
        home: Path = world.settings.home
        with closing(sqlite3.connect(home / "assay.sqlite3")) as database:
            rows = {(key.decode(), sort.decode()) for key, sort in database.execute("SELECT key, sort FROM rows")}
        bucket = home / "bucket"
        return rows | {("file", str(path.relative_to(bucket))) for path in bucket.glob("?/*")}

    return list_names
