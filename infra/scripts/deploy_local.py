"""Deploy the built stack with `sam deploy` to an AWS emulation and call it; started by `infra/scripts/deploy-local`.

It shows that the template deploys and that its functions work together with its table, bucket, queues, parameters,
schedules and roles' environment. What it does not show is in docs/deployment.md.
"""

import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import boto3

sys.path.insert(0, str(Path(__file__).parents[2]))

from infra.scripts import stack
from tests.support.local_dynamodb import MINISTACK_WITH_LAMBDA, engine

SERVICES = "dynamodb,s3,ssm,cloudformation,lambda,iam,sts,logs,sqs,scheduler,apigateway,kms,cloudwatch,monitoring,sns"
FAKE = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1"}
# SAM that compresses little: the packages stay on this machine, and are unpacked soon.
QUICK_SAM = "import zlib; zlib.Z_DEFAULT_COMPRESSION = 1; from samcli.cli.main import cli; cli(prog_name='sam')"
SCHEDULES = 4  # of the template
QUEUE_SECONDS, POLL_SECONDS = 120.0, 0.5  # until the queue's function has worked on a message; it takes a few
KEYS, KEY = "/assay/keys", "assay_key-of-the-local-stack"
RING = json.dumps([{"name": "ada", "sha256": hashlib.sha256(KEY.encode()).hexdigest()}])
SETTINGS, ADMIN_KEY = "/assay/settings", "admin-key-of-the-local-stack"


