"""Run a built function under AWS's Lambda runtime interface emulator, with its layers and the runtime's packages."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from infra.scripts.loopback_ports import reserve_port
from infra.scripts.stack import HERE, ROOT, Function

# Packages of Lambda's Python runtime; the function may import no other package of this environment.
RUNTIME = (
    "awslambdaric",
    "boto3",
    "botocore",
    "dateutil",
    "jmespath",
    "s3transfer",
    "simplejson",
    "six",
    "snapshot_restore_py",
    "urllib3",
)
INVOKE = "/2015-03-31/functions/function/invocations"
INIT = re.compile(r"INIT REPORT\(durationMs: ([\d.]+)")
# Lambda sets its paths inside the process, so that a process started by a handler inherits none of them.
START = "import sys; sys.path[:0] = sys.argv[2:]\n{prelude}\n{loop}"
RUNTIME_LOOP = "from awslambdaric.__main__ import main; main(sys.argv[:2])"
# The loop that the template's parameter Streaming starts. The emulator hands out its stream when it has ended.
STREAMING_LOOP = "from assay.entrypoints.lambda_loop import run; run()"
SECONDS = 60.0  # to start listening, even under load


@dataclass
class Running:
    """A function under the emulator. The first call starts its runtime, as a cold start does."""

    port: int
    process: subprocess.Popen[bytes]
    log_path: Path
    took: list[float] = field(default_factory=list)  # milliseconds of each call, as the caller sees them

    def call(self, event: Mapping[str, Any], seconds: float = 130.0) -> dict[str, Any]:
        """The handler's answer, or the runtime's {"errorMessage", "errorType"}."""
        reply: dict[str, Any] = json.loads(self.read(event, seconds))
        return reply

    def read(self, event: Mapping[str, Any], seconds: float = 130.0) -> bytes:
        """What Lambda gets of the function. A stream has a head in JSON and eight zeros before its body."""
        began = time.perf_counter()
        connection = HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        try:
            connection.request("POST", INVOKE, json.dumps(event))
            answer = connection.getresponse().read()
        except OSError as error:
            error.add_note(self.log())  # the emulator's reason to close a connection
            raise
        finally:
            connection.close()
        self.took.append((time.perf_counter() - began) * 1000)
        return answer

    def log(self) -> str:
        return self.log_path.read_text(errors="replace")

    def init_milliseconds(self) -> float:
        """Return the time from the runtime's start until it requested the first event."""
        reply = INIT.search(self.log())
        assert reply, self.log()
        return float(reply[1])


@contextmanager
def running(
    function: Function,
    environment: Mapping[str, str] | None = None,
    *,
    wrap: Callable[[list[str]], list[str]] = list,
    code: Path | None = None,
    prelude: str = "",
    loop: str = RUNTIME_LOOP,
) -> Iterator[Running]:
    """Run the function until the block ends. `environment` holds CloudFormation's values and overrides the rest.

    The runtime executes the Python statements of `prelude` before it imports the handler; those of `loop` serve events.
    """
    with tempfile.TemporaryDirectory() as name, reserve_port() as port, reserve_port() as inner:
        folder = Path(name)
        task = code or function.code
        start = START.format(prelude=prelude, loop=loop)
        started = _start(function, task, folder, environment or {}, wrap, start, (port, inner))
        try:
            yield started
        finally:
            with suppress(ProcessLookupError):
                os.killpg(started.process.pid, signal.SIGKILL)
            started.process.wait()


def _start(
    function: Function,
    task: Path,
    folder: Path,
    more: Mapping[str, str],
    wrap: Callable[[list[str]], list[str]],
    start: str,
    ports: tuple[int, int],
) -> Running:
    port, inner = ports
    log = folder / "log"
    command = [
        *(str(find_emulator()), "--runtime-interface-emulator-address", f"127.0.0.1:{port}"),
        *("--runtime-api-address", f"127.0.0.1:{inner}", "--log-level", "info"),
        *(f"{sys.base_prefix}/bin/python3.13", "-S", "-c", start, "handler.handler", *_paths(function, task)),
    ]
    with log.open("wb") as out:
        process = subprocess.Popen(
            wrap(command),
            env={**_environment(function, task, folder), **more},
            cwd=task,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    _await(port, process, log)
    return Running(port, process, log)


def _environment(function: Function, task: Path, folder: Path) -> dict[str, str]:
    """Build the environment that Lambda sets, with the layers' folders instead of /opt."""
    lenses = [str(layer / "lenses") for layer in function.layers if (layer / "lenses").is_dir()]
    return {
        **function.environment,
        "PATH": "/usr/bin:/bin",
        "HOME": str(folder),
        "LANG": "en_US.UTF-8",
        "TZ": ":UTC",
        "LAMBDA_TASK_ROOT": str(task),
        "_HANDLER": "handler.handler",
        "PYTHONDONTWRITEBYTECODE": "1",  # /opt and /var/task are read-only on Lambda
        "AWS_LAMBDA_FUNCTION_NAME": function.name,
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(function.memory),
        "AWS_LAMBDA_FUNCTION_TIMEOUT": str(function.timeout),
        "AWS_LAMBDA_LOG_FORMAT": "JSON",
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_EC2_METADATA_DISABLED": "true",
        **({"CUSTOM_LENSES_PATH": lenses[0]} if lenses else {}),
    }


def _paths(function: Function, task: Path) -> list[str]:
    """Return the import path in Lambda's order: code, layers, runtime packages."""
    layers = [layer / "python" for layer in function.layers if (layer / "python").is_dir()]
    return [str(path) for path in (task, *layers, provide_runtime())]


def find_emulator() -> Path:
    packages = ROOT / ".tools/sam"
    emulators = sorted(packages.glob(f"lib/python*/site-packages/samcli/local/rapid/aws-lambda-rie-{HERE}"))
    if not emulators:
        raise RuntimeError("The emulator comes with SAM; run infra/scripts/build first.")
    return emulators[0]


def provide_runtime() -> Path:
    """Return a folder with the packages of Lambda's Python runtime, compiled as there. Built once."""
    versions = "-".join(f"{name}{version(name)}" for name in ("awslambdaric", "boto3", "botocore"))
    site = ROOT / ".tools" / f"runtime-{versions}"
    if not site.is_dir():
        with tempfile.TemporaryDirectory(dir=ROOT / ".tools") as folder:
            _fill(Path(folder) / "site")
            with suppress(OSError):  # another process created it first
                (Path(folder) / "site").rename(site)
    return site


def _fill(site: Path) -> None:
    site.mkdir()
    natives = Path(_origin("awslambdaric")).parents[1].glob("runtime_client*.so")
    for origin in (*(Path(_origin(name)) for name in RUNTIME), *natives):
        if origin.name == "__init__.py":
            shutil.copytree(origin.parent, site / origin.parent.name)
        else:
            shutil.copy(origin, site)
    subprocess.run(
        [f"{sys.base_prefix}/bin/python3.13", "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", site],
        check=True,
    )


def _origin(name: str) -> str:
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise RuntimeError(f"{name} is not installed.")
    return spec.origin


def _await(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.01)
    raise RuntimeError(f"The emulator did not start:\n{log.read_text(errors='replace')}")
