"""Compile the extension modules: `python compile_extensions.py x86_64|arm64 FOLDER`, with ziglang and Python's headers.

Those of the checkout (FOLDER is `shared`) are for the system that runs, those in other folders for Linux, where layers
and wheels are used.
Zig compiles for every machine on every machine. The modules use the stable ABI of Python 3.13 and old symbols of glibc
only, so that one file for each machine serves all later versions.
"""

import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "shared"
MACHINES = {"x86_64": "x86_64", "arm64": "aarch64"}
PLATFORMS = {"linux": ("linux-gnu.2.17", "-s"), "darwin": ("macos", "-Wl,-undefined,dynamic_lookup")}
OPTIONS = ("-O2", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror")


def compile_extensions(machine: str, folder: Path) -> list[Path]:
    """Compile each `_*.c` of the package into `folder`, beside the place of its source, and return the files."""
    platform, option = PLATFORMS[sys.platform if folder.resolve() == SOURCES else "linux"]
    command = [sys.executable, "-m", "ziglang", "cc", "-target", f"{MACHINES[machine]}-{platform}", *OPTIONS, option]
    headers = Path(sysconfig.get_paths()["include"])
    command += ["-I", str(headers), "-idirafter", str(headers.parent)]  # Debian has pyconfig.h elsewhere in the latter
    built = []
    with tempfile.TemporaryDirectory() as cache:
        environment = {"ZIG_GLOBAL_CACHE_DIR": cache, "ZIG_LOCAL_CACHE_DIR": cache} | os.environ
        for source in sorted(SOURCES.glob("assay/**/_*.c")):
            path = (folder / source.relative_to(SOURCES)).with_suffix(".abi3.so")
            path.parent.mkdir(parents=True, exist_ok=True)
            made = Path(cache) / path.name
            subprocess.run([*command, str(source), "-o", str(made)], env=environment, check=True)
            partial = path.with_suffix(".partial")  # a process that has loaded the file keeps the old one
            partial.write_bytes(made.read_bytes())
            partial.replace(path)
            built.append(path)
    return built


if __name__ == "__main__":
    compile_extensions(sys.argv[1], Path(sys.argv[2]))
