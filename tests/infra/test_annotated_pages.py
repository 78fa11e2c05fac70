"""Annotated training pages: what their selectors choose, and that the annotations are complete."""

import hashlib
import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest
import soupsieve
from infra.training.annotated_pages import ANNOTATIONS, iter_annotated_pages

PACKAGES = {path.stem: json.loads(path.read_text()) for path in ANNOTATIONS.glob("*.json")}
KINDS = {"article", "collection", "documentation", "forum", "listing", "product", "service"}
PAGE = b"""<html><body><nav>Menu</nav><div class=story><h2>Part one</h2><p>The <b>r</b>iver rose.<figure><img>
<figcaption>A boat</figcaption></figure><p class=more>Read more: another flood</p><!-- note --><p>It fell.</div>
<p class=story>And rose again.</p></body></html>"""


def write_package(folder: Path, **page: Any) -> Path:
    """Write an archive with PAGE, and annotations of it, of which the folder is returned."""
    archive = folder / "pages-1.0.tgz"
    with tarfile.open(archive, "w:gz") as file:
        member = tarfile.TarInfo("package/test/flood.html")
        member.size = len(PAGE)
        file.addfile(member, io.BytesIO(PAGE))
    annotations = folder / "annotations"
    annotations.mkdir()
    entry = {"path": "test/flood.html", "url": "https://news.example/flood", "kind": "article"} | page
    package = {"registry": "npm", "package": "pages", "file": archive.name, "pages": {"flood": entry}}
    package["sha256"] = hashlib.sha256(archive.read_bytes()).hexdigest()
    (annotations / "pages.json").write_text(json.dumps(package))
    return annotations


def test_an_annotated_page_has_the_text_of_its_selectors_without_what_they_exclude(tmp_path: Path) -> None:
    annotations = write_package(tmp_path, content=[".story", "p.story"], exclude=[".more"])
    [(name, kind, url, html, content)] = iter_annotated_pages(tmp_path, annotations)
    assert (name, kind, url) == ("pages/flood", "article", "https://news.example/flood")
    assert html == PAGE.decode()
    assert content == "Part one The river rose. It fell.\nAnd rose again."


def test_an_archive_with_another_digest_is_refused(tmp_path: Path) -> None:
    annotations = write_package(tmp_path, content=[".story"])
    (tmp_path / "pages-1.0.tgz").write_bytes(b"something else")
    with pytest.raises(ValueError, match="delete the file and try again"):
        list(iter_annotated_pages(tmp_path, annotations))


@pytest.mark.parametrize("name", sorted(PACKAGES))
def test_the_annotations_of_a_package_are_complete(name: str) -> None:
    package = PACKAGES[name]
    assert package["registry"] in ("npm", "pypi")
    assert package["licence"]
    assert len(package["sha256"]) == 64
    paths = [page["path"] for page in package["pages"].values()]
    assert len(set(paths)) == len(paths)
    for page in package["pages"].values():
        assert page["kind"] in KINDS
        assert page["url"].startswith(("http://", "https://"))
        assert page["content"]
        for selector in (*page["content"], *page.get("exclude", ())):
            soupsieve.compile(selector)
