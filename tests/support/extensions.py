"""The compiled extension modules of the checkout, built when a source is newer. `make test` builds them first."""

import subprocess

from infra.scripts.stack import ROOT


def compile_extensions():
    done = subprocess.run(["make", "-s", "compiled"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
