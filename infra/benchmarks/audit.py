"""Measure the duration of an audit of 200 references when every upstream and site takes 100 ms to answer.

    uv run python infra/benchmarks/audit.py [--entries 200] [--milliseconds 100]

The references repeat the tests' gold set: DOIs, titles without a DOI, links to one host and to many.
The upstream also counts its concurrent requests, which must stay within the polite limits.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.verification.citation_services import FakeCitationServices, gold

from assay.bootstrap import local_services
from assay.caller import Caller
from assay.context import Context
from assay.invoke import invoke
from assay.settings import Settings


async def measure(count: int, milliseconds: int) -> None:
    gold_set = gold()
    cases = [case for case in gold_set["cases"] if case["kind"] != "outage"]
    random.Random(7).shuffle(cases)
    gold_set["sites"]["one.example"] = {"path": "/", "status": 200, "target": ""}
    entries = [case["entry"] for case in cases[:count]]
    for at, entry in enumerate(entries):
        if at % 4 == 0:  # many references to one site
            entry["url"] = f"http://one.example/?page={at}"
    fake_services = await FakeCitationServices(gold_set, seconds=milliseconds / 1000).start()
    with tempfile.TemporaryDirectory() as home:
        services = local_services(
            Settings.read({"ASSAY_HOME": home, "ALLOW_PRIVATE_IPS": "true"} | fake_services.environ)
        )
        services.web_overrides |= fake_services.seams
        began = time.perf_counter()
        reply = await invoke("audit_bibliography", {"entries": entries}, Context(services, Caller()))
        took = time.perf_counter() - began
        assert reply.error is None, reply.error
        print(f"{len(entries)} entries in {took:.2f} s; at most {fake_services.most_at_once} concurrent requests")
        print(f"requests: {sum(fake_services.requests.values())} {fake_services.requests}")
        print(reply.wire["summary"])
        await services.close()
    await fake_services.close()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--entries", type=int, default=200)
    parser.add_argument("--milliseconds", type=int, default=100)
    options = parser.parse_args()
    asyncio.run(measure(options.entries, options.milliseconds))


if __name__ == "__main__":
    main()
