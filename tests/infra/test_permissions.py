"""The role of a function allows what its code asks of AWS, and of the table and the bucket little more.

Sample calls of every tool are recorded and compared with the policies of the tool's role in the template.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

import pytest
from infra.scripts import stack
from tests.support import role_policies, sample_calls
from tests.support.belongings import give_upload
from tests.support.lambda_context import FakeLambdaContext
from tests.support.recorded_access import Access, record_access, record_services
from tests.support.sample_calls import SampleServices, arguments_of

from assay.caller import Caller
from assay.context import Context
from assay.entrypoints import mcp_function
from assay.entrypoints.lambda_crawl import process_message
from assay.entrypoints.mcp.exchange import Exchange
from assay.entrypoints.mcp.methods import call_tool
from assay.entrypoints.mcp.protocol_versions import MODERN
from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue
from assay.invoke import invoke
from assay.jobs import job_registry
from assay.jobs.runner import run
from assay.net.provider_client import ProviderClient
from assay.personal_data.namespaces import EXPIRING, IMPERSONAL, NAMESPACES, OWN_RECORDS
from assay.services import Services
from assay.toolkit import tool_registry
from assay.toolkit.tool_registry import find_tool

NAMES = tool_registry.tool_names()
LEADING = "dynamodb:LeadingKeys"
NO_VALUE = {"Ref": "AWS::NoValue"}
LIMITS = {
    "ASSAY_DAILY_BUDGET_USD": "5",
    "LLM_INPUT_USD_PER_MILLION": "1",
    "LLM_OUTPUT_USD_PER_MILLION": "1",
    "RATE_LIMIT_PER_TENANT": "1000",
    "DAILY_QUOTA_PER_TENANT": "5000",
    "MAX_CALLS_PER_DAY": "500",
}


@cache
def read_resources() -> Mapping[str, Any]:
    return stack.template()["Resources"]


@cache
def list_roles() -> tuple[str, ...]:
    """The roles of functions; that of deployments is tested with them."""
    roles = {name for name, each in read_resources().items() if each["Type"] == "AWS::IAM::Role"}
    return tuple(sorted(roles - {"DeploymentRole"}))


def list_statements(role: str) -> list[dict[str, Any]]:
    """The statements of the role where every option of the template is chosen."""
    listed = role_policies.list_statements(read_resources(), role)
    return [each["Fn::If"][1] if "Fn::If" in each else each for each in listed]


def to_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def is_table(resource: Any) -> bool:
    """Whether it is the stack's table, or the existing one that takes its place."""
    choice = resource.get("Fn::If", [""]) if isinstance(resource, dict) else [""]
    return choice[0] == "HasExistingTable" and choice[2] == {"Fn::GetAtt": ["Table", "Arn"]}


def list_keys(role: str) -> list[str]:
    """The patterns of leading keys that the role allows."""
    statements = [each for each in list_statements(role) if is_table(each["Resource"])]
    return [
        key
        for each in statements
        for key in each.get("Condition", {}).get("ForAllValues:StringLike", {}).get(LEADING, ["*"])
    ]


def is_allowed(access: Access, role: str) -> bool:
    """Whether a statement of the role has the action, and a resource or a leading key that matches the name."""
    service = access.action.partition(":")[0]
    for each in list_statements(role):
        if access.action not in to_list(each["Action"]):
            continue
        if service == "dynamodb":
            keys = each.get("Condition", {}).get("ForAllValues:StringLike", {}).get(LEADING, ["*"])
            if any(fnmatchcase(access.name, key) for key in keys):
                return True
        elif service == "s3" and access.action != "s3:ListBucket":
            patterns = [one["Fn::Sub"].removeprefix("${Bucket.Arn}/") for one in to_list(each["Resource"])]
            if any(fnmatchcase(access.name, pattern) for pattern in patterns):
                return True
        elif service != "sqs" or each["Resource"] == {"Fn::GetAtt": ["CrawlQueue", "Arn"]}:
            return True
    return False


