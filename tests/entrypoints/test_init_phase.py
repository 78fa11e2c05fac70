"""What a Lambda function prepares at INIT, seen from a fresh process that runs its handler."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RUN = """
import json, sys
import handler
before = set(sys.modules)
answer = handler.handler(json.loads(sys.argv[1]), None)
new = sorted(set(sys.modules) - before)
print(json.dumps({"status": answer["statusCode"], "body": json.loads(answer["body"]), "new": new}))
"""
NAMES = {"name": "key", "sha256": "0" * 64}
CALL = {"headers": {"authorization": "Bearer unknown"}, "body": "{}", "requestContext": {"http": {"method": "POST"}}}


def run_function(folder, tmp_path, environ):
    """INIT and the first call of a function."""
    aws = {"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
    done = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps(CALL)],
        cwd=ROOT / "functions" / folder,
        env={"HOME": str(tmp_path), "AWS_LAMBDA_FUNCTION_NAME": "f", "ASSAY_TABLE": "rows", **aws, **environ},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def test_init_survives_an_outage_that_the_first_call_reports(tmp_path, closed_port):
    outage = {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{closed_port}", "ASSAY_API_KEYS": "ssm:/keys"}
    done = run_function("tools", tmp_path, outage | {"TOOL": "web_search"})
    assert (done["status"], done["body"]["error"]["retryable"]) == (503, True)


def test_init_survives_settings_that_the_first_call_reports(tmp_path):
    done = run_function("tools", tmp_path, {"TOOL": "web_search", "ASSAY_API_KEYS": "no JSON"})
    assert (done["status"], done["body"]["error"]["field"]) == (500, "ASSAY_API_KEYS")


@pytest.mark.parametrize("tool", ["web_search", "scrape_page", "sequential_search"])
def test_the_first_call_imports_nothing_of_the_package(tool, tmp_path):
    done = run_function("tools", tmp_path, {"TOOL": tool, "ASSAY_API_KEYS": json.dumps([NAMES])})
    assert done["status"] == 401
    assert [name for name in done["new"] if name.startswith("assay.")] == []
