"""Find the engine of containers that `sam local` needs: Docker or Podman as it runs here, or a Podman started here.

`open_engine` yields a client of its API, which is Docker's for both; DOCKER_HOST names it to programs.
"""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from infra.scripts.stack import ROOT

USUAL = "unix:///var/run/docker.sock"
API = "http://docker"  # the newest version that the engine speaks
START_SECONDS = 30.0
# A Podman that runs as root inside a container or a small virtual machine has no systemd, and its kernel may have both
# versions of cgroups: runc works with them. Its Docker API swaps soft and hard limits, so that they are the same here.
STORAGE = '[storage]\ndriver = "overlay"\ngraphroot = "{home}/graph"\nrunroot = "{run}/run"\n'
CONTAINERS = """[containers]
default_ulimits = ["nofile=4096:4096", "nproc=8192:8192"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "{runtime}"
"""


@contextmanager
def open_engine() -> Iterator[httpx.Client]:
    """Yield a client of the engine. Raises RuntimeError if there is none and no Podman to start."""
    host = os.environ.get("DOCKER_HOST", USUAL)
    path = host.removeprefix("unix://")
    if path != host and Path(path).exists():
        with connect(path) as client:
            yield client
        return
    if "DOCKER_HOST" in os.environ or not shutil.which("podman"):
        raise RuntimeError(
            f"No Docker or Podman answers at {host}. Start one, set DOCKER_HOST to its socket, or install Podman: "
            "apt-get install --no-install-recommends podman runc conmon netavark aardvark-dns iptables"
        )
    with start_podman() as path, connect(path) as client:
        os.environ["DOCKER_HOST"] = f"unix://{path}"
        yield client
        del os.environ["DOCKER_HOST"]


def connect(path: str) -> httpx.Client:
    return httpx.Client(transport=httpx.HTTPTransport(uds=path), base_url=API, timeout=600)


@contextmanager
def start_podman() -> Iterator[str]:
    """Serve Podman's API on a socket until the end of the block; images stay in .tools/podman."""
    home = ROOT.resolve() / ".tools/podman"
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as run:
        (storage := Path(run) / "storage.conf").write_text(STORAGE.format(home=home.resolve(), run=run))
        runtime = "runc" if shutil.which("runc") else "crun"
        (containers := Path(run) / "containers.conf").write_text(CONTAINERS.format(runtime=runtime))
        path = f"{run}/podman.sock"
        environ = os.environ | {"CONTAINERS_STORAGE_CONF": str(storage), "CONTAINERS_CONF": str(containers)}
        command = ["podman", "system", "service", "-t", "0", f"unix://{path}"]
        with (Path(run) / "log").open("wb") as log:
            service = subprocess.Popen(command, env=environ, stdout=log, stderr=log)
        try:
            await_socket(service, Path(path), Path(run) / "log")
            yield path
        finally:
            service.terminate()
            service.wait()
            subprocess.run(["podman", "rm", "-fa", "-t", "0"], env=environ, check=False, capture_output=True)


def await_socket(service: subprocess.Popen[bytes], path: Path, log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while not path.exists():
        if service.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"Podman did not start:\n{log.read_text(errors='replace')[-2000:]}")
        time.sleep(0.05)
