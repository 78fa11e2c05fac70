"""The template forgets no tool and leaves no door open."""

import json
import os
import re
from pathlib import Path

import pytest
from infra.scripts import stack
from tests.support import role_policies

from assay.entrypoints.console.page_table import PAGES
from assay.state.uploads import ADDRESS_SECONDS
from assay.toolkit import tool_registry


@pytest.fixture(scope="module")
def parsed_template():
    return stack.template()


@pytest.fixture(scope="module")
def resources(parsed_template):
    return parsed_template["Resources"]


@pytest.fixture(scope="module")
def functions(resources):
    return {name: each["Properties"] for name, each in resources.items() if each["Type"] == stack.FUNCTION}


def test_no_tool_is_forgotten_and_none_is_invented(functions):
    named = [each["Environment"]["Variables"]["TOOL"] for name, each in functions.items() if name.startswith("Tool")]
    assert sorted(named) == sorted(tool_registry.tool_names())


def test_every_tool_has_its_address(functions):
    for name in tool_registry.tool_names():
        function = functions["Tool" + re.sub(r"\W|_", "", name)]
        call = function["Events"]["Call"]["Properties"]
        assert (call["Method"], call["Path"]) == ("POST", f"/tools/{name}")  # SAM takes no intrinsic there


def test_a_custom_domain_is_made_on_wish_with_its_certificate(parsed_template, resources):
    assert parsed_template["Parameters"]["DomainName"]["Default"] == ""
    needed = [each["Assert"]["Fn::Not"][0] for each in parsed_template["Rules"]["DomainNeedsCertificate"]["Assertions"]]
    assert needed == [{"Fn::Equals": [{"Ref": name}, ""]} for name in ("CertificateArn", "PublicUrl")]
    for name in ("Domain", "DomainMapping"):
        assert resources[name]["Condition"] == "HasDomain"
    [configuration] = resources["Domain"]["Properties"]["DomainNameConfigurations"]
    assert configuration["CertificateArn"] == {"Ref": "CertificateArn"}
    assert configuration["SecurityPolicy"] == "TLS_1_2"


def test_an_own_key_encrypts_whatever_is_stored(resources):
    own = {"Fn::If": ["HasKey", {"Ref": "KmsKeyArn"}, {"Ref": "AWS::NoValue"}]}
    found = {name: str(each["Properties"]).count(str(own)) for name, each in resources.items() if "Properties" in each}
    stored = {"AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::SQS::Queue", "AWS::Logs::LogGroup"}
    assert {name for name, each in resources.items() if each["Type"] in stored} <= {
        name for name in found if found[name]
    }


def test_nobody_can_deploy_without_naming_the_keys(parsed_template):
    parameter = parsed_template["Parameters"]["ApiKeysParameter"]
    assert "Default" not in parameter
    pattern = re.compile(parameter["AllowedPattern"])
    assert pattern.fullmatch("/assay/production/keys")
    assert not any(pattern.fullmatch(wrong) for wrong in ("", "/", "keys", "/a//b", "/a b", "/a/"))
    keys = parsed_template["Globals"]["Function"]["Environment"]["Variables"]["ASSAY_API_KEYS"]
    assert keys == {"Fn::Sub": "ssm:${ApiKeysParameter}"}


def test_no_function_has_other_keys_or_opens_private_addresses(functions):
    for function in functions.values():
        own = function.get("Environment", {}).get("Variables", {})
        assert set(own) <= {"TOOL", "ASSAY_PARAMETERS", "AWS_LAMBDA_EXEC_WRAPPER"}


