"""Names: looked up without holding anybody up, whatever their servers do."""

import asyncio
import socket
import struct
import time

import pytest
import pytest_asyncio
from tests.support.time_limits import try_limits

from assay.errors import InvalidInput
from assay.net.dns import CachingResolver, is_unknown, system_resolve
from assay.net.exceptions import Unreachable
from assay.net.guarded_client import GuardedClient
from assay.net.resolver import Resolver
from assay.settings import Settings
from assay.state.tenant import working_for

NXDOMAIN, SERVFAIL = 3, 2


class NameServer(asyncio.DatagramProtocol):
    """A name server on loopback: `silent…` gets no answer, `none…` does not exist, `broken…` fails, `inner…` is private."""

    def __init__(self) -> None:
        self.requests: list[str] = []

    def connection_made(self, transport) -> None:
        self.transport = transport

    def datagram_received(self, data: bytes, address) -> None:
        labels, at = [], 12
        while length := data[at]:
            labels.append(data[at + 1 : at + 1 + length].decode())
            at += 1 + length
        name, question = ".".join(labels), data[12 : at + 5]
        self.requests.append(name)
        if name.startswith("silent"):
            return
        code = NXDOMAIN if name.startswith("none") else SERVFAIL if name.startswith("broken") else 0
        is_a = question[-4:-2] == b"\0\1"
        host = "10.1.2.3" if name.startswith("inner") else "93.184.216.34"
        row = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 60, 4) + socket.inet_aton(host) if is_a and not code else b""
        head = data[:2] + struct.pack(">HHHHH", 0x8180 | code, 1, int(bool(row)), 0, 0)
        self.transport.sendto(head + question + row, address)


@pytest_asyncio.fixture
async def server():
    transport, server = await asyncio.get_running_loop().create_datagram_endpoint(
        NameServer, local_addr=("127.0.0.1", 0)
    )
    server.port = transport.get_extra_info("sockname")[1]
    yield server
    transport.close()


@pytest.fixture
def resolve(server):
    return Resolver(["127.0.0.1"], server.port, seconds=1.0)


async def test_a_name_is_looked_up_where_it_is_told(resolve, server):
    assert await resolve("otters.example", 443) == ["93.184.216.34"]
    assert set(server.requests) == {"otters.example"}


async def test_the_hosts_file_is_read():
    assert "127.0.0.1" in await system_resolve("localhost", 80)


@pytest.mark.parametrize(
    ("name", "unknown"), [("none.example", True), ("broken.example", False), ("silent.example", False)]
)
async def test_a_name_that_does_not_exist_is_distinguished_from_one_that_nobody_knew(name, unknown, resolve):
    with pytest.raises(Unreachable) as failure:
        await resolve(name, 443)
    assert failure.value.reason == "dns"
    assert is_unknown(failure.value) is unknown


async def test_many_silent_names_hold_nobody_up(resolve):
    names = CachingResolver(resolve)
    silent = []
    for number in range(200):
        silent.append(asyncio.create_task(names.addresses(f"silent{number}.example", 443)))
        await asyncio.sleep(0.01 if number % 32 == 0 else 0)  # the server's socket holds so many questions
    assert await names.addresses("otters.example", 443) == ["93.184.216.34"]
    assert not any(task.done() for task in silent)
    began = time.monotonic()
    lost = await asyncio.gather(*silent, return_exceptions=True)
    assert all(isinstance(one, Unreachable) for one in lost)
    assert time.monotonic() - began < 120


async def test_a_tenant_that_asks_for_too_many_names_keeps_only_itself_waiting(server):
    async def flood(seconds: float) -> None:
        names = CachingResolver(Resolver(["127.0.0.1"], server.port, seconds=seconds), share=8)

        async def ask(tenant: str, name: str) -> list[str]:
            with working_for(tenant):
                return await names.addresses(name, 443)

        silent = [asyncio.create_task(ask("loud", f"silent{number}.example")) for number in range(20)]
        late = asyncio.create_task(ask("loud", "otters.example"))
        await asyncio.sleep(0.05)
        found = await ask("quiet", "otters.example")
        was_late = not late.done()
        assert await late == found == ["93.184.216.34"]
        await asyncio.gather(*silent, return_exceptions=True)
        assert was_late

    await try_limits(flood, 1, 10)


async def test_what_it_finds_is_still_checked(resolve):
    web = GuardedClient(Settings(), resolve=resolve)
    with pytest.raises(InvalidInput, match="private address"):
        await web.fetch("https://inner.example/", cap=100)
    await web.close()


def test_it_serves_one_loop_after_another():
    for _ in range(2):
        with asyncio.Runner() as runner:
            assert runner.run(system_resolve("localhost", 80))
