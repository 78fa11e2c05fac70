"""Build what is published: `python -m infra.publishing [FOLDER]` writes wheel, sdist and bundle to dist/ or FOLDER."""

import subprocess
import sys
import zipfile
from pathlib import Path

from infra.publishing.manifests import NAME, ROOT, VERSION, build_bundle_manifest, format_json

EPOCH = (1980, 1, 1, 0, 0, 0)  # the same wheel makes the same bundle


def build_packages(folder: Path) -> Path:
    """Build the sdist and from it the wheel, as an installer that finds no wheel would; return the wheel."""
    subprocess.run(["uv", "build", "--quiet", "--out-dir", str(folder), str(ROOT)], check=True)
    [wheel] = folder.glob(f"{NAME}-{VERSION}-*.whl")
    return wheel


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
    wheel = build_packages(folder)
    for path in (*folder.glob(f"{NAME}-{VERSION}.tar.gz"), wheel, build_bundle(wheel)):
        print(path)


if __name__ == "__main__":
    main()
