"""Fixtures of watches."""

from tests.support.watch_fixtures import environ, grant, list_rows, passes, serve_news  # noqa: F401
from tests.webhooks.conftest import received, receiver, work  # noqa: F401
