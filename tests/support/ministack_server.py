"""Serve ministack by uvicorn: `python -P ministack_server.py`. Its own server takes twice as long for a request of a test."""

import os
from contextlib import suppress

import uvicorn

KEEP_ALIVE, GRACE = 75, 1  # seconds: as ministack's own server keeps connections, and for requests at the end


def serve() -> None:
    from ministack.app import app

    host, port = os.environ["BIND_HOST"], int(os.environ["GATEWAY_PORT"])
    with suppress(KeyboardInterrupt):  # uvicorn raises the signal that ended it once more
        uvicorn.run(
            app,
            host=host,
            port=port,
            access_log=False,
            log_level="warning",
            date_header=False,  # ministack has them
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE,
            timeout_graceful_shutdown=GRACE,
        )


if __name__ == "__main__":
    serve()
