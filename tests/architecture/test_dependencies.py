"""Each dependency that ships is imported by our code."""

import re
import tomllib
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
IMPORT = re.compile(r"^\s*(?:from|import)\s+(\w+)", re.MULTILINE)


def find_imported_modules():
    sources = [path for folder in ("shared", "functions") for path in (ROOT / folder).rglob("*.py")]
    return {name for path in sources for name in IMPORT.findall(path.read_text())}


def required_here(requirements):
    """The names of the distributions that this version of Python and this system need."""
    parsed = [Requirement(text) for text in requirements]
    return {one.name.lower().replace("_", "-") for one in parsed if one.marker is None or one.marker.evaluate()}


def test_every_runtime_dependency_is_imported():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    required = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    imported = find_imported_modules()
    used = {
        name.lower().replace("_", "-")
        for module, names in packages_distributions().items()
        if module in imported
        for name in names
    }
    optional = {"uvloop", "httptools"}  # uvicorn finds these itself
    unused = required_here(required) - used - optional
    assert unused == set()
