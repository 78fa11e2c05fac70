"""Put the assets of the console that others wrote into the package.

    uv run python infra/scripts/console_assets.py

Needs npm, which downloads them. The versions and digests are pinned here; `sources.json` beside the assets says what
is there.
"""

import base64
import hashlib
import json
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parents[2] / "shared/assay/entrypoints/console/assets"


class AssetSource(NamedTuple):
    """A package of npm, the SHA-512 of its archive, and which of its files become which assets."""

    package: str
    version: str
    license: str
    sha512: str
    files: dict[str, str]  # by the name that they have here


SOURCES = (
    AssetSource(
        "@picocss/pico",
        "2.1.1",
        "MIT",
        "kIDugA7Ps4U+2BHxiNHmvgPIQDWPDU4IeU6TNRdvXQM1uZX+FibqDQT2xUOnnO2yq/LUHcwnGlu1hvf4KfXnMg==",
        {"pico.css": "css/pico.min.css", "pico.LICENSE.txt": "LICENSE.md"},
    ),
    AssetSource(
        "uplot",
        "1.6.32",
        "MIT",
        "KIMVnG68zvu5XXUbC4LQEPnhwOxBuLyW1AHtpm6IKTXImkbLgkMy+jabjLgSLMasNuGGzQm/ep3tOkyTxpiQIw==",
        {"uplot.js": "dist/uPlot.iife.min.js", "uplot.css": "dist/uPlot.min.css", "uplot.LICENSE.txt": "LICENSE"},
    ),
)


def main() -> None:
    described = []
    for source in SOURCES:
        contents = read_files(source)
        for name, body in contents.items():
            (FOLDER / name).write_bytes(body)
        digests = {name: hashlib.sha256(body).hexdigest() for name, body in contents.items()}
        described.append(
            {"package": source.package, "version": source.version, "license": source.license, "sha256": digests}
        )
    (FOLDER / "sources.json").write_text(json.dumps(described, indent=2) + "\n")
    print(f"{len(described)} packages in {FOLDER}")


def read_files(source: AssetSource) -> dict[str, bytes]:
    """The files of the package, from an archive with the expected digest."""
    with tempfile.TemporaryDirectory() as folder:
        specification = f"{source.package}@{source.version}"
        subprocess.run(["npm", "pack", "--silent", specification], cwd=folder, check=True, capture_output=True)
        [archive] = Path(folder).glob("*.tgz")
        digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
        if digest != source.sha512:
            raise SystemExit(f"{specification} has another digest: {digest}")
        with tarfile.open(archive) as members:
            return {name: read_member(members, f"package/{path}") for name, path in source.files.items()}


def read_member(members: tarfile.TarFile, path: str) -> bytes:
    file = members.extractfile(path)
    if file is None:
        raise SystemExit(f"The archive has no {path}.")
    return file.read()


if __name__ == "__main__":
    main()
