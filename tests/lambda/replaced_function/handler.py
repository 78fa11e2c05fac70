"""A tool's handler, or the crawls' where no tool is named, whose web is the test's: names lead to a public address, and that is dialled on loopback.

The seam is Services' own; no function of the template has it, so production cannot be opened this way.
"""

import os

from assay.entrypoints import lambda_crawl, runtime
from assay.entrypoints.http.http_api import handler_for

PUBLIC = "93.184.215.14"  # never reached: the connection goes to PORT on loopback


async def resolve(host: str, port: int) -> list[str]:
    return [PUBLIC]


def connect(address: str, port: int) -> tuple[str, int]:
    assert address == PUBLIC
    return "127.0.0.1", int(os.environ["PORT"])


def services():
    world = runtime.services()
    world.web_overrides |= {"resolve": resolve, "connect": connect}
    return world


handler = handler_for(os.environ["TOOL"], services) if "TOOL" in os.environ else lambda_crawl.handler_for(services)
