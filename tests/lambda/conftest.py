"""The built functions under Lambda's emulator, in an AWS that lives on loopback."""

import hashlib
import json
import sys
import uuid
from contextlib import ExitStack, asynccontextmanager

import boto3
import httpx
import pytest
import pytest_asyncio
from infra.scripts import emulator, stack
from tests.support.forked_commands import ForkServer

from assay.bootstrap import local_services
from assay.entrypoints.http import local_server
from assay.settings import Settings

EVENTS = stack.ROOT / "infra/events"
KEY = "assay_a-key-that-opens"
# Most of what the function of a tool imports. The runtime's client reads its address when it is imported.
IMPORTED = (
    "aws_lambda_powertools",
    "aws_lambda_powertools.logging",
    "assay.aws.dynamodb_table",
    "assay.aws.remote_browser",
    "assay.aws.s3_uploads",
    "assay.aws.sqs_queue",
    "assay.aws.telemetry",
    "assay.base_tools.web_search",
    "assay.bootstrap",
    "assay.consent.consent_gate",
    "assay.entrypoints.http.http_api",
    "assay.entrypoints.init_phase",
    "assay.net.provider_client",
    "assay.statistics.call_statistics",
    "assay.statistics.recent_errors",
    "assay.statistics.tool_figures",
    "assay.toolkit.tool",
    "httpcore",
    "httpx",
)
# The fork ends with it, and it ends with the emulator.
WARM_LOOP = """
import json, os, socket
with socket.socket(socket.AF_UNIX) as channel:
    channel.connect({address!r})
    reading, writing = os.pipe()
    socket.send_fds(channel, [b"."], [0, 1, 2, reading])
    os.close(reading)
    request = {{"program": "import sys; {loop}", "arguments": sys.argv, "environ": dict(os.environ), "folder": os.getcwd()}}
    channel.sendall(json.dumps(request | {{"paths": sys.argv[2:3], "session": False}}).encode() + b"\\n")
    with channel.makefile() as reports:
        reports.readline()
        sys.exit(int(reports.readline()))
"""
FAKE = {"region_name": "us-east-1", "aws_access_key_id": "test", "aws_secret_access_key": "test"}


def ring(*keys):
    """ASSAY_API_KEYS that accepts `keys`, all of one tenant."""
    return json.dumps(
        [
            {"name": f"key-{place}", "sha256": hashlib.sha256(key.encode()).hexdigest(), "tenant": "acme"}
            for place, key in enumerate(keys)
        ]
    )


class Cloud:
    """What the template makes beside functions, on an engine at `url`; the table is the template's own."""

    def __init__(self, url):
        self.url = url
        self.dynamodb, self.s3, self.ssm, self.sqs = (
            boto3.client(name, endpoint_url=url, **FAKE) for name in ("dynamodb", "s3", "ssm", "sqs")
        )
        self.table, self.bucket = f"table-{uuid.uuid4().hex}", f"bucket-{uuid.uuid4().hex}"
        table = stack.template()["Resources"]["Table"]["Properties"]
        stored = ("BillingMode", "AttributeDefinitions", "KeySchema")
        self.dynamodb.create_table(TableName=self.table, **{name: table[name] for name in stored})
        self.s3.create_bucket(Bucket=self.bucket)
        self.queue = self.sqs.create_queue(QueueName=f"queue-{uuid.uuid4().hex}")["QueueUrl"]

    def parameter(self, text):
        """The name of a new SecureString."""
        name = f"/assay/{uuid.uuid4().hex}"
        self.ssm.put_parameter(Name=name, Value=text, Type="SecureString")
        return name

    def environment(self):
        """What CloudFormation would fill in."""
        return {
            "AWS_ENDPOINT_URL": self.url,
            "ASSAY_TABLE": self.table,
            "ASSAY_BUCKET": self.bucket,
            "ASSAY_QUEUE": self.queue,
        }

    def close(self):
        for client in (self.dynamodb, self.s3, self.ssm, self.sqs):
            client.close()


