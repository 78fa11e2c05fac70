"""Start ministack with each layer unpacked once for all functions that have it: `python -P lambda_engine.py`.

By itself it unpacks some 200 MB for each function that is invoked. To functions, layers are read-only, as on Lambda.
"""

import runpy
import tempfile
import zipfile
from pathlib import Path
from threading import Lock
from typing import Any

type Contents = tuple[tuple[str, int, int], ...]

unpack = zipfile.ZipFile.extractall
unpacking = Lock()
unpacked: dict[Contents, Path] = {}


def link_layer(archive: zipfile.ZipFile, path: Any = None, *more: Any) -> None:
    """Replace the empty folder `path` of a function's layer by a link to the unpacked layer; unpack other archives."""
    folder = Path(path or ".")
    if not folder.name.startswith("layer_"):
        unpack(archive, path, *more)
        return
    contents = tuple((each.filename, each.CRC, each.external_attr) for each in archive.infolist())
    with unpacking:
        if contents not in unpacked:
            shared = Path(tempfile.mkdtemp(prefix="layer-"))
            unpack(archive, shared, *more)
            unpacked[contents] = shared
    folder.rmdir()
    folder.symlink_to(unpacked[contents], target_is_directory=True)


if __name__ == "__main__":
    zipfile.ZipFile.extractall = link_layer  # type: ignore[method-assign]
    runpy.run_path(str(Path(__file__).with_name("ministack_server.py")), run_name="__main__")