def deploy() -> subprocess.CompletedProcess[str]:
    template = stack.build() / "template.yaml"
    parameters = [f"ApiKeysParameter={KEYS}", f"Architecture={stack.HERE}", "DataDeletionPolicy=Delete"]
    parameters += [f"SettingsParameter={SETTINGS}"]
    parameters += ["McpSnapStart=PublishedVersions", "SnapStartTools=dedupe_rank,sequential_search"]
    command = [
        *(str(stack.ROOT / ".tools/sam/bin/python"), "-c", QUICK_SAM),
        *("deploy", "--config-file", str(stack.ROOT / "samconfig.toml")),
        *("--template-file", str(template), "--no-confirm-changeset", "--no-progressbar", "--use-json"),
        *("--parameter-overrides", *parameters),
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def http_event(
    path: str, body: Any = None, key: str = KEY, method: str = "POST", headers: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """An event of the HTTP API or of a Function URL (payload 2.0)."""
    sent = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    sent |= {"host": "local.execute-api.us-east-1.amazonaws.com"} | dict(headers or {})
    sent |= {"authorization": f"Bearer {key}"} if key else {}
    http = {"method": method, "path": path, "sourceIp": "192.0.2.1", "protocol": "HTTP/1.1", "userAgent": "smoke"}
    return {
        "version": "2.0",
        "rawPath": path,
        "rawQueryString": "",
        "headers": sent,
        "requestContext": {"http": http, "requestId": "r-1", "domainName": sent["host"], "timeEpoch": 0},
        "body": None if body is None else json.dumps(body),
        "isBase64Encoded": False,
    }


class LocalStack:
    """The deployed functions by their logical ids, each called by its alias, as routes, schedules and the queue do."""

    def __init__(self, url: str, resources: list[Mapping[str, Any]]) -> None:
        self._lambda = boto3.client("lambda", endpoint_url=url)
        self._scheduler = boto3.client("scheduler", endpoint_url=url)
        self._sqs = boto3.client("sqs", endpoint_url=url)
        self._names = {each["LogicalResourceId"]: each["PhysicalResourceId"] for each in resources}
        self._ready: set[str] = set()  # a version is pending while its snapshot is made

    def invoke(self, function: str, event: Mapping[str, Any]) -> Any:
        name = self._names[function]
        if name not in self._ready:
            version = self._lambda.get_alias(FunctionName=name, Name="live")["FunctionVersion"]
            self._lambda.get_waiter("published_version_active").wait(FunctionName=name, Qualifier=version)
            self._ready.add(name)
        answer = self._lambda.invoke(FunctionName=name, Qualifier="live", Payload=json.dumps(event))
        return json.loads(answer["Payload"].read())

    def call(self, function: str, event: Mapping[str, Any]) -> tuple[int, Any]:
        """The status and the parsed body of a response."""
        answer = self.invoke(function, event)
        if "statusCode" not in answer:
            return 0, answer
        return answer["statusCode"], json.loads(answer["body"])

    def list_checks(self) -> Iterator[tuple[str, bool]]:
        """What was checked, and whether it holds."""
        listing = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        status, body = self.call("Mcp", http_event("/mcp", listing))
        yield "MCP lists the tools", status == 200 and len(body["result"]["tools"]) > 40
        yield "MCP refuses callers without a key", self.call("Mcp", http_event("/mcp", listing, key=""))[0] == 401
        documents = {"docs": [{"id": "a", "text": "Otters hold hands"}]}
        yield "a tool answers", self.call("Tooldeduperank", http_event("/tools/dedupe_rank", documents))[0] == 200
        step = {"searchStep": "check", "stepNumber": 1, "totalStepsEstimate": 1, "nextStepNeeded": False}
        status, body = self.call("Toolsequentialsearch", http_event("/tools/sequential_search", step))
        yield "a session is stored", status == 200
        asked = {"sessionId": body.get("sessionId")}
        status, body = self.call("Toolgetresearchsession", http_event("/tools/get_research_session", asked))
        yield "another function reads it", status == 200 and body["sessionId"] == asked["sessionId"]
        yield "the service is alive", self.call("ServiceInfo", http_event("/health/live", method="GET"))[0] == 200
        yield "each schedule runs its function", all(self.run_schedules())
        yield "a large answer is kept in the bucket", self.store_answer(documents)
        self.connect_queue()
        yield "the queue's messages run a crawl to its end", self.finish_crawl()
        yield "a message that fails becomes a dead letter until the operator drops it", self.drop_dead_letter()

    def run_schedules(self) -> Iterator[bool]:
        """Whether each schedule's function succeeds with the schedule's event."""
        names = [each["Name"] for each in self._scheduler.list_schedules()["Schedules"]]
        targets = [self._scheduler.get_schedule(Name=name)["Target"] for name in names]
        yield len(targets) == SCHEDULES
        for target in targets:
            function = next(name for name in ("Crawl", "Jobs") if self._names[name] in target["Arn"])
            yield not {"moved", "done"}.isdisjoint(self.invoke(function, json.loads(target["Input"])))

    def store_answer(self, documents: Any) -> bool:
        """Whether an answer beyond the limit is stored, and another function reads it."""
        name = self._names["Tooldeduperank"]
        variables = self._lambda.get_function_configuration(FunctionName=name)["Environment"]["Variables"]
        environment = {"Variables": variables | {"LINK_ALWAYS_BYTES": "1"}}
        self._lambda.update_function_configuration(FunctionName=name, Environment=environment)
        changed = json.dumps(http_event("/tools/dedupe_rank", documents))
        answer = json.loads(
            self._lambda.invoke(FunctionName=name, Payload=changed)["Payload"].read()
        )  # not by its alias
        asked = {"id": json.loads(answer["body"]).get("resource", "")}
        status, part = self.call("Toolreadartifact", http_event("/tools/read_artifact", asked))
        return status == 200 and "groups" in json.dumps(part)

    def connect_queue(self) -> None:
        """Have the queue invoke its function: the emulation compares the limit of the mapping with numbers."""
        [mapping] = self._lambda.list_event_source_mappings(FunctionName=self._names["Crawl"])["EventSourceMappings"]
        limit = int(mapping["ScalingConfig"]["MaximumConcurrency"])
        self._lambda.update_event_source_mapping(UUID=mapping["UUID"], ScalingConfig={"MaximumConcurrency": limit})

    def finish_crawl(self) -> bool:
        """Whether a crawl ends, after turns that wait in the queue; its site does not exist.

        On Lambda no setting lets tools read the pages of this machine.
        """
        asked = {"url": "http://otters.invalid/", "maxPages": 1}
        _, begun = self.call("Rest", http_event("/v1/crawl", asked))
        request = http_event(f"/v1/crawl/{begun.get('crawlId')}", method="GET")
        crawl = self.poll("Rest", request, lambda crawl: crawl.get("status") == "failed")
        return "No address was found for otters.invalid" in crawl.get("error", "")

    def drop_dead_letter(self) -> bool:
        """Whether a message that the function returns is moved, and the operator's list has it until it is dropped."""
        queue, path = self._names["CrawlQueue"], "/admin/dead-letters"
        deployed = self._sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["RedrivePolicy"])["Attributes"]
        policy = json.loads(deployed["RedrivePolicy"]) | {"maxReceiveCount": 1}
        self._sqs.set_queue_attributes(  # so that it need not be waited for
            QueueUrl=queue, Attributes={"VisibilityTimeout": "1", "RedrivePolicy": json.dumps(policy)}
        )
        self._sqs.send_message(QueueUrl=queue, MessageBody="not the message of a job")
        operator = {"x-admin-key": ADMIN_KEY}
        listing = http_event(path, method="GET", headers=operator)
        letters = self.poll("Rest", listing, lambda body: body.get("deadLetters")).get("deadLetters", [])
        if [each["receives"] > 1 for each in letters] != [True]:
            return False
        self.call("Rest", http_event(path, {"id": letters[0]["id"]}, method="DELETE", headers=operator))
        return self.call("Rest", listing) == (200, {"deadLetters": []})

    def poll(self, function: str, event: Mapping[str, Any], holds: Callable[[Any], Any]) -> Any:
        """The first response whose body `holds`, or the last one before the time is up."""
        end = time.monotonic() + QUEUE_SECONDS
        while True:
            _, body = self.call(function, event)
            if holds(body) or time.monotonic() > end:
                return body
            time.sleep(POLL_SECONDS)


def main() -> int:
    with engine(MINISTACK_WITH_LAMBDA, SERVICES) as url:
        os.environ |= FAKE | {"AWS_ENDPOINT_URL": url, "SAM_CLI_TELEMETRY": "0", "SAM_CLI_POLL_DELAY": "0.5"}
        boto3.client("ssm", endpoint_url=url).put_parameter(Name=KEYS, Value=RING, Type="SecureString")
        settings = json.dumps({"ADMIN_API_KEY": ADMIN_KEY})
        boto3.client("ssm", endpoint_url=url).put_parameter(Name=SETTINGS, Value=settings, Type="SecureString")
        began = time.monotonic()
        done = deploy()
        if done.returncode:
            print(done.stdout[-4000:], done.stderr[-4000:], sep="\n", file=sys.stderr)
            return 1
        client = boto3.client("cloudformation", endpoint_url=url)
        [description] = client.describe_stacks(StackName="assay")["Stacks"]
        resources = client.describe_stack_resources(StackName="assay")["StackResources"]
        print(f"{description['StackStatus']}: {len(resources)} resources in {time.monotonic() - began:.0f} s")
        failed = description["StackStatus"] != "CREATE_COMPLETE"
        for check, holds in LocalStack(url, resources).list_checks():
            print(f"{'works' if holds else 'FAILS'}: {check}", flush=True)
            failed |= not holds
        return int(failed)


if __name__ == "__main__":
    sys.exit(main())
