"""The whole stack goes up: what validates and builds may still be what CloudFormation refuses."""

import os
import subprocess

import yaml
from infra.scripts import stack


def test_the_stack_is_created_as_built_and_its_functions_work_together(built_functions, tmp_path):
    done = subprocess.run(
        [stack.ROOT / "infra/scripts/deploy-local"],
        env=os.environ | {"TMPDIR": str(tmp_path)},  # for what SAM leaves, and for the packages, in memory if possible
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "CREATE_COMPLETE" in done.stdout
    for check in ("another function reads it", "the queue's messages run a crawl to its end", "becomes a dead letter"):
        assert check in done.stdout
    assert "FAILS" not in done.stdout


def test_each_function_and_layer_is_deployed_from_a_folder_of_its_own(built_functions):
    folder = next(iter(built_functions.values())).code.parent
    resources = yaml.safe_load((folder / "template.yaml").read_text())["Resources"]
    assert not [name for name in resources if name.startswith("Fn::")]
    places = [
        each["Properties"].get("CodeUri") or each["Properties"]["ContentUri"]
        for each in resources.values()
        if each["Type"] in {stack.FUNCTION, stack.LAYER}
    ]
    assert len(places) == len(set(places))
    assert all((folder / place).is_dir() for place in places)
