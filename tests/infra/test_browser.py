"""The browser's function knows nothing, may do next to nothing, and its image holds no more than a render needs."""

import json
import re

import pytest
import yaml
from infra.scripts import stack
from tests.support import role_policies

CODE = stack.ROOT / "functions/browser"


@pytest.fixture(scope="module")
def resources():
    return stack.template()["Resources"]


def test_the_browser_is_there_only_where_an_image_is_named(resources):
    for name in ("Browser", "BrowserRole"):
        assert resources[name]["Condition"] == "HasBrowser"
    none = stack.template()["Parameters"]["BrowserImage"]["Default"]
    assert stack.template()["Conditions"]["HasBrowser"] == {
        "Fn::Not": [{"Fn::Equals": [{"Ref": "BrowserImage"}, none]}]
    }
    variable = stack.template()["Globals"]["Function"]["Environment"]["Variables"]["ASSAY_BROWSER"]
    assert variable == {"Fn::If": ["HasBrowser", {"Ref": "Browser"}, ""]}


def test_its_environment_names_nothing_but_its_bucket(resources):
    browser = resources["Browser"]
    assert browser["Type"] == "AWS::Lambda::Function"  # which gets no variable of Globals
    assert set(browser["Properties"]["Environment"]["Variables"]) == {"ASSAY_BUCKET", "LOG_LEVEL"}
    assert browser["Properties"]["Role"] == {"Fn::GetAtt": ["BrowserRole", "Arn"]}
    assert "FunctionUrlConfig" not in browser["Properties"]


def test_its_role_may_write_a_log_and_a_page_and_nothing_else(resources):
    role = resources["BrowserRole"]["Properties"]
    assert "ManagedPolicyArns" not in role
    [policy] = role["Policies"]
    page, own_key, log = policy["PolicyDocument"]["Statement"]
    assert (page["Action"], log["Action"]) == ("s3:PutObject", ["logs:CreateLogStream", "logs:PutLogEvents"])
    condition, statement, otherwise = own_key["Fn::If"]  # with a key of the operator's own, writing needs a data key
    assert (condition, statement["Action"], otherwise) == ("HasKey", "kms:GenerateDataKey", {"Ref": "AWS::NoValue"})
    assert "render/*" in json.dumps(role)
    assert '"*"' not in json.dumps(role["Policies"])


def test_the_others_may_ask_it_and_take_what_it_wrote(resources):
    optional = [each["Fn::If"] for each in role_policies.list_statements(resources, "ReadingRole") if "Fn::If" in each]
    assert [statement["Action"] for condition, statement, _ in optional if condition == "HasBrowser"] == [
        "lambda:InvokeFunction",
        ["s3:GetObject", "s3:DeleteObject"],
    ]
    rules = resources["Bucket"]["Properties"]["LifecycleConfiguration"]["Rules"]
    assert "render/" in {rule.get("Prefix") for rule in rules}


def test_it_ends_before_those_who_wait_for_it(resources):
    from assay.scraping.scraper import BROWSER_SECONDS

    assert resources["Browser"]["Properties"]["Timeout"] > BROWSER_SECONDS + 10
    assert resources["Browser"]["Properties"]["Timeout"] < 65


def test_the_image_has_what_the_tests_run_it_with():
    recipe = (CODE / "Dockerfile").read_text()
    script = (stack.ROOT / "infra/scripts/chromium").read_text()
    [request] = re.findall(r"no-install-recommends (chromium-headless-shell [a-z0-9 -]+?)\s*\\", recipe)
    [fetched] = re.findall(r"APT::Sandbox::User=root install ([a-z0-9 -]+)", script)
    assert set(request.split()) == set(fetched.split()) - {"bubblewrap"}  # which is the tests' own
    assert "USER 1000" in recipe
    assert "COPY shared/assay " in recipe
    names = {line.split("==")[0] for line in (CODE / "requirements.txt").read_text().splitlines() if "==" in line}
    assert {"ada-url", "awslambdaric", "boto3"} <= names
    assert not names & {"pydantic", "lxml", "httpx", "mcp", "cryptography", "pypdf"}


def test_the_image_is_rebuilt_each_month_on_a_known_base_and_deployed_by_its_digest():
    lines = (CODE / "Dockerfile").read_text().splitlines()
    bases = [line.split()[1] for line in lines if line.startswith("FROM ")]
    assert bases == ["$BASE", "$BASE"]
    assert "ARG BASE=debian:trixie-slim" in lines[: lines.index("FROM $BASE AS packages")]
    workflow = yaml.safe_load((stack.ROOT / ".github/workflows/browser-image.yml").read_text())
    assert workflow["jobs"]["build"]["runs-on"].endswith("-arm")  # the stack's architecture
    script = " ".join(step.get("run", "") for step in workflow["jobs"]["build"]["steps"])
    assert "BASE=debian:trixie-slim@$digest" in script
    assert "RepoDigests" in script
    [schedule] = workflow[True]["schedule"]  # YAML reads `on` as true
    assert schedule["cron"].split()[2:4] == ["3", "*"]
