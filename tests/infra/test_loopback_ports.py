"""Ports for servers of tests and benchmarks that run side by side."""

import socket
import subprocess
import sys

import pytest
from infra.scripts import loopback_ports
from infra.scripts.loopback_ports import reserve_port
from infra.scripts.stack import ROOT

ANOTHER = """
from infra.scripts import loopback_ports
loopback_ports.PORTS = range({}, {})
try:
    with loopback_ports.reserve_port() as port:
        print(port)
except OSError as error:
    print(error)
"""


def reserve_in_another_process(ports):
    command = [sys.executable, "-c", ANOTHER.format(ports.start, ports.stop)]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def one_port(monkeypatch):
    """The range of a single port that is free."""
    with reserve_port() as port:
        pass
    monkeypatch.setattr(loopback_ports, "PORTS", range(port, port + 1))
    return loopback_ports.PORTS


def test_a_port_that_is_reserved_is_given_to_nobody_else_until_its_server_has_ended(one_port):
    with reserve_port() as port:
        assert port in one_port
        assert reserve_in_another_process(one_port) == "No free port on 127.0.0.1."
        with pytest.raises(OSError, match="No free port"), reserve_port():
            pass
    assert reserve_in_another_process(one_port) == str(port)


def test_a_server_can_listen_on_the_port_that_is_reserved_for_it(one_port):
    with reserve_port() as port, socket.create_server(("127.0.0.1", port)):
        pass
    with (
        socket.create_server(("127.0.0.1", one_port.start)),
        pytest.raises(OSError, match="No free port"),
        reserve_port(),
    ):
        pass  # somebody listens who reserved nothing