def test_preflight_requests_of_every_path_reach_a_function(parsed_template, functions):
    event = functions["ServiceInfo"]["Events"]["Preflight"]["Properties"]
    assert (event["Method"], event["Path"]) == ("OPTIONS", "/{proxy+}")
    origins = parsed_template["Globals"]["Function"]["Environment"]["Variables"]["ALLOWED_ORIGINS"]
    assert origins == {"Ref": "AllowedOrigins"}
    pattern = re.compile(parsed_template["Parameters"]["AllowedOrigins"]["AllowedPattern"])
    for right in ("", "https://app.example", "https://app.example,http://localhost:3000"):
        assert pattern.fullmatch(right)
    for wrong in ("*", "app.example", "https://app.example/", "https://app.example;https://b.example"):
        assert not pattern.fullmatch(wrong)


def test_signing_in_has_its_routes_and_its_address(parsed_template, functions):
    events = functions["ServiceInfo"]["Events"]
    places = {name: (each["Properties"]["Method"], each["Properties"]["Path"]) for name, each in events.items()}
    assert places["SignIn"] == ("ANY", "/oauth/{proxy+}")
    assert places["SignInMetadata"] == ("GET", "/.well-known/{proxy+}")
    variables = parsed_template["Globals"]["Function"]["Environment"]["Variables"]
    assert variables["ASSAY_PUBLIC_URL"] == {"Ref": "PublicUrl"}
    pattern = re.compile(parsed_template["Parameters"]["PublicUrl"]["AllowedPattern"])
    assert all(pattern.fullmatch(right) for right in ("", "https://assay.example"))
    assert not any(pattern.fullmatch(wrong) for wrong in ("http://a.example", "https://a.example/x", "a.example"))


def test_the_pages_of_the_console_have_their_routes(functions):
    events = functions["Console"]["Events"].values()
    routes = {(each["Properties"]["Method"], each["Properties"]["Path"]) for each in events}
    assert {("GET", "/console"), ("ANY", "/console/{proxy+}"), ("GET", "/docs"), ("GET", "/docs/{proxy+}")} <= routes
    first = {page.path.split("/")[1] for page in PAGES}
    assert first == {path.split("/")[1] for _, path in routes}
    start = functions["ServiceInfo"]["Events"]["Start"]["Properties"]
    assert (start["Method"], start["Path"]) == ("GET", "/")


def test_a_user_pool_is_made_on_wish_and_lets_nobody_add_themselves(parsed_template, resources):
    assert parsed_template["Parameters"]["UserPoolPrefix"]["Default"] == ""
    rule = parsed_template["Rules"]["UserPoolNeedsAddress"]
    assert rule["Assertions"][0]["Assert"] == {"Fn::Not": [{"Fn::Equals": [{"Ref": "PublicUrl"}, ""]}]}
    for name in ("UserPool", "UserPoolDomain", "UserPoolClient"):
        assert resources[name]["Condition"] == "HasUserPool"
    assert resources["UserPool"]["Properties"]["AdminCreateUserConfig"] == {"AllowAdminCreateUserOnly": True}
    client = resources["UserPoolClient"]["Properties"]
    assert client["AllowedOAuthFlows"] == ["code"]
    assert client["CallbackURLs"] == [{"Fn::Sub": "${PublicUrl}/oauth/callback"}]
    variables = parsed_template["Globals"]["Function"]["Environment"]["Variables"]
    for name in ("ASSAY_OIDC_ISSUER", "ASSAY_OIDC_CLIENT_ID", "ASSAY_OIDC_ALLOWED"):
        condition, _, otherwise = variables[name]["Fn::If"]
        assert (condition, otherwise) == ("HasUserPool", "")


def test_every_route_and_url_is_one_whose_door_asks_for_a_key(functions):
    assert [name for name, each in functions.items() if "FunctionUrlConfig" in each] == ["Mcp"]
    called = {event["Type"] for each in functions.values() for event in each.get("Events", {}).values()}
    assert called == {"HttpApi", "SQS", "ScheduleV2"}
    handlers = {
        each["CodeUri"]
        for each in functions.values()
        if any(event["Type"] == "HttpApi" for event in each.get("Events", {}).values())
    }
    doors = ("tools", "mcp", "rest", "service_info", "console")
    assert handlers == {f"functions/{door}/" for door in doors}


