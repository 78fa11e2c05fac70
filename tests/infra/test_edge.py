"""The stacks beside the main one: CloudFront with WAF in front, and a key in KMS."""

from typing import Any

import boto3
import pytest
import yaml
from infra.scripts import stack
from tests.support.local_dynamodb import engine
from tests.support.table_factories import FAKE

from assay.entrypoints.http import origin_secret
from assay.settings.variables import VARIABLES

KEY_USERS = {"logs.${AWS::Region}.amazonaws.com", "cloudwatch.amazonaws.com"}


def read(name: str) -> dict[str, Any]:
    parsed: dict[str, Any] = yaml.load((stack.ROOT / "infra" / name).read_text(), stack.Loader)
    return parsed


def test_every_request_through_the_proxy_is_counted_by_waf_and_carries_the_secret():
    template = read("edge.yaml")
    distribution = template["Resources"]["Distribution"]["Properties"]["DistributionConfig"]
    assert distribution["WebACLId"] == {"Fn::GetAtt": ["WebAcl", "Arn"]}
    origins = {each["Id"]: each for each in distribution["Origins"]}
    secret = {"HeaderName": origin_secret.HEADER, "HeaderValue": {"Ref": "OriginSecret"}}
    for origin in origins.values():
        assert origin["OriginCustomHeaders"] == [secret]
        assert origin["CustomOriginConfig"]["OriginProtocolPolicy"] == "https-only"
    behaviours = [distribution["DefaultCacheBehavior"], *distribution["CacheBehaviors"]]
    assert {each.get("PathPattern"): each["TargetOriginId"] for each in behaviours} == {
        None: "api",
        "/mcp": "mcp",
        "/mcp/*": "mcp",
    }
    shared = [{key: each[key] for key in each if key not in {"PathPattern", "TargetOriginId"}} for each in behaviours]
    assert shared[0] == shared[1] == shared[2]
    assert {"POST", "DELETE", "OPTIONS"} <= set(shared[0]["AllowedMethods"])
    assert shared[0]["ViewerProtocolPolicy"] == "https-only"  # a key must not be sent in the clear and redirected


def test_waf_bounds_the_requests_of_an_address():
    template = read("edge.yaml")
    [rate, _] = template["Resources"]["WebAcl"]["Properties"]["Rules"]
    statement = rate["Statement"]["RateBasedStatement"]
    assert (statement["AggregateKeyType"], statement["Limit"]) == ("IP", {"Ref": "RequestsPerFiveMinutes"})
    assert rate["Action"]["Block"]["CustomResponse"]["ResponseCode"] == 429


def test_the_secret_is_a_secret_at_both_ends():
    assert read("edge.yaml")["Parameters"]["OriginSecret"]["NoEcho"] is True
    [variable] = [each for each in VARIABLES if each.name == origin_secret.VARIABLE]
    assert variable.secret


def test_the_key_serves_the_account_and_the_services_that_have_no_role():
    key = read("key.yaml")["Resources"]["Key"]
    assert (key["DeletionPolicy"], key["UpdateReplacePolicy"]) == ("Retain", "Retain")
    assert key["Properties"]["EnableKeyRotation"] is True
    account, *services = key["Properties"]["KeyPolicy"]["Statement"]
    assert account["Principal"]["AWS"]["Fn::Sub"].endswith("${AWS::AccountId}:root")
    principals = [each["Principal"]["Service"] for each in services]
    assert {each if isinstance(each, str) else each["Fn::Sub"] for each in principals} == KEY_USERS
    assert all(each["Condition"] for each in services)  # no other account's log groups and alarms


@pytest.fixture(scope="module")
def cloudformation():
    with engine(services="dynamodb,cloudformation,cloudfront,wafv2,kms") as url:
        client = boto3.client("cloudformation", endpoint_url=url, **FAKE)
        yield client
        client.close()


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("key", {}),
        (
            "edge",
            {
                "ApiDomain": "a1.execute-api.eu-central-1.amazonaws.com",
                "McpDomain": "b2.lambda-url.eu-central-1.on.aws",
                "OriginSecret": "of-the-proxy-of-the-proxy-of-the-proxy",
            },
        ),
    ],
)
def test_the_stack_is_created_from_its_template_as_it_is(name, parameters, cloudformation):
    given = [{"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()]
    text = (stack.ROOT / "infra" / f"{name}.yaml").read_text()
    cloudformation.create_stack(StackName=name, TemplateBody=text, Parameters=given)
    cloudformation.get_waiter("stack_create_complete").wait(
        StackName=name, WaiterConfig={"Delay": 0.2, "MaxAttempts": 100}
    )
    [described] = cloudformation.describe_stacks(StackName=name)["Stacks"]
    outputs = {each["OutputKey"]: each["OutputValue"] for each in described["Outputs"]}
    assert outputs.get("PublicUrl", "https://").startswith("https://")
    assert {"key": "KeyArn", "edge": "DistributionDomain"}[name] in outputs
