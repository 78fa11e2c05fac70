"""Training pages that public packages carry as test data, with this project's annotations of their main content.

`annotations/*.json` names one package each: registry, version, file, SHA-256 and licence, and for each page its path in
the package, its URL, its type and the CSS selectors of its main content (`content`) and of what is not main content in
it (`exclude`). The pages themselves are downloaded from the registry when a model is built, never stored in the
repository.
"""

import hashlib
import json
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import httpx
from bs4 import BeautifulSoup, NavigableString, Tag
from infra.benchmarks.reading import Page

from assay.text.decode import decode

ANNOTATIONS = Path(__file__).parent / "annotations"
NPM, PYPI = "https://registry.npmjs.org", "https://pypi.org/simple"
# Elements without text of the main content: captions because the annotators of the other pages left them out.
NEVER_CONTENT = "script, style, noscript, template, iframe, svg, button, input, select, textarea, object, figcaption"
INLINE = frozenset(("a", "abbr", "b", "cite", "code", "em", "font", "i", "small", "span", "strong", "sub", "sup", "u"))
HREF = re.compile(r'href="([^"#]+)')
SPACES = re.compile(r"\s+")


def iter_annotated_pages(folder: Path, annotations: Path = ANNOTATIONS) -> Iterator[Page]:
    """Yield the annotated pages; archives are kept in `folder`.

    A name is the annotation file's, a slash and the page's.
    """
    for path in sorted(annotations.glob("*.json")):
        package = json.loads(path.read_text())
        with tarfile.open(fetch_archive(package, folder)) as archive:
            contents = read_members(archive, {page["path"] for page in package["pages"].values()})
        for name, page in package["pages"].items():
            html = decode(contents[page["path"]], "utf-8")
            yield f"{path.stem}/{name}", page["kind"], page["url"], html, select_content(html, page)


def is_annotated(name: str) -> bool:
    """Return whether the page of this name is one of these."""
    return "/" in name


def fetch_archive(package: dict[str, Any], folder: Path) -> Path:
    """Return the path of the package's archive in `folder`, downloaded if it is not there.

    Raises ValueError where its digest is not the expected one.
    """
    path = folder / package["file"]
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        response = httpx.get(find_address(package), follow_redirects=True, timeout=120)
        path.write_bytes(response.raise_for_status().content)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != package["sha256"]:
        raise ValueError(f"{path}: SHA-256 is {digest}, expected {package['sha256']}; delete the file and try again")
    return path


def find_address(package: dict[str, Any]) -> str:
    """Return the URL of the package's archive at its registry."""
    if package["registry"] == "npm":
        return f"{NPM}/{package['package']}/-/{package['file']}"
    index = httpx.get(f"{PYPI}/{package['package']}/", follow_redirects=True, timeout=60).raise_for_status()
    for link in HREF.findall(index.text):
        if link.endswith("/" + package["file"]):
            return urljoin(str(index.url), link)
    raise ValueError(f"{index.url} does not list {package['file']}")


def read_members(archive: tarfile.TarFile, wanted: set[str]) -> dict[str, bytes]:
    """Return the content of the archive's files by their paths without the first folder."""
    found: dict[str, bytes] = {}
    for member in archive:
        path = member.name.partition("/")[2]
        if path in wanted and (file := archive.extractfile(member)) is not None:
            found[path] = file.read()
    return found


def select_content(html: str, page: dict[str, Any]) -> str:
    """Return the text of the page's main content, one line for each selected element."""
    soup = BeautifulSoup(html, "lxml")
    chosen = list({id(element): element for selector in page["content"] for element in soup.select(selector)}.values())
    places = {id(element) for element in chosen}
    outermost = [each for each in chosen if not any(id(parent) in places for parent in each.parents)]
    for element in outermost:
        for selector in (*page.get("exclude", ()), NEVER_CONTENT):
            for inner in element.select(selector):
                inner.extract()
    return "\n".join(map(read_text, outermost))


def read_text(element: Tag) -> str:
    """Return the element's text without comments, with single spaces, also where a block ends."""
    for inner in element.find_all(lambda each: each.name not in INLINE):
        inner.insert_before(" ")
        inner.insert_after(" ")
    parts = [str(part) for part in element.descendants if type(part) is NavigableString]
    return SPACES.sub(" ", "".join(parts)).strip()