@pytest.fixture(scope="session")
def built_functions():
    return stack.functions(stack.build())


@pytest.fixture(scope="session")
def cloud(engine_url):
    cloud = Cloud(engine_url)
    yield cloud
    cloud.close()


@pytest.fixture(scope="session")
def keys(cloud):
    """The parameter whose ring has KEY alone."""
    return f"ssm:{cloud.parameter(ring(KEY))}"


@pytest.fixture(scope="session")
def warm_loop(built_functions):
    """What starts the runtime's loop for the function of a tool: forked from a process with the layers that all tools have.

    Other functions, and those of tools in test_built.py, test_scrape.py and test_snapshots.py, start by themselves.
    """
    function = built_functions["Toolreadartifact"]
    python = (f"{sys.base_prefix}/bin/python3.13", "-S")
    paths = emulator._paths(function, function.code)[1:]
    environment = emulator._environment(function, function.code, function.code)
    server = ForkServer(IMPORTED, python, paths, env=environment, cwd=function.code)
    yield WARM_LOOP.format(address=server.address, loop=emulator.RUNTIME_LOOP)
    server.close()


@pytest.fixture
def run(built_functions, warm_loop, cloud, keys, site):
    """`run("Mcp", **environment)`: the function as deployed, with a SearXNG at `site`."""
    with ExitStack() as ends:

        def running(name, code=None, loop=emulator.RUNTIME_LOOP, prelude="", **more):
            if name.startswith("Tool") and (code, loop, prelude) == (None, emulator.RUNTIME_LOOP, ""):
                loop = warm_loop
            environment = cloud.environment() | {"ASSAY_API_KEYS": keys, "SEARXNG_URL": site.url + "/searxng"}
            environment |= {
                "RATE_LIMIT_PER_TENANT": "0"
            } | more  # fifty tools and more are one tenant's calls of a minute
            return ends.enter_context(
                emulator.running(built_functions[name], environment, code=code, loop=loop, prelude=prelude)
            )

        yield running


@pytest.fixture
def event():
    """`event("http_api_post", {"query": "cats"}, path="/tools/web_search")`: a recorded event, asking that."""

    def build_event(name, body=None, *, key=KEY, path=None, method=None, headers=(), is_base64=False):
        recorded = json.loads((EVENTS / f"{name}.json").read_text())
        recorded["headers"] |= dict(headers) | ({"authorization": f"Bearer {key}"} if key else {})
        http = recorded["requestContext"]["http"]
        recorded["rawPath"] = http["path"] = path or recorded["rawPath"]
        http["method"] = method or http["method"]
        if body is not None:
            recorded["body"] = body if isinstance(body, str) else json.dumps(body)
        return recorded | {"isBase64Encoded": is_base64}

    return build_event


@asynccontextmanager
async def open_local(home, **environment):
    """A client of the local server, which has the same key."""
    services = local_services(
        Settings.read({"ASSAY_HOME": str(home / "home"), "ASSAY_API_KEYS": ring(KEY)} | environment)
    )
    transport = httpx.ASGITransport(local_server.create_app(services))
    headers = {"authorization": f"Bearer {KEY}"}
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers) as client:
        client.services = services
        yield client
    await services.close()


@pytest_asyncio.fixture
async def local(tmp_path, site):
    """A client of the local server, which has the same key and the same SearXNG."""
    async with open_local(tmp_path, SEARXNG_URL=site.url + "/searxng") as client:
        yield client


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def refusing(tmp_path_factory):
    """A client of a local server that all tests of a file share, for calls that it refuses before they reach a tool."""
    async with open_local(tmp_path_factory.mktemp("local"), RATE_LIMIT_PER_TENANT="0") as client:
        yield client


@pytest.fixture
def rings():
    return ring
