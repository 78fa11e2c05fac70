"""The step of Hatchling that adds compiled extension modules to a wheel where ASSAY_COMPILE names a machine.

`ASSAY_COMPILE=x86_64 uv build --wheel` makes a wheel for Linux on x86-64, `arm64` one for Linux on arm64. Without the
variable the wheel holds Python alone, serves every machine and gives the same answers.
"""

import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TAGS = {"x86_64": "cp313-abi3-manylinux_2_17_x86_64", "arm64": "cp313-abi3-manylinux_2_17_aarch64"}


class ExtensionHook(BuildHookInterface[Any]):
    def dependencies(self) -> list[str]:
        """Return the compiler, of the version in pyproject.toml, if there is something to compile."""
        if self.target_name != "wheel" or not read_machine():
            return []
        project = tomllib.loads(Path(self.root, "pyproject.toml").read_text())
        compiler: list[str] = project["dependency-groups"]["compiler"]
        return compiler

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        machine = read_machine()
        if self.target_name != "wheel" or version == "editable" or not machine:
            return
        self.folder = tempfile.TemporaryDirectory()
        script = Path(self.root, "infra/publishing/compile_extensions.py")
        subprocess.run([sys.executable, str(script), machine, self.folder.name], check=True)
        for path in Path(self.folder.name).rglob("*.so"):
            build_data["force_include"][str(path)] = str(path.relative_to(self.folder.name))
        build_data["pure_python"] = False
        build_data["tag"] = TAGS[machine]

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        if hasattr(self, "folder"):
            self.folder.cleanup()


def read_machine() -> str | None:
    machine = os.environ.get("ASSAY_COMPILE")
    if machine and (machine not in TAGS or sys.platform != "linux"):
        raise ValueError(f"ASSAY_COMPILE={machine}: set x86_64 or arm64, on Linux, or unset it")
    return machine
