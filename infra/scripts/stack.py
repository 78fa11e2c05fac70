"""Read the stack built by `infra/scripts/build`: the code, layers and environment of each function."""

import json
import platform
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
FUNCTION, LAYER = "AWS::Serverless::Function", "AWS::Serverless::LayerVersion"
HERE = "arm64" if platform.machine() in {"aarch64", "arm64"} else "x86_64"

type Template = dict[str, Any]


class Loader(yaml.CSafeLoader):  # type: ignore[misc]  # the stubs do not know libyaml's parser
    """YAML loader that converts CloudFormation's tags to their long form."""


def _long(loader: yaml.CSafeLoader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    value: Any
    if isinstance(node, yaml.ScalarNode):
        value = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    else:
        value = loader.construct_mapping(node, deep=True)
    if suffix == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {suffix if suffix in {"Ref", "Condition"} else f"Fn::{suffix}": value}


Loader.add_multi_constructor("!", _long)


@dataclass(frozen=True)
class Function:
    """A built Lambda function. `layers` lists folders in the order in which they are merged into /opt."""

    name: str
    code: Path
    layers: tuple[Path, ...]
    timeout: int
    memory: int
    environment: Mapping[str, str]

    def size(self) -> int:
        """Size in bytes, unzipped and with layers; Lambda's limit is 250 MB."""
        return sum(measure_folder(part) for part in (self.code, *self.layers))


@cache
def measure_folder(folder: Path) -> int:
    """Size in bytes of what is in the folder. Measured once, since all functions share the layers."""
    return sum(path.stat().st_size for path in folder.rglob("*"))


def build(architecture: str = HERE) -> Path:
    """Build for `architecture` if any input has changed; return the build folder. Raises RuntimeError."""
    done = subprocess.run([ROOT / "infra/scripts/build", architecture], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"infra/scripts/build failed:\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    return ROOT / (".aws-sam/build" if architecture == "arm64" else f".aws-sam/{architecture}/build")


def template(path: Path = ROOT / "template.yaml") -> Template:
    """Read the template with its loops expanded; `sam build` leaves them in its output."""
    parsed: Template = yaml.load(path.read_text(), Loader)  # noqa: S506  Loader extends CSafeLoader
    parsed["Resources"] = dict(_unroll_loops(parsed["Resources"]))
    return parsed


def _unroll_loops(resources: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, resource in resources.items():
        if not name.startswith("Fn::ForEach::"):
            yield name, resource
            continue
        variable, words, body = resource
        for word in words:
            for key, value in body.items():
                yield key.replace(f"&{{{variable}}}", re.sub(r"\W|_", "", word)), _substitute(value, variable, word)


def _substitute(node: Any, variable: str, word: str) -> Any:
    if isinstance(node, dict):
        if node == {"Ref": variable}:
            return word
        replaced = {key: _substitute(value, variable, word) for key, value in node.items()}
        text = replaced.get("Fn::Sub")
        return text if isinstance(text, str) and "${" not in text else replaced  # Fn::Split takes no function there
    if isinstance(node, list):
        return [_substitute(value, variable, word) for value in node]
    return node.replace(f"${{{variable}}}", word) if isinstance(node, str) else node


def unroll(folder: Path) -> None:
    """Write the template of a build without loops, each function with its own code.

    SAM 1.170 builds a loop whose keys are `&{…}`, but when it packages one it leaves a local path where S3's belongs.
    The text is JSON, which is YAML: `sam deploy` parses it seven times, and YAML of this size takes it a second each.
    """
    document = template(folder / "template.yaml")
    for name, resource in document["Resources"].items():
        if resource["Type"] == FUNCTION:
            resource["Properties"]["CodeUri"] = name
    (folder / "template.yaml").write_text(json.dumps(document, indent=1))


def functions(folder: Path) -> dict[str, Function]:
    """Return the functions of a build by logical id. Their environment omits values that CloudFormation computes."""
    document = template(folder / "template.yaml")
    resources = document["Resources"]
    layers = {name: folder / name for name, each in resources.items() if each["Type"] == LAYER}
    common = document["Globals"]["Function"]
    return {
        name: _function(name, each["Properties"], common, document["Parameters"], layers, folder)
        for name, each in resources.items()
        if each["Type"] == FUNCTION
    }


def _function(
    name: str,
    own: Mapping[str, Any],
    common: Mapping[str, Any],
    parameters: Mapping[str, Any],
    layers: Mapping[str, Path],
    folder: Path,
) -> Function:
    variables = common["Environment"]["Variables"] | own.get("Environment", {}).get("Variables", {})
    return Function(
        name,
        folder / own["CodeUri"],
        tuple(layers[ref] for each in own["Layers"] for ref in _references(each)),
        own["Timeout"],
        parameters[own.get("MemorySize", common["MemorySize"])["Ref"]]["Default"],
        {key: value for key, value in variables.items() if isinstance(value, str)},
    )


def _references(layer: Mapping[str, Any]) -> list[str]:
    """Return the layer's logical id; a conditional layer counts as present: the largest case must fit the limit."""
    if "Fn::If" in layer:
        return [each["Ref"] for each in layer["Fn::If"][1:] if each["Ref"] != "AWS::NoValue"]
    return [layer["Ref"]]


if __name__ == "__main__":
    unroll(Path(sys.argv[1]))