def test_functions_end_before_what_waits_for_them_and_have_all_layers(functions):
    for name, function in functions.items():
        assert function["Timeout"] == {"Mcp": 120, "Jobs": 300, "ServiceInfo": 29, "Crawl": 180}.get(name, 65)
        layers = json.dumps(function["Layers"])
        assert all(layer in layers for layer in ("Deps", "Shared", "Lenses")), name


def test_functions_that_parse_have_more_memory(parsed_template, functions):
    memory = {
        name: parsed_template["Parameters"][each.get("MemorySize", {"Ref": "ToolMemory"})["Ref"]]["Default"]
        for name, each in functions.items()
    }
    parsing = ("scrape_page", "fetch", "search_and_scrape", "pdf_extract", "paper_fulltext", "monitor_query_check")
    parsing += ("audit_document", "cinder_scrape", "readability_extract", "metadata_extract", "verify_citation")
    assert {memory["Tool" + name.replace("_", "")] for name in parsing} == {1769}
    assert {memory[name] for name in ("Mcp", "Rest", "Crawl", "Console")} == {1769}  # they call any tool
    light = ("web_search", "dedupe_rank", "sequential_search", "memory_recall", "cinder_get_crawl_status")
    light += ("audit_bibliography", "archive_source", "monitor_list", "monitor_delete")  # they wait, or read rows
    assert {memory["Tool" + name.replace("_", "")] for name in light} == {512}


def test_the_table_is_what_the_code_reads(resources):
    table = resources["Table"]["Properties"]
    assert [(key["AttributeName"], key["KeyType"]) for key in table["KeySchema"]] == [
        ("key", "HASH"),
        ("sort", "RANGE"),
    ]
    assert table["TimeToLiveSpecification"] == {"AttributeName": "until", "Enabled": True}
    own = {"Fn::If": ["HasKey", {"Ref": "KmsKeyArn"}, {"Ref": "AWS::NoValue"}]}
    assert table["SSESpecification"] == {"SSEEnabled": True, "SSEType": "KMS", "KMSMasterKeyId": own}
    assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert table["BillingMode"] == "PAY_PER_REQUEST"


def test_the_bucket_is_shut(resources):
    bucket = resources["Bucket"]["Properties"]
    assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
    rules = {rule["Id"]: rule.get("Prefix") for rule in bucket["LifecycleConfiguration"]["Rules"]}
    assert {"artifact/", "cache/", "crawl/"} <= set(rules.values())
    statements = resources["BucketTlsPolicy"]["Properties"]["PolicyDocument"]["Statement"]
    assert {(statement["Effect"], statement["Principal"]) for statement in statements} == {("Deny", "*")}
    assert [statement["Condition"] for statement in statements] == [
        {"Bool": {"aws:SecureTransport": "false"}},
        {"StringNotEquals": {"s3:authType": "REST-QUERY-STRING"}},
        {"NumericGreaterThan": {"s3:signatureAge": ADDRESS_SECONDS * 1000}},
    ]
    assert {statement["Resource"]["Fn::Sub"] for statement in statements[1:]} == {"${Bucket.Arn}/upload/*"}


