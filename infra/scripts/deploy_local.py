"""Deploy the built stack with `sam deploy` to an AWS emulation; started by `infra/scripts/deploy-local`."""

import os
import subprocess
import sys
import time
from pathlib import Path

import boto3

sys.path.insert(0, str(Path(__file__).parents[2]))

from infra.scripts import stack
from tests.support.local_dynamodb import engine

SERVICES = "dynamodb,s3,ssm,cloudformation,lambda,iam,sts,logs,sqs,scheduler,apigateway,kms"
FAKE = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1"}
KEYS = "/assay/keys"


def deploy() -> subprocess.CompletedProcess[str]:
    template = stack.build() / "template.yaml"
    parameters = [f"ApiKeysParameter={KEYS}", f"Architecture={stack.HERE}", "DataDeletionPolicy=Delete"]
    command = [
        *(str(stack.ROOT / ".tools/sam/bin/sam"), "deploy", "--config-file", str(stack.ROOT / "samconfig.toml")),
        *("--template-file", str(template), "--no-confirm-changeset", "--no-progressbar"),
        *("--parameter-overrides", *parameters),
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def main() -> int:
    with engine(services=SERVICES) as url:
        os.environ |= FAKE | {"AWS_ENDPOINT_URL": url, "SAM_CLI_TELEMETRY": "0"}
        began = time.monotonic()
        done = deploy()
        if done.returncode:
            print(done.stdout[-4000:], done.stderr[-4000:], sep="\n", file=sys.stderr)
            return 1
        client = boto3.client("cloudformation", endpoint_url=url)
        [description] = client.describe_stacks(StackName="assay")["Stacks"]
        resources = client.describe_stack_resources(StackName="assay")["StackResources"]
        print(f"{description['StackStatus']}: {len(resources)} resources in {time.monotonic() - began:.0f} s")
        return 0 if description["StackStatus"] == "CREATE_COMPLETE" else 1


if __name__ == "__main__":
    sys.exit(main())
