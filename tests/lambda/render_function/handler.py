"""The browser's handler whose names lead to the test's town. No function of the template has this seam."""

import os

from assay.entrypoints.lambda_browser import handler_for

PUBLIC = "93.184.216.34"  # never reached: the connection goes to PORT on loopback


async def resolve(host: str, port: int) -> list[str]:
    return ["127.0.0.1"] if host == "inward.example" else [PUBLIC]


def connect(address: str, port: int) -> tuple[str, int]:
    assert address == PUBLIC
    return "127.0.0.1", int(os.environ["PORT"])


handler = handler_for(resolve=resolve, connect=connect)
