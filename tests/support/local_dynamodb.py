"""Start an engine that speaks DynamoDB on a free port of 127.0.0.1, for as long as a test or a shell needs it."""

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from infra.scripts.loopback_ports import reserve_port

SECONDS = 60.0  # to start on a busy machine; an idle one needs one
MINISTACK = ("-P", str(Path(__file__).with_name("ministack_server.py")))
MINISTACK_WITH_LAMBDA = ("-P", str(Path(__file__).with_name("lambda_engine.py")))


@contextmanager
def engine(program: Sequence[str] = MINISTACK, services: str = "dynamodb", host: str = "127.0.0.1") -> Iterator[str]:
    """The address of an empty engine, stopped at the end. Raises RuntimeError with its log if it does not start.

    `program` is what Python runs. `services` are what it plays, joined by commas, DynamoDB among them. It listens on
    `host`: loopback, or the address of this machine in a network of containers.
    """
    with tempfile.TemporaryDirectory() as name, reserve_port(host) as port:
        folder, url = Path(name), f"http://{host}:{port}"
        log = folder / "log"
        process = _process(program, services, host, port, folder, log)
        try:
            if not _answers(url, process):
                raise RuntimeError(f"The DynamoDB engine did not start:\n{log.read_text()}")
            yield url
        finally:
            _stop(process)


def _process(
    program: Sequence[str], services: str, host: str, port: int, folder: Path, log: Path
) -> subprocess.Popen[bytes]:
    """Nothing of our environment reaches it, and it listens on `host` alone."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "BIND_HOST": host,
        "GATEWAY_PORT": str(port),
        "SERVICES": services,
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        "LOG_LEVEL": "WARNING",
    }
    with log.open("ab") as out:
        return subprocess.Popen([sys.executable, *program], env=environment, cwd=folder, stdout=out, stderr=out)


def _answers(url: str, process: subprocess.Popen[bytes]) -> bool:
    end = time.monotonic() + SECONDS
    while process.poll() is None and time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"{url}/_ministack/health", timeout=5) as answer:
                return bool(json.load(answer)["services"].get("dynamodb") == "available" and process.poll() is None)
        except (urllib.error.URLError, TimeoutError):
            time.sleep(0.05)
    return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


if __name__ == "__main__":
    with engine() as address:
        print(address, flush=True)
        sys.stdin.read()  # until its end
