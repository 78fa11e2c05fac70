"""How a new version of the functions is deployed, read from the stack that CloudFormation makes of the template.

The transforms are those of the emulation and of SAM, which AWS runs too.
"""

import json
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest
from infra.scripts import stack

GRADUAL = {"Mcp", "Rest", "ServiceInfo", "Console", "Crawl", "Jobs"}  # they serve all tools
NOT_OF_A_VERSION = {"DeploymentPreference", "Events", "EventInvokeConfig", "FunctionUrlConfig", "Role"}
NOT_OF_A_VERSION |= {"ReservedConcurrentExecutions"}
LARGEST = {"Deployment": "Canary10Percent5Minutes", "DailySpendUsd": "5", "AuditRetentionDays": "30"}


@pytest.fixture(autouse=True)
def region(monkeypatch):
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")  # SAM's transform wants one


@cache
def create_stack(layer: str = "first", *, events: bool = True, **parameters: str) -> dict[str, Any]:
    """The resources of the packaged template with these parameters; `layer` names the package of the layers.

    Without `events`, nothing calls the functions.
    """
    from ministack.services.cloudformation import language_extensions
    from samtranslator.translator.transform import transform

    template = stack.template()
    for resource in template["Resources"].values():
        properties = resource.get("Properties", {})
        if resource["Type"] == stack.FUNCTION and not events:
            properties.pop("Events", None)
        for name, key in (("CodeUri", "code"), ("ContentUri", layer)):
            if name in properties:
                properties[name] = f"s3://packages/{key}"
    values = {name: str(each.get("Default", "")) for name, each in template["Parameters"].items()} | parameters
    expanded = language_extensions.apply(template, values)
    del expanded["Transform"]
    resources: dict[str, Any] = transform(expanded, values, SimpleNamespace(load=dict))["Resources"]
    return resources


def list_ids(resources: dict[str, Any], kind: str) -> set[str]:
    return {name for name, each in resources.items() if each["Type"] == f"AWS::{kind}"}


def list_versions(**change: str) -> set[str]:
    """The versions of a stack with this change, without events: no version has them, and SAM needs seconds for them."""
    return list_ids(create_stack(events=False, **change), "Lambda::Version")


def list_functions() -> set[str]:
    return {name for name, each in stack.template()["Resources"].items() if each["Type"] == stack.FUNCTION}


def find_parameters(node: Any, conditions: dict[str, Any], parameters: set[str]) -> set[str]:
    """The parameters that a part of the template depends on, also by its conditions."""
    if isinstance(node, list):
        return set().union(*(find_parameters(each, conditions, parameters) for each in node))
    if not isinstance(node, dict):
        return set()
    found = {node["Ref"]} & parameters if "Ref" in node else set()
    if "Fn::Sub" in node:
        text = json.dumps(node["Fn::Sub"])
        found |= {name for name in parameters if f"${{{name}}}" in text}
    if "Fn::If" in node:
        found |= find_parameters(conditions[node["Fn::If"][0]], conditions, parameters)
    return found | find_parameters(list(node.values()), conditions, parameters)


def test_everything_that_calls_a_function_calls_its_alias():
    resources = create_stack()
    aliases = {name.removesuffix("Aliaslive") for name in list_ids(resources, "Lambda::Alias")}
    assert aliases == list_functions()
    allowed = {
        resources[name]["Properties"]["FunctionName"]["Ref"] for name in list_ids(resources, "Lambda::Permission")
    }
    assert allowed == {f"{name}Aliaslive" for name in aliases - {"Crawl", "Jobs"}}  # a queue and schedules call those
    assert resources["McpUrl"]["Properties"]["TargetFunctionArn"] == {"Ref": "McpAliaslive"}
    assert resources["CrawlTurn"]["Properties"]["FunctionName"] == {"Ref": "CrawlAliaslive"}
    for schedule in list_ids(resources, "Scheduler::Schedule"):
        target = resources[schedule]["Properties"]["Target"]["Arn"]["Ref"]
        assert target in {"CrawlAliaslive", "JobsAliaslive"}
        policies = resources[f"{schedule}Role"]["Properties"]["Policies"]
        assert policies[0]["PolicyDocument"]["Statement"][0]["Resource"] == {"Ref": target}
    paths = json.dumps(resources["Api"]["Properties"]["Body"]["paths"])
    assert paths.count("functions/${") == paths.count("Aliaslive}/invocations") > 70


@pytest.mark.parametrize("change", [{"layer": "second"}, {"LogLevel": "DEBUG"}, {"BrowserImage": "1.dkr.ecr/b:1"}])
def test_a_new_package_of_the_layers_and_another_parameter_are_new_versions(change):
    """SAM's own rule sees neither: the alias would go on with the old code and the old settings."""
    before, after = list_versions(), list_versions(**change)
    assert len(before) == len(after) == len(list_functions())
    assert not before & after


def test_what_no_version_has_makes_no_new_one():
    assert list_versions() == list_versions(AlarmEmail="a@b.example")


def test_versions_depend_on_each_parameter_of_their_functions():
    template = stack.template()
    names = set(template["Parameters"])
    for function, resource in template["Resources"].items():
        if resource["Type"] == stack.FUNCTION:
            own = {key: each for key, each in resource["Properties"].items() if key not in NOT_OF_A_VERSION}
            needed = find_parameters([own, template["Globals"]["Function"]], template["Conditions"], names)
            listed = own["Environment"]["Variables"]["ASSAY_PARAMETERS"]
            assert needed == {each["Ref"] for each in listed["Fn::ToJsonString"]}, function


