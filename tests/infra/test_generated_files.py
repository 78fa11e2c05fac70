"""Generated files in the repository are what would be generated."""

from infra.scripts.generate.__main__ import PAGES, ROOT, find_stale


def test_generated_files_are_current():
    assert find_stale() == {}


def test_a_changed_file_is_stale(tmp_path):
    for path in PAGES:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text((ROOT / path).read_text())
    assert find_stale(tmp_path) == {}
    (tmp_path / "docs/tools.md").write_text("# Tools\n")
    assert list(find_stale(tmp_path)) == ["docs/tools.md"]
