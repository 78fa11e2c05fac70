"""Compare Assay with web-researcher-mcp on one local site.

    uv run python infra/benchmarks/peer.py [PEER_BINARY] [--delay 50 0] [--rounds 1]

The same client calls both through MCP's HTTP transport, in turns. `--delay` are the milliseconds that the site waits
before each answer. Prints the median of the rounds for each, and the ratio.
"""

import argparse
import asyncio
import contextlib
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parents[2]))

from infra.scripts.loopback_ports import reserve_port

HERE = Path(__file__).parent
CALLERS, PAGES = 32, 1200


@contextlib.contextmanager
def running(command: list[str], environ: dict[str, str], port: int) -> Iterator[subprocess.Popen[bytes]]:
    with tempfile.TemporaryFile() as log:
        child = subprocess.Popen(command, env=os.environ | environ, stdout=log, stderr=log)
        try:
            for _ in range(600):
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.2):
                    break
                time.sleep(0.02)
            else:
                log.seek(0)
                raise SystemExit(log.read().decode())
            yield child
        finally:
            child.terminate()
            child.wait(30)


class McpClient:
    """Minimal JSON-RPC client of one MCP endpoint, cheap enough not to distort the measurement."""

    def __init__(self, url: str) -> None:
        place = urlsplit(url)
        self._host, self._port, self._path = place.hostname or "", place.port or 80, place.path
        self._idle: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def rpc(self, method: str, params: dict[str, object]) -> dict[str, object]:
        text = await self._post(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode())
        if not text.startswith(b"{"):  # an event stream
            text = next(line[5:] for line in text.splitlines() if line.startswith(b"data:"))
        reply: dict[str, object] = json.loads(text)
        return reply

    async def _post(self, body: bytes) -> bytes:
        reader, writer = (
            self._idle.pop() if self._idle else await asyncio.open_connection(self._host, self._port, limit=2**22)
        )
        head = (
            f"POST {self._path} HTTP/1.1\r\nhost: {self._host}:{self._port}\r\ncontent-type: application/json\r\n"
            f"accept: application/json, text/event-stream\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        answer = (await reader.readuntil(b"\r\n\r\n")).lower()
        if b"transfer-encoding: chunked" in answer:
            text = b""
            while size := int(await reader.readuntil(b"\r\n"), 16):
                text += (await reader.readexactly(size + 2))[:-2]
            await reader.readexactly(2)
        else:
            text = await reader.readexactly(int(answer.split(b"content-length:")[1].split(b"\r\n")[0]))
        self._idle.append((reader, writer))
        return text

    async def begin(self) -> None:
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        await self.rpc("initialize", hello)

    async def scrape(self, url: str) -> float:
        began = time.perf_counter()
        answer = await self.rpc("tools/call", {"name": "scrape_page", "arguments": {"url": url}})
        result = answer.get("result")
        if not isinstance(result, dict) or result.get("isError") or "Survey" not in json.dumps(result):
            raise SystemExit(f"no page: {json.dumps(answer)[:400]}")
        return time.perf_counter() - began

    def close(self) -> None:
        for _, writer in self._idle:
            writer.close()


@contextlib.asynccontextmanager
async def connect(url: str) -> AsyncIterator[McpClient]:
    client = McpClient(url)
    await client.begin()
    yield client
    client.close()


async def measure(url: str, site: str, mark: str) -> dict[str, float]:
    """Return the p50 in milliseconds of a cache miss and a hit, and pages per second with 32 callers."""
    async with connect(url) as client:
        for place in range(5):
            await client.scrape(f"{site}/{mark}/warm/{place}")
        misses = [await client.scrape(f"{site}/{mark}/miss/{place}") for place in range(60)]
        hits = [await client.scrape(f"{site}/{mark}/miss/{place % 60}") for place in range(300)]
        waiting = iter(range(PAGES))

        async def caller() -> None:
            for place in waiting:
                await client.scrape(f"{site}/{mark}/load/{place}")

        began = time.perf_counter()
        await asyncio.gather(*(caller() for _ in range(CALLERS)))
        took = time.perf_counter() - began
    return {
        "miss p50 ms": statistics.median(misses) * 1000,
        "hit p50 ms": statistics.median(hits) * 1000,
        "pages/s at 32": PAGES / took,
    }


def resident(child: subprocess.Popen[bytes]) -> float:
    """Return the memory in MB of the process and its descendants, since the command may be a wrapper."""
    waiting, total = [child.pid], 0
    while waiting:
        process = Path(f"/proc/{waiting.pop()}")
        total += int((process / "status").read_text().split("VmRSS:")[1].split()[0])
        for task in (process / "task").iterdir():
            waiting += [int(word) for word in (task / "children").read_text().split()]
    return total / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", nargs="?")
    parser.add_argument("--delay", type=int, nargs="+", default=[50])
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    for delay in options.delay:
        with (
            reserve_port() as port,
            running([sys.executable, str(HERE / "site.py"), str(port), str(delay)], {}, port),
        ):
            _compare(f"http://127.0.0.1:{port}", options.peer, options.rounds, f"{delay} ms latency")


def _compare(site: str, peer: str | None, rounds: int, title: str) -> None:
    """Measure each server once in every round, and print the medians."""
    figures: dict[str, list[dict[str, float]]] = defaultdict(list)
    for _ in range(rounds):
        figures["assay"].append(_measure_assay(site))
        if peer is not None:
            figures["peer"].append(_measure_peer(peer, site, {}))
            figures["peer, 64"].append(_measure_peer(peer, site, {"MAX_SCRAPE_CONCURRENCY": "64"}))
    print(f"{title:18}" + "".join(f"{name:>10}" for name in figures) + (f"{'assay/peer':>12}" if peer else ""))
    for name in figures["assay"][0]:
        values = [statistics.median(one[name] for one in measured) for measured in figures.values()]
        ratio = f"{values[0] / values[1]:12.2f}" if peer is not None else ""
        print(f"{name:18}" + "".join(f"{value:10.1f}" for value in values) + ratio)


def _measure_assay(site: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as home, reserve_port() as port:
        environ = {"ASSAY_HOME": home, "ALLOW_PRIVATE_IPS": "true"}
        command = [sys.executable, "-m", "assay.entrypoints.cli.main", "serve", "--port", str(port)]
        with running(command, environ, port) as child:
            figures = asyncio.run(measure(f"http://127.0.0.1:{port}/mcp", site, "ours"))
            return figures | {"resident MB": resident(child)}


def _measure_peer(binary: str, site: str, more: dict[str, str]) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as home, reserve_port() as port:
        environ = {
            "PORT": str(port),
            "ALLOW_PRIVATE_IPS": "true",
            "CHROME_PATH": "disabled",
            "JINA_READER_DISABLED": "true",
            "CACHE_DIR": home,
            "RATE_LIMIT_PER_TENANT": "1000000",
            "DAILY_QUOTA_PER_TENANT": "1000000",
            **more,
        }
        with running([binary], environ, port) as child:
            figures = asyncio.run(measure(f"http://127.0.0.1:{port}/mcp/", site, f"theirs{len(more)}"))
            return figures | {"resident MB": resident(child)}


if __name__ == "__main__":
    main()
