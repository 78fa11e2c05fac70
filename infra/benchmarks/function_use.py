"""Measure memory and processor time of functions in the emulator: `python -m infra.benchmarks.function_use`.

Each function gets a first call and then `CALLS` more. Processor time, unlike the time on the clock, hardly depends on
what else this machine does. Memory is the largest resident set of the function's process. AWS and the upstreams are
emulated on loopback; `web_search` asks a SearXNG that answers at once.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from infra.benchmarks import cold_start
from infra.scripts import emulator, stack
from infra.scripts.deploy_local import http_event
from infra.scripts.local_checks import serve_web

CALLS = 20
STEP = {"searchStep": "Look", "stepNumber": 1, "totalStepsEstimate": 1, "nextStepNeeded": False}
HTML = "<title>Otters</title><article>" + "<p>Otters hold hands while they sleep.</p>" * 1_000 + "</article>"
CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "`tools/list`": ("Mcp", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
    "`dedupe_rank`": ("Tooldeduperank", "/tools/dedupe_rank", {"docs": [{"id": "a", "text": "Otters"}]}),
    "`metadata_extract`, 40 KB": (
        "Toolmetadataextract",
        "/tools/metadata_extract",
        {"html": HTML, "base_url": "https://example.org/"},
    ),
    "`web_search`, cached": ("Toolwebsearch", "/tools/web_search", {"query": "otters"}),
    "`sequential_search`": ("Toolsequentialsearch", "/tools/sequential_search", STEP),
    "`POST /v1/search`": ("Rest", "/v1/search", {"query": "otters"}),
}


def list_descendants(pid: int) -> list[int]:
    children = [one for each in Path(f"/proc/{pid}/task").glob("*/children") for one in each.read_text().split()]
    return [one for child in children for one in (int(child), *list_descendants(int(child)))]


def measure(running: emulator.Running) -> tuple[float, float]:
    """The processor time in seconds and the largest memory in MB of the function's process, the emulator's largest."""
    used = []
    for pid in list_descendants(running.process.pid):
        status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
        ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        seconds = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
        used.append((int(status["VmHWM"].split()[0]) / 1024, seconds))
    memory, seconds = max(used)
    return seconds, memory


def main() -> int:
    built = stack.functions(stack.build())
    results = []
    with cold_start.cloud() as environment, serve_web("127.0.0.1") as web:
        settings = {**environment, "SEARXNG_URL": f"{web}/searxng"}
        settings |= {"ASSAY_API_KEYS": "ssm:/keys", "RATE_LIMIT_PER_TENANT": "0"}
        for name, (function, path, body) in CASES.items():
            with emulator.running(built[function], settings) as running:
                request = http_event(path, body, key=cold_start.KEY)
                answer = running.call(request)
                if answer.get("statusCode") != 200:
                    raise RuntimeError(f"{name} answered {str(answer)[:300]}")
                cold, _ = measure(running)
                for _ in range(CALLS):
                    running.call(request)
                total, memory = measure(running)
            result = {"name": name, "cold_ms": cold * 1000, "warm_ms": (total - cold) / CALLS * 1000, "memory": memory}
            results.append({key: round(value) if key != "name" else value for key, value in result.items()})
            print(json.dumps(results[-1]), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
