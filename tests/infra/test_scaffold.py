"""A tool and a provider are added in a copy of the project: two files each by hand, the rest is generated."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COPIED = (
    ".claude-plugin",
    "shared",
    "functions",
    "tests",
    "infra",
    "docs",
    "lenses",
    "pyproject.toml",
    "template.yaml",
    "README.md",
)
EVERY_TOOL = ("tests/tools/test_inventory.py", "tests/entrypoints/test_answers.py")
GENERATED = ("docs/", "tests/tools/snapshots/", "shared/assay/providers/manifest.json")


class Checkout:
    """A copy of the project in which programs run."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(
                    source, root / name, ignore=shutil.ignore_patterns("frozen.json", "tools.json")
                )  # bytecode stays valid
            else:
                shutil.copy(source, root / name)

    def read_files(self) -> dict[str, bytes]:
        paths = (path for path in self.root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
        return {
            str(path.relative_to(self.root)): path.read_bytes() for path in paths if ".hypothesis" not in path.parts
        }

    def run(self, *arguments: str, **environ: str) -> None:
        paths = f"{self.root / 'shared'}{os.pathsep}{self.root}"
        environ = {"PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "", **environ}  # the next program starts faster
        environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(ROOT / ".hypothesis")  # its tables take seconds to compute
        done = subprocess.run(
            [sys.executable, *arguments], cwd=self.root, env=os.environ | environ, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout[-3_000:] + done.stderr[-3_000:]

    def run_tests(self, *arguments: str, **environ: str) -> None:
        self.run("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *arguments, **environ)


@pytest.fixture
def checkout(tmp_path):
    return Checkout(tmp_path)


@dataclass
class Extended:
    """A checkout to which a provider and a tool were added, with its files before and after."""

    checkout: Checkout
    before: dict[str, bytes]
    after: dict[str, bytes]

    def list_handwritten(self, name: str) -> list[str]:
        """The files named so that changed, or the template, but for those that `make generate` writes."""
        changed = sorted(path for path, body in self.after.items() if self.before.get(path) != body)
        written = [path for path in changed if not path.startswith(GENERATED)]
        assert all("sample_tool" in path or "sample_upstream" in path or path == "template.yaml" for path in written)
        return [path for path in written if name in path or (name, path) == ("sample_tool", "template.yaml")]


@pytest.fixture(scope="module")
def extended(tmp_path_factory):
    """Both were added to one copy, from which everything is generated once."""
    checkout = Checkout(tmp_path_factory.mktemp("extended"))
    before = checkout.read_files()
    checkout.run("infra/scripts/scaffold.py", "provider", "sample_upstream", "--root", ".")
    checkout.run("infra/scripts/scaffold.py", "tool", "sample_tool", "--root", ".")
    checkout.run_tests(*EVERY_TOOL, "-k", "(reviewed or documented) and sample_tool", SNAPSHOTS="write")
    checkout.run("-m", "infra.scripts.generate")
    checkout.run("-m", "infra.scripts.generate", "--check")
    return Extended(checkout, before, checkout.read_files())


def test_a_new_provider_takes_a_module_and_a_test(extended):
    tests = ("tests/providers/test_contract.py", "tests/providers/test_sample_upstream.py", "tests/provider_base")
    extended.checkout.run_tests(*tests, "-k", "sample_upstream or has_one_sample or manifest")
    handwritten = extended.list_handwritten("sample_upstream")
    extended.checkout.run("-m", "ruff", "check", *handwritten)
    assert handwritten == [
        "shared/assay/providers/sample_upstream.py",
        "tests/providers/test_sample_upstream.py",
    ]


def test_a_new_tool_takes_a_module_a_test_and_a_line_of_the_template(extended):
    tests = (*EVERY_TOOL, "tests/tools/test_sample_tool.py", "tests/tools/test_model_apis.py")
    extended.checkout.run_tests(*tests, "-k", "sample_tool or every_tool or test_inventory or test_model_apis")
    handwritten = extended.list_handwritten("sample_tool")
    extended.checkout.run("-m", "ruff", "check", *(path for path in handwritten if path.endswith(".py")))
    assert handwritten == [
        "shared/assay/tools/sample_tool.py",
        "template.yaml",
        "tests/tools/test_sample_tool.py",
    ]
    written, was = extended.after["template.yaml"].splitlines(), extended.before["template.yaml"].splitlines()
    assert [line for line in written if line not in was] == [b"      - sample_tool"]


@pytest.mark.parametrize("name", ["Otter", "otter-search", "_otter", "ötter", ""])
def test_a_name_that_is_not_a_module_is_refused(name, tmp_path):
    done = subprocess.run(
        [sys.executable, ROOT / "infra/scripts/scaffold.py", "tool", name, "--root", tmp_path],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "lower-case words" in done.stderr


def test_an_existing_module_is_not_overwritten(checkout):
    before = checkout.read_files()
    with pytest.raises(AssertionError, match="exists already"):
        checkout.run("infra/scripts/scaffold.py", "tool", "web_search", "--root", ".")
    assert checkout.read_files() == before
