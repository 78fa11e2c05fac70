"""Serve ministack by uvicorn: `python -P ministack_server.py`. Its own server takes twice as long for a request of a test.

Requests to DynamoDB, which nearly all are, go to ministack's DynamoDB at once: ministack's own search for the service that
a request is for takes longer than DynamoDB's answer.
"""

import os
from contextlib import suppress
from typing import Any

import uvicorn

KEEP_ALIVE, GRACE = 75, 1  # seconds: as ministack's own server keeps connections, and for requests at the end
DYNAMODB = "DynamoDB_20120810."


async def answer(scope: Any, receive: Any, send: Any) -> None:
    from ministack.app import app

    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope.get("headers", ())}
    if headers.get("x-amz-target", "").startswith(DYNAMODB):
        await ask_dynamodb(headers, receive, send)
    else:
        await app(scope, receive, send)


async def ask_dynamodb(headers: dict[str, str], receive: Any, send: Any) -> None:
    """As ministack's app does it: in the caller's account and region."""
    from ministack.core.responses import set_request_account_id, set_request_region
    from ministack.core.router import extract_access_key_id, extract_region
    from ministack.services import dynamodb

    body, more = b"", True
    while more:
        part = await receive()
        if part["type"] == "http.disconnect":
            return
        body, more = body + part["body"], part["more_body"]
    set_request_account_id(extract_access_key_id(headers))
    set_request_region(extract_region(headers))
    status, told, answered = await dynamodb.handle_request("POST", "/", headers, body, {})
    answered = answered if isinstance(answered, bytes) else answered.encode()
    told |= {"Content-Type": "application/x-amz-json-1.0", "Content-Length": str(len(answered))}
    head = [(name.encode(), value.encode()) for name, value in told.items()]
    await send({"type": "http.response.start", "status": status, "headers": head})
    await send({"type": "http.response.body", "body": answered})


def serve() -> None:
    host, port = os.environ["BIND_HOST"], int(os.environ["GATEWAY_PORT"])
    with suppress(KeyboardInterrupt):  # uvicorn raises the signal that ended it once more
        uvicorn.run(
            answer,
            host=host,
            port=port,
            access_log=False,
            log_level="warning",
            date_header=False,  # ministack has one, but for DynamoDB, where nothing reads it
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE,
            timeout_graceful_shutdown=GRACE,
        )


if __name__ == "__main__":
    serve()
