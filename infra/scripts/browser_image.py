"""Build the browser image's root file system without Docker, and run the function in it under the Lambda emulator.

The root contains the packages that the Dockerfile installs, from this machine's Debian, and this machine's Python
instead of Debian's. It tests that the function runs in such a root, not that the image builds.
"""

import compileall
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from py_compile import PycInvalidationMode

from infra.scripts import emulator
from infra.scripts.stack import ROOT, Function

TOOLS = ROOT / ".tools"
HOME = TOOLS / "chromium"
CODE = ROOT / "functions/browser"
NAME, MEMORY, TIMEOUT = "Browser", 2048, 60
TMP_BYTES = 512 * 1024 * 1024
COMPILED = (
    "assay",
    "assay/chromium",
    "assay/net",
    "assay/entrypoints",
    "assay/aws",
    "ada_url",
    "cffi",
)  # modules of a render


def build_layer(folder: Path) -> Path:
    """Build a folder with the required packages and the assay package, compiled as in the image."""
    site = folder / "python"
    command = ["uv", "pip", "install", "--quiet", "--python", sys.executable, "--require-hashes", "--target", str(site)]
    command += ["-r", str(CODE / "requirements.txt")]
    subprocess.run(command, check=True, env={**os.environ, "UV_SYSTEM_CERTS": "true"})
    shutil.copytree(ROOT / "shared/assay", site / "assay", ignore=shutil.ignore_patterns("__pycache__"))
    for name in COMPILED:
        compileall.compile_dir(site / name, maxlevels=0, quiet=1, invalidation_mode=PycInvalidationMode.UNCHECKED_HASH)
    return folder


def sandbox_command(command: list[str], visible: list[Path]) -> list[str]:
    """Wrap the command to run in the image's root: only /tmp writable, no /dev/shm, unprivileged user."""
    root = HOME / "root"
    tops = [path for path in sorted(root.iterdir()) if path.name not in {"dev", "proc", "tmp", "done"}]
    bound = [word for path in tops for word in ("--ro-bind", str(path), f"/{path.name}")]
    devices = [
        word
        for name in ("null", "zero", "random", "urandom")
        for word in ("--dev-bind", f"/dev/{name}", f"/dev/{name}")
    ]
    others = [word for path in visible for word in ("--ro-bind", str(path), str(path))]
    return [
        *(str(HOME / "bin/bwrap"), "--tmpfs", "/", *bound, "--proc", "/proc", "--dir", "/dev", *devices),
        *("--perms", "1777", "--size", str(TMP_BYTES), "--tmpfs", "/tmp", *others, "--remount-ro", "/"),  # noqa: S108
        *("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--uid", "1000", "--gid", "1000"),
        *("--cap-drop", "ALL", "--die-with-parent", "--chdir", "/tmp", *command),  # noqa: S108
    ]


@contextmanager
def running(layer: Path, environment: Mapping[str, str] | None = None, code: Path = CODE) -> Iterator[emulator.Running]:
    """Run the function in its root under the emulator until the block ends."""
    function = Function(NAME, code, (layer,), TIMEOUT, MEMORY, {})
    visible = [Path(sys.base_prefix), TOOLS, layer, code]
    own = {"CHROME_PATH": "/usr/lib/chromium/chromium-headless-shell", "HOME": "/tmp"}  # noqa: S108
    with emulator.running(
        function, {**own, **(environment or {})}, wrap=lambda command: sandbox_command(command, visible), code=code
    ) as started:
        yield started
