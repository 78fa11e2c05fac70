"""Build what is published: `python -m infra.publishing [FOLDER]` writes wheels, sdist and bundle to dist/ or FOLDER.

One wheel is of Python alone. Two more, for Linux on x86-64 and on arm64, have the extension modules compiled in.
"""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

from infra.publishing.compile_extensions import MACHINES
from infra.publishing.manifests import NAME, ROOT, VERSION, build_bundle_manifest, format_json

EPOCH = (1980, 1, 1, 0, 0, 0)  # the same wheel makes the same bundle


def build_packages(folder: Path) -> Path:
    """Build the sdist and from it the wheels, as an installer without one would; return that of Python alone."""
    command = ["uv", "build", "--quiet", "--out-dir", str(folder)]
    subprocess.run([*command, str(ROOT)], check=True)
    for machine in MACHINES:
        sdist = folder / f"{NAME}-{VERSION}.tar.gz"
        subprocess.run([*command, "--wheel", str(sdist)], env=os.environ | {"ASSAY_COMPILE": machine}, check=True)
    return folder / f"{NAME}-{VERSION}-py3-none-any.whl"


def build_bundle(wheel: Path) -> Path:
    """Write the bundle (.mcpb) with the wheel beside it and return its path."""
    bundle = wheel.with_name(f"{NAME}-{VERSION}.mcpb")
    files = {
        "manifest.json": format_json(build_bundle_manifest(wheel.name)).encode(),
        f"server/{wheel.name}": wheel.read_bytes(),
        "LICENSE": (ROOT / "LICENSE").read_bytes(),
    }
    with zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in files.items():
            archive.writestr(zipfile.ZipInfo(name, EPOCH), body, zipfile.ZIP_DEFLATED)
    return bundle


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "dist")
    build_bundle(build_packages(folder))
    for path in sorted(folder.glob(f"{NAME}-{VERSION}*")):
        print(path)


if __name__ == "__main__":
    main()
