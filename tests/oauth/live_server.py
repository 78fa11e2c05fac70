"""A server on loopback that runs in a thread of its own, for clients that bring their own connections."""

import threading
import time

import uvicorn

from assay.bootstrap import local_services
from assay.entrypoints.http.local_server import create_app
from assay.settings import Settings


class LiveServer:
    """Listens on a free port until `stop`."""

    def __init__(self, environ, prepare=lambda services: None):
        self.services = local_services(Settings.read(environ))
        prepare(self.services)
        config = uvicorn.Config(create_app(self.services), port=0, ws="none", log_level="warning", access_log=False)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run)
        self._thread.start()
        while not self._server.started:
            if not self._thread.is_alive():
                raise RuntimeError("the server ended at once")
            time.sleep(0.01)
        self.url = f"http://127.0.0.1:{self._server.servers[0].sockets[0].getsockname()[1]}"

    def stop(self):
        self._server.should_exit = True
        self._thread.join()
