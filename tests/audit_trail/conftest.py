"""Writers of audit events, and the receiver of the operator's webhook."""

import pytest

from assay.state.audit import emit_event


@pytest.fixture
def environ(environ, monkeypatch):
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    return environ


@pytest.fixture
def write(services):
    """`write(3)`: three events of Ada's."""

    def write_events(count, own=services):
        for number in range(count):
            emit_event(own.observers, "key.create", "acme", f"ada-{number}", own.clock(), subject=f"number-{number}")

    return write_events