def test_the_bucket_of_audit_events_is_locked_and_its_writers_can_only_add(parsed_template, resources):
    assert parsed_template["Parameters"]["AuditRetentionDays"]["Default"] == 0
    for name in ("AuditBucket", "AuditBucketTlsPolicy"):
        assert resources[name]["Condition"] == "HasAuditBucket"
    bucket = resources["AuditBucket"]["Properties"]
    assert bucket["VersioningConfiguration"] == {"Status": "Enabled"}
    assert bucket["ObjectLockEnabled"] is True
    retention = bucket["ObjectLockConfiguration"]["Rule"]["DefaultRetention"]
    assert retention == {"Mode": {"Ref": "AuditLockMode"}, "Days": {"Ref": "AuditRetentionDays"}}
    assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
    [events, _] = bucket["LifecycleConfiguration"]["Rules"]
    assert events["ExpirationInDays"] == {"Ref": "AuditRetentionDays"}
    [statement] = resources["AuditBucketTlsPolicy"]["Properties"]["PolicyDocument"]["Statement"]
    assert (statement["Effect"], statement["Condition"]) == ("Deny", {"Bool": {"aws:SecureTransport": "false"}})
    put = {"Effect": "Allow", "Action": "s3:PutObject", "Resource": {"Fn::Sub": "${AuditBucket.Arn}/*"}}
    for name, each in resources.items():
        if each["Type"] == "AWS::IAM::Role":
            statements = role_policies.list_statements(resources, name)
            reaching = [one for one in statements if "AuditBucket" in json.dumps(one)]
            expected = (
                []
                if name in {"BrowserRole", "DeploymentRole"}
                else [{"Fn::If": ["HasAuditBucket", put, {"Ref": "AWS::NoValue"}]}]
            )
            assert reaching == expected, name