def test_a_deployment_is_at_once_unless_asked_to_be_gradual_and_is_then_taken_back_by_alarms():
    at_once = create_stack()
    assert not [name for name, each in at_once.items() if each["Type"].startswith("AWS::CodeDeploy")]
    assert not [name for name in at_once if "UpdatePolicy" in at_once[name]]
    resources = create_stack(**LARGEST)
    groups = list_ids(resources, "CodeDeploy::DeploymentGroup")
    assert groups == {f"{name}DeploymentGroup" for name in GRADUAL}
    for group in groups:
        properties = resources[group]["Properties"]
        alarms = [each["Name"]["Ref"] for each in properties["AlarmConfiguration"]["Alarms"]]
        assert alarms == ["DeploymentFailuresAlarm", "DeploymentServerErrorsAlarm"]
        assert "DEPLOYMENT_STOP_ON_ALARM" in properties["AutoRollbackConfiguration"]["Events"]
        assert properties["ServiceRoleArn"] == {"Fn::GetAtt": ["DeploymentRole", "Arn"]}
        for alarm in alarms:  # the shortest shift leaves five minutes
            assert resources[alarm]["Properties"]["Period"] == 60
    statements = resources["DeploymentRole"]["Properties"]["Policies"][0]["PolicyDocument"]["Statement"]
    allowed = [each["Fn::GetAtt"][0] for each in statements[0]["Resource"] if "Fn::GetAtt" in each]
    assert set(allowed) == GRADUAL


def test_each_way_to_deploy_is_one_that_codedeploy_knows():
    from samtranslator.model.preferences.deployment_preference_collection import (
        CODEDEPLOY_PREDEFINED_CONFIGURATIONS_LIST,
    )

    template = stack.template()
    ways = template["Parameters"]["Deployment"]["AllowedValues"]
    assert set(ways) <= set(CODEDEPLOY_PREDEFINED_CONFIGURATIONS_LIST)
    assert set(template["Mappings"]["Deployments"]) == set(ways)


def test_the_stack_has_room_for_more_tools():
    for_a_tool = 4  # a function, its version, its alias, its permission
    assert len(create_stack(**LARGEST)) + 20 * for_a_tool < 500


def resolve(node: Any, parameters: dict[str, str]) -> Any:
    """The value of the functions that name the tools of SnapStart, as CloudFormation computes it."""
    [[function, argument]] = node.items()
    if function == "Ref":
        return parameters[argument]
    if function == "Fn::Sub":
        text, own = argument if isinstance(argument, list) else (argument, {})
        for name, value in (parameters | {key: resolve(each, parameters) for key, each in own.items()}).items():
            text = text.replace(f"${{{name}}}", value)
        return text
    first, second = argument
    listed = resolve(second, parameters)
    return listed.split(first) if function == "Fn::Split" else listed[first]


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        ("", set()),
        ("web_search", {"Toolwebsearch"}),
        ("search", {"Toolsearch"}),
        ("scrape_page,web_search,fetch", {"Toolscrapepage", "Toolwebsearch", "Toolfetch"}),
    ],
)
def test_exactly_the_tools_of_the_list_start_from_a_snapshot(listed, expected):
    found = {}
    for name, each in stack.template()["Resources"].items():
        if name.startswith("Tool") and each["Type"] == stack.FUNCTION:
            found[name] = resolve(each["Properties"]["SnapStart"]["ApplyOn"], {"SnapStartTools": listed})
    assert {name for name, value in found.items() if value == "PublishedVersions"} == expected
    assert set(found.values()) <= {"PublishedVersions", "None"}


def test_mcp_starts_from_a_snapshot_on_wish():
    assert stack.template()["Resources"]["Mcp"]["Properties"]["SnapStart"] == {"ApplyOn": {"Ref": "McpSnapStart"}}
    assert stack.template()["Parameters"]["McpSnapStart"]["Default"] == "None"


def test_what_keeps_data_outlives_its_deletion_and_replacement():
    kept = {"DynamoDB::Table", "S3::Bucket", "SQS::Queue", "Logs::LogGroup", "Cognito::UserPool"}
    for name, each in stack.template()["Resources"].items():
        if each["Type"].removeprefix("AWS::") in kept:
            assert each["DeletionPolicy"] in ("Retain", {"Ref": "DataDeletionPolicy"}), name
            assert each["UpdateReplacePolicy"] == "Retain", name


def test_dead_letters_come_from_their_own_queue():
    resources = stack.template()["Resources"]
    queue, dead = resources["CrawlQueue"]["Properties"], resources["CrawlDeadLetters"]["Properties"]
    assert queue["QueueName"] == {"Fn::Sub": "${AWS::StackName}-crawl"}
    policy = dead["RedriveAllowPolicy"]
    assert policy["redrivePermission"] == "byQueue"
    [source] = policy["sourceQueueArns"]
    assert source["Fn::Sub"].endswith(":" + queue["QueueName"]["Fn::Sub"])
    assert resources["JobDeadLetters"]["Properties"]["RedriveAllowPolicy"] == {"redrivePermission": "denyAll"}


def test_the_table_is_warmed_on_wish():
    warm = stack.template()["Resources"]["Table"]["Properties"]["WarmThroughput"]["Fn::If"]
    assert warm[0] == "HasWarmThroughput"
    assert warm[1]["WriteUnitsPerSecond"] == {"Ref": "WarmWritesPerSecond"}