@contextmanager
def record_calls(services: Services) -> Iterator[set[Access]]:
    """The accesses of calls inside this context, which run no worker; see `record_access`."""
    plain = services.table, services.bucket, services.queue
    record_services(services)
    services.runs_workers = False
    for name in ("cache", "search", "limit_counters", "ledger", "statistics"):
        services.__dict__.pop(name, None)  # they hold the table or the bucket
    with record_access() as accesses:
        yield accesses
    services.table, services.bucket, services.queue = plain


def find_role(tool: str) -> str:
    role: str = read_resources()["Tool" + tool.replace("_", "")]["Properties"]["Role"]["Fn::GetAtt"][0]
    return role


def list_refused(accesses: Iterable[Access], role: str) -> list[Access]:
    return sorted(access for access in accesses if not is_allowed(access, role))


@pytest.fixture
def environ(environ: dict[str, str], site: Any) -> dict[str, str]:
    return environ | sample_calls.environ(site.url) | LIMITS


@pytest.fixture
async def samples(services: Any, site: Any, fake_hosts: Any) -> SampleServices:
    services.http = ProviderClient(services.settings, pause=0)
    samples = SampleServices(services, site, fake_hosts)
    samples.answers()
    return samples


@pytest.mark.parametrize("tool", NAMES)
async def test_the_role_of_a_tool_allows_what_a_call_asks_of_aws(tool, samples):
    services = samples.services

    async def call(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        reply = await invoke(name, arguments, Context(services, Caller()))
        assert reply.error is None, reply.error
        return reply.wire

    arguments = await arguments_of(tool, samples, call)
    if tool == "audit_document":
        arguments["wait_seconds"] = 0  # no worker runs here
    if "sessionId" in tool_registry.find_tool(tool).input_schema["properties"] and tool != "sequential_search":
        begun = {"searchStep": "Look", "stepNumber": 1, "nextStepNeeded": True}
        arguments.setdefault("sessionId", (await call("sequential_search", begun))["sessionId"])
    with record_calls(services) as accesses:
        reply = await invoke(tool, arguments, Context(services, Caller()))
    assert reply.error is None, reply.error
    assert accesses
    roles = [find_role(tool), "McpRole", "JobsRole", "ConsoleRole"]  # these three call any tool
    assert {role: list_refused(accesses, role) for role in roles} == {role: [] for role in roles}


@pytest.mark.parametrize("tool", [name for name in NAMES if "upload_id" in find_tool(name).input_schema["properties"]])
async def test_the_role_of_a_tool_that_reads_uploads_allows_it(tool, samples):
    services, read = samples.services, find_tool(tool)
    upload = await give_upload(Context(services, Caller()), "a.bib", [b"@misc{a, title={Otters and stones}}"])
    extra = {"base_url": "https://otters.example/", "wait_seconds": 0}  # no worker runs here
    arguments = {name: value for name, value in extra.items() if name in read.input_schema["properties"]}
    with record_calls(services) as accesses:
        await invoke(tool, {"upload_id": upload, **arguments}, Context(services, Caller()))
    assert [each for each in accesses if each.action == "s3:GetObject" and each.name.startswith("upload/")]
    worker = ["CrawlRole"] if read.background else []
    roles = [find_role(tool), "McpRole", "JobsRole", "ConsoleRole", "RestRole", *worker]
    assert {role: list_refused(accesses, role) for role in roles} == {role: [] for role in roles}


async def test_the_role_of_the_mcp_function_allows_a_question_and_its_answer(samples):
    services = samples.services
    capabilities = {"_meta": {"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}}
    params = {"name": "get_my_analytics", "arguments": {}} | capabilities
    exchange = Exchange(ToolCatalogue(), services, Caller("acme", "ada"), MODERN[-1])
    with record_calls(services) as accesses:
        asked = await call_tool(params, exchange)
        answers = {"consent": {"action": "accept", "content": {"agree": True}}}
        answer = {"requestState": asked["requestState"], "inputResponses": answers}
        assert (await call_tool(params | answer, exchange))["structuredContent"]["status"] != "no_consent"
    assert {access.name for access in accesses} > {"elicitation", "request-state-key"}
    assert list_refused(accesses, "McpRole") == []


async def test_the_role_of_the_mcp_function_allows_the_requests_of_its_function_url(samples):
    services = samples.services
    address = {"domainName": "x.lambda-url.eu-west-1.on.aws"}

    async def send(method: str, path: str, body: Any = None, **headers: str) -> dict[str, Any]:
        context = {**address, "requestId": "r-1", "http": {"method": method, "path": path, "sourceIp": "127.0.0.1"}}
        event = {"rawPath": path, "headers": headers, "requestContext": context, "body": json.dumps(body)}
        return await mcp_function.answer(event, FakeLambdaContext(60), services, ToolCatalogue())

    with record_calls(services) as accesses:
        page = sample_calls.SAMPLES["scrape_page"]
        called = await send("POST", "/tools/scrape_page", page)
        later = await send("POST", "/tools/search_and_scrape", {"query": "otters"}, prefer="respond-async")
        poll = await send("GET", later["headers"]["location"])
        crawl = await send("POST", "/v1/crawl", page, **{"idempotency-key": "a-key-of-the-caller"})
    assert [each["statusCode"] for each in (called, later, poll, crawl)] == [200, 202, 202, 202]
    assert {access.name.partition("/")[0] for access in accesses} > {"idempotency", "tool-call", "crawl"}
    assert list_refused(accesses, "McpRole") == []


@pytest.mark.parametrize("tool", ["cinder_crawl", "audit_document", "start_tool_call"])
async def test_the_role_of_the_worker_allows_what_a_time_slice_asks_of_aws(tool, samples):
    services = samples.services
    services.runs_workers = False
    arguments = await arguments_of(tool, samples, None) | ({"wait_seconds": 0} if tool == "audit_document" else {})
    reply = await invoke(tool, arguments, Context(services, Caller()))
    assert reply.error is None, reply.error
    [message] = await services.queue.receive(visible=60)
    with record_calls(services) as accesses:
        await process_message(services, message, None)
    assert {each for each in accesses if each.action == "dynamodb:PutItem"}
    assert list_refused(accesses, "CrawlRole") == []


@pytest.mark.parametrize("job", job_registry.NAMES)
async def test_the_role_of_the_jobs_allows_what_a_run_asks_of_aws(job, samples):
    services = samples.services
    for tool, arguments in (
        ("monitor_query_save", sample_calls.SAMPLES["monitor_query_save"]),
        ("sequential_search", sample_calls.SAMPLES["sequential_search"]),
    ):
        assert (await invoke(tool, arguments, Context(services, Caller()))).error is None
    with record_calls(services) as accesses:
        await run(job, services, seconds=20.0)
    assert accesses
    assert list_refused(accesses, "JobsRole") == []


def test_a_role_refuses_what_its_tools_do_not_ask():
    assert not is_allowed(Access("dynamodb:GetItem", "memory/0f"), "PureRole")
    assert not is_allowed(Access("dynamodb:GetItem", "session/0f"), "PureRole")
    assert not is_allowed(Access("s3:GetObject", "artifact/0f"), "ReadingRole")
    assert not is_allowed(Access("sqs:SendMessage", ""), "ReadingRole")
    assert not is_allowed(Access("dynamodb:PutItem", "oauth/client/0f"), "McpRole")
    assert is_allowed(Access("dynamodb:PutItem", "oauth/client/0f"), "ServiceInfoRole")


def test_only_the_routes_of_administration_reach_all_rows():
    reaching = {role for role in list_roles() if "*" in list_keys(role)}
    assert reaching == {"RestRole", "ConsoleRole"}
    hidden = {*OWN_RECORDS, "admin-calls", "admin-failures", "doctor"}
    for role in set(list_roles()) - reaching:
        allowed = [f"{prefix}{end}" for prefix in hidden for end in ("", "/x")]
        assert not [key for key in allowed if is_allowed(Access("dynamodb:GetItem", key), role)], role


def test_every_key_that_a_role_allows_is_a_kind_of_row_that_exists():
    kinds = {*EXPIRING, *IMPERSONAL, *OWN_RECORDS, "oauth", *(one for each in NAMESPACES for one in each.prefixes)}
    kinds |= {kind.partition("/")[0] for kind in kinds if not kind.startswith("oauth/")}
    for role in list_roles():
        unknown = {key for key in list_keys(role) if key.removeprefix("#").removesuffix("/*") not in kinds | {"*"}}
        assert not unknown, role


def test_a_key_of_the_table_begins_every_condition_on_rows():
    """`ForAllValues` also holds for requests without a leading key, such as Scan; so no role may have one."""
    for role in list_roles():
        for each in list_statements(role):
            actions = to_list(each["Action"])
            assert not {"dynamodb:Scan", "dynamodb:PartiQLSelect"} & set(actions)
            assert not any("*" in action for action in actions), role
            if each["Resource"] == "*":
                assert all(action.startswith("xray:") for action in actions)


def test_options_that_are_off_leave_nothing_in_a_role():
    conditions = {"xray:": "HasTracing", "kms:": "HasKey", "bedrock:": "Has", "lambda:": "HasBrowser"}
    for role in set(list_roles()) - {"BrowserRole"}:
        for each in role_policies.list_statements(read_resources(), role):
            chosen = each["Fn::If"][1] if "Fn::If" in each else each
            for service, condition in conditions.items():
                if str(to_list(chosen["Action"])[0]).startswith(service):
                    assert each["Fn::If"][0].startswith(condition)
                    assert each["Fn::If"][2] == NO_VALUE


def choose_table(node: Any) -> Any:
    """The part of the template with the ARN of an existing table of the longest name in place of the choice."""
    if isinstance(node, list):
        return [choose_table(each) for each in node]
    if not isinstance(node, dict):
        return node
    if is_table(node):
        return "arn:aws:dynamodb:ap-southeast-1:123456789012:table/" + "n" * 64
    return {name: choose_table(each) for name, each in node.items()}


def estimate_size(documents: list[dict[str, Any]]) -> int:
    """The characters that IAM counts, where every option is chosen."""
    chosen = choose_table(documents)
    names = 60 * json.dumps(chosen).count("Arn")  # an ARN is longer than the name of its resource
    return len(json.dumps(chosen, separators=(",", ":"))) + names


def test_the_policies_of_a_role_fit_in_it_and_leave_room_for_another():
    for name, each in read_resources().items():
        if each["Type"] == "AWS::IAM::Role":
            size = estimate_size([policy["PolicyDocument"] for policy in each["Properties"]["Policies"]])
            assert size < 9_000, (
                f"The policies in {name} have some {size:,} characters, of which IAM takes 10,240. "
                "Make the longest one that other roles have too an AWS::IAM::ManagedPolicy, as PagesPolicy is."
            )
            assert len(each["Properties"].get("ManagedPolicyArns", [])) <= 10, f"IAM takes ten policies for {name}."
        elif each["Type"] == "AWS::IAM::ManagedPolicy":
            size = estimate_size([each["Properties"]["PolicyDocument"]])
            assert size < 5_500, f"{name} has some {size:,} characters, of which IAM takes 6,144. Divide it in two."


def test_every_function_has_a_role_of_its_class():
    functions = {name: each for name, each in read_resources().items() if each["Type"] == stack.FUNCTION}
    roles = {each["Properties"]["Role"]["Fn::GetAtt"][0] for each in functions.values()}
    assert roles | {"BrowserRole"} == set(list_roles())
    for name, each in functions.items():
        own = each["Properties"]["Role"]["Fn::GetAtt"][0]
        if not name.startswith("Tool"):
            assert own == f"{name}Role"


def test_every_role_adds_audit_events_that_it_cannot_read_and_the_worker_delivers_them():
    written = [Access("dynamodb:PutItem", key) for key in ("audit-streams", "audit-outbox", "audit-key")]
    written.append(Access("dynamodb:GetItem", "audit-key"))
    for role in set(list_roles()) - {"BrowserRole"}:
        assert list_refused(written, role) == [], role
    assert list_refused([Access("dynamodb:Query", "audit-outbox")], "McpRole")
    delivery = [Access(f"dynamodb:{action}", "audit-delivery") for action in ("GetItem", "PutItem")]
    outbox = [Access(f"dynamodb:{action}", "audit-outbox") for action in ("Query", "DeleteItem")]
    assert list_refused([*delivery, *outbox], "CrawlRole") == []
