"""The frozen answers of ServiceInfo are those of its application, and only where that is certain."""

import hashlib
import json
import subprocess
import sys

import pytest

from assay.bootstrap import build_services
from assay.entrypoints.http import frozen_info, service_info
from assay.entrypoints.mcp import freeze_catalogue
from assay.settings import Settings

KEY = "assay_a-key"
RING = json.dumps([{"name": "ada", "sha256": hashlib.sha256(KEY.encode()).hexdigest(), "scopes": ["core"]}])
AWS = {
    "ASSAY_API_KEYS": RING,
    "ASSAY_TABLE": "rows",
    "ASSAY_BUCKET": "objects",
    "AWS_LAMBDA_FUNCTION_NAME": "ServiceInfo",
    "AWS_REGION": "us-east-1",
    "HOME": "/tmp",
}
DEPLOYMENTS = {
    "without settings": AWS,
    "with providers": AWS | {"BRAVE_API_KEY": "k", "EXA_API_KEY": "k", "EPO_OPS_CONSUMER_KEY": "k"},
    "with flags": AWS | {"MEMORY_ENABLED": "true", "MONITORING_ENABLED": "1", "ASSAY_QUEUE": "https://sqs/1/q"},
}
PATHS = ["/health/live", "/tools", "/openapi.json"]


@pytest.fixture(scope="module")
def frozen(tmp_path_factory):
    folder = tmp_path_factory.mktemp("frozen")
    assert freeze_catalogue.main([str(folder / "frozen.json")]) == 0
    return folder / "frozen_info.json"


def event(path, *, key=KEY, method="GET", query="", **headers):
    sent = {"Authorization": f"Bearer {key}" if key else None, "host": "api.example"}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    return {
        "version": "2.0",
        "rawPath": path,
        "rawQueryString": query,
        "headers": {name: value for name, value in sent.items() if value is not None},
        "requestContext": {
            "http": {"method": method, "path": path, "sourceIp": "192.0.2.1", "protocol": "HTTP/1.1"},
            "requestId": "request-1",
            "stage": "$default",
        },
        "isBase64Encoded": False,
    }


def serve(environ, each):
    services = build_services(Settings.read(environ), "")
    return service_info.handler_for(lambda: services)(each, None)


@pytest.mark.parametrize("environ", DEPLOYMENTS.values(), ids=DEPLOYMENTS)
def test_an_answer_is_that_of_the_application_byte_for_byte(environ, frozen):
    answers = frozen_info.FrozenInfo(environ, frozen)
    for path in PATHS:
        for each in (event(path), event(path, accept_encoding="gzip, br")):
            answer = answers.find(each)
            assert answer is not None, path
            assert answer == serve(environ, each), path
    assert answers.find(event("/health/live", key="")) == serve(environ, event("/health/live", key=""))


UNCERTAIN = {
    "another path": event("/"),
    "another method": event("/tools", method="POST"),
    "a query": event("/tools", query="a=b"),
    "a page's script": event("/tools", origin="https://a.example"),
    "no key": event("/tools", key=""),
    "a wrong key": event("/openapi.json", key="assay_other"),
    "a stored key": event("/tools", key="assay_k1_abc"),
    "an incomplete event": {"rawPath": "/tools"},
}


@pytest.mark.parametrize("each", UNCERTAIN.values(), ids=UNCERTAIN)
def test_what_is_not_certain_is_left_to_the_application(each, frozen):
    assert frozen_info.FrozenInfo(AWS, frozen).find(each) is None


SETTINGS = {
    "a limit for each address": {"RATE_LIMIT_PER_IP": "5"},
    "own lenses": {"CUSTOM_LENSES_PATH": "/tmp/lenses"},
    "hints at what is missing": {"ASSAY_UNCONFIGURED_TOOLS": "explain"},
    "another issuer": {"OAUTH_ISSUER_URL": "https://issuer.example"},
    "a proxy in front": {"ORIGIN_SECRET": "s" * 32},
    "no table": {"ASSAY_TABLE": ""},
    "a ring that is none": {"ASSAY_API_KEYS": "[{}]"},
}


@pytest.mark.parametrize("more", SETTINGS.values(), ids=SETTINGS)
def test_settings_that_may_change_an_answer_leave_it_to_the_application(more, frozen):
    assert frozen_info.FrozenInfo(AWS | more, frozen).find(event("/tools")) is None


def test_a_key_of_administration_that_may_be_wrong_is_left_to_the_application(frozen):
    answers = frozen_info.FrozenInfo(AWS | {"ADMIN_API_KEY": "short"}, frozen)
    assert answers.find(event("/openapi.json")) is None
    assert answers.find(event("/tools")) is not None


def test_without_frozen_texts_the_application_answers(tmp_path):
    assert frozen_info.FrozenInfo(AWS, tmp_path / "frozen_info.json").find(event("/tools")) is None


def test_a_frozen_answer_imports_no_framework_and_no_schemas(frozen):
    code = (
        "import sys, json, os; from assay.entrypoints.http import frozen_info; from pathlib import Path; "
        "handle = frozen_info.handler_for(os.environ, Path(sys.argv[1])); "
        "answer = handle(json.loads(sys.argv[2]), None); "
        "print(answer['statusCode'], sorted({'fastapi', 'pydantic', 'asyncio', 'boto3'} & set(sys.modules)))"
    )
    for path in PATHS:
        command = [sys.executable, "-c", code, str(frozen), json.dumps(event(path))]
        environ = AWS | {"PYTHONPATH": ":".join(sys.path)}
        shown = subprocess.run(command, capture_output=True, text=True, env=environ, check=False)
        assert shown.stdout.strip() == "200 []", shown.stderr