def test_a_turn_of_a_crawl_is_delivered_again_where_it_failed_and_buried_where_it_always_does(resources, functions):
    queue, crawl = resources["CrawlQueue"]["Properties"], functions["Crawl"]
    assert queue["VisibilityTimeout"] >= crawl["Timeout"]  # AWS refuses the pair otherwise
    assert queue["RedrivePolicy"]["deadLetterTargetArn"] == {"Fn::GetAtt": ["CrawlDeadLetters", "Arn"]}
    assert crawl["Events"]["Turn"]["Properties"]["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    assert crawl["RecursiveLoop"] == "Allow"  # otherwise Lambda ends each crawl after 16 turns
    from assay.state.ports import RECEIVES

    assert queue["RedrivePolicy"]["maxReceiveCount"] == RECEIVES


def test_what_anybody_may_reach_has_a_concurrency_of_its_own_by_default(resources):
    """So that callers without a key cannot use up the account's, and cost a bounded amount."""
    parameters = stack.template()["Parameters"]
    for name, parameter in {"Mcp": "McpConcurrency", "Browser": "BrowserConcurrency"}.items():
        chosen = resources[name]["Properties"]["ReservedConcurrentExecutions"]
        assert chosen == {"Fn::If": [f"Has{parameter}", {"Ref": parameter}, {"Ref": "AWS::NoValue"}]}
        assert parameters[parameter]["Default"] > 0
    assert parameters["CrawlConcurrency"]["Default"] < 10  # the limit of a new account


def test_every_job_is_on_a_schedule_and_may_write_its_report(resources, functions):
    from assay.jobs import job_registry

    events = [event["Properties"] for event in functions["Jobs"]["Events"].values()]
    assert sorted(json.loads(event["Input"])["job"] for event in events) == sorted(job_registry.NAMES)
    assert functions["Jobs"]["EventInvokeConfig"]["DestinationConfig"]["OnFailure"]["Type"] == "SQS"
    assert "report/*" in json.dumps(resources["JobsRole"]["Properties"]["Policies"])
    rules = resources["Bucket"]["Properties"]["LifecycleConfiguration"]["Rules"]
    assert [rule["ExpirationInDays"] for rule in rules if rule.get("Prefix") == "report/"] == [91]


def test_logs_end_and_hold_no_headers(resources):
    groups = [each["Properties"] for each in resources.values() if each["Type"] == "AWS::Logs::LogGroup"]
    assert len(groups) == 2
    assert all("RetentionInDays" in group for group in groups)
    line = resources["Api"]["Properties"]["AccessLogSettings"]["Format"]
    assert set(json.loads(line)) == {"at", "id", "ip", "route", "status", "bytes", "ms", "error", "integration"}


def test_the_api_slows_down_whoever_asks_too_often(resources):
    settings = resources["Api"]["Properties"]["DefaultRouteSettings"]
    assert {"ThrottlingBurstLimit", "ThrottlingRateLimit"} <= set(settings)


def test_operators_can_add_lenses(parsed_template):
    """The variable is the operator's own; the built-in lenses are found without it."""
    assert "CUSTOM_LENSES_PATH" not in parsed_template["Globals"]["Function"]["Environment"]["Variables"]


def list_alarms(resources):
    return {
        name.removesuffix("Alarm"): each["Properties"]
        for name, each in resources.items()
        if each["Type"] == "AWS::CloudWatch::Alarm"
    }


def test_every_alarm_reaches_the_topic_and_the_runbook_says_what_to_do(resources):
    alarms = list_alarms(resources)
    assert alarms
    for alarm in alarms.values():
        assert alarm["AlarmActions"] == [{"Ref": "Alarms"}]
        assert alarm["TreatMissingData"] == "notBreaching"  # nothing runs while nobody calls
    runbook = (stack.ROOT / "docs" / "runbook.md").read_text()
    assert re.findall(r"^## (\w+)$", runbook, re.MULTILINE) == list(alarms)


def test_each_queue_of_dead_letters_is_watched(resources):
    watched = {json.dumps(each.get("Dimensions")) for each in list_alarms(resources).values()}
    for name, each in resources.items():
        if each["Type"] == "AWS::SQS::Queue":
            queue = [{"Name": "QueueName", "Value": {"Fn::GetAtt": [name, "QueueName"]}}]
            assert json.dumps(queue) in watched


def test_alarms_on_calls_use_metrics_that_the_code_emits(resources):
    from assay.aws import telemetry

    source = Path(telemetry.__file__).read_text()
    for alarm in list_alarms(resources).values():
        if alarm["Namespace"] == telemetry.NAMESPACE:
            assert f'"{alarm["MetricName"]}"' in source
            assert alarm["Dimensions"] == [{"Name": "service", "Value": telemetry.SERVICE}]


def test_durations_alarm_before_the_timeout(resources, functions):
    for alarm in list_alarms(resources).values():
        if alarm["MetricName"] == "Duration":
            [dimension] = alarm["Dimensions"]
            timeout = functions[dimension["Value"]["Ref"]]["Timeout"]
            assert alarm["Threshold"] == timeout * 900  # milliseconds


def test_the_dashboard_is_json_and_names_what_exists(resources):
    body, own = resources["Dashboard"]["Properties"]["DashboardBody"]["Fn::Sub"]
    widgets = json.loads(body)["widgets"]
    assert len(widgets) >= 6
    for name in re.findall(r"\$\{(\w+)[.\w]*\}", body):
        assert name in resources or name in {"AWS", *own}


def test_failures_of_schedules_are_kept(resources, functions):
    for name in ("Crawl", "Jobs"):
        assert functions[name]["EventInvokeConfig"]["DestinationConfig"]["OnFailure"]["Type"] == "SQS"
    assert resources["JobDeadLetters"]["Properties"]["RedriveAllowPolicy"] == {"redrivePermission": "denyAll"}


def test_the_function_url_streams_on_wish_through_a_loop_that_can(parsed_template, functions):
    assert parsed_template["Parameters"]["Streaming"]["Default"] == "false"
    mcp = functions["Mcp"]
    assert mcp["FunctionUrlConfig"]["InvokeMode"] == {"Fn::If": ["HasStreaming", "RESPONSE_STREAM", "BUFFERED"]}
    wrapper = mcp["Environment"]["Variables"]["AWS_LAMBDA_EXEC_WRAPPER"]
    assert wrapper == {"Fn::If": ["HasStreaming", "/var/task/stream", {"Ref": "AWS::NoValue"}]}
    assert os.access(stack.ROOT / mcp["CodeUri"] / "stream", os.X_OK)
    rule = parsed_template["Rules"]["StreamingNeedsNoSnapshot"]
    assert rule["RuleCondition"] == parsed_template["Conditions"]["HasStreaming"]
    assert rule["Assertions"][0]["Assert"] == {"Fn::Equals": [{"Ref": "McpSnapStart"}, "None"]}
