"""Serve the built functions with `sam local start-api`, on a table, bucket, queue and parameters in an AWS emulation.

    make local                                            # http://127.0.0.1:3000, until Ctrl-C
    .venv/bin/python infra/scripts/local_api.py --check   # start, check every route that smoke.py knows, stop

It needs Docker or Podman (`DOCKER_HOST=unix:///run/podman/podman.sock`). The functions are built for this machine's
architecture and run in AWS's own image of the runtime. Further settings, such as SEARXNG_URL or BRAVE_API_KEY, are
taken from this shell. `sam local invoke NAME -e infra/events/….json` works with the template that it prints.
"""

import argparse
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import boto3
import httpx
import yaml

sys.path.insert(0, str(Path(__file__).parents[2]))

from infra.scripts import stack
from infra.scripts.smoke import Smoke, run_checks
from tests.support.local_dynamodb import engine

from assay.settings.variables import VARIABLES

FAKE = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1"}
# SAM asks STS for the account; without these it would wait for an answer.
QUIET = {"SAM_CLI_TELEMETRY": "0", "AWS_EC2_METADATA_DISABLED": "true", "AWS_MAX_ATTEMPTS": "1"}
RING = "/assay/keys"
IMAGE = f"public.ecr.aws/lambda/python:3.13-{stack.HERE}"
START_SECONDS, FIRST_SECONDS = 120, 300.0  # to start the API; for the first call, which builds an image of the layers


@contextmanager
def open_network() -> Iterator[str]:
    """Yield the address of this machine in the containers' network. Raises RuntimeError without Docker or Podman.

    Podman gives the machine that address only while a container runs, so one that sleeps runs meanwhile.
    """
    host = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
    path = host.removeprefix("unix://")
    if host == path or not Path(path).exists():
        raise RuntimeError(f"No Docker or Podman answers at {host}; start one, or set DOCKER_HOST to its socket.")
    transport = httpx.HTTPTransport(uds=path)
    with httpx.Client(transport=transport, base_url="http://docker/v1.40", timeout=600) as docker:
        networks = docker.get("/networks").raise_for_status().json()
        bridge = next(each for each in networks if each["Name"] in {"bridge", "podman"})
        gateway = str(bridge["IPAM"]["Config"][0]["Gateway"])
        if can_listen(gateway):
            yield gateway
            return
        sleeper = {"Image": IMAGE, "Entrypoint": ["sleep", "infinity"]}
        created = docker.post("/containers/create", json=sleeper)
        if created.status_code == httpx.codes.NOT_FOUND:
            docker.post("/images/create", params={"fromImage": IMAGE}).raise_for_status()
            created = docker.post("/containers/create", json=sleeper)
        container = created.raise_for_status().json()["Id"]
        try:
            docker.post(f"/containers/{container}/start").raise_for_status()
            yield gateway
        finally:
            docker.delete(f"/containers/{container}", params={"force": "true"})


def can_listen(address: str) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind((address, 0))
        except OSError:
            return False
        return True


def create_resources(url: str, key: str) -> dict[str, str]:
    """Create what the template creates beside the functions; return the variables that name it."""
    clients = {name: boto3.client(name, endpoint_url=url) for name in ("dynamodb", "s3", "sqs", "ssm")}
    table = stack.template()["Resources"]["Table"]["Properties"]
    properties = {name: table[name] for name in ("BillingMode", "AttributeDefinitions", "KeySchema")}
    clients["dynamodb"].create_table(TableName="assay", **properties)
    clients["s3"].create_bucket(Bucket="assay")
    queue = clients["sqs"].create_queue(QueueName="assay")["QueueUrl"]
    ring = json.dumps([{"name": "local", "sha256": sha256(key.encode()).hexdigest()}])
    clients["ssm"].put_parameter(Name=RING, Value=ring, Type="SecureString")
    return {"ASSAY_TABLE": "assay", "ASSAY_BUCKET": "assay", "ASSAY_QUEUE": queue, "ASSAY_API_KEYS": f"ssm:{RING}"}


def write_template(variables: Mapping[str, str]) -> Path:
    """Write the built template with `variables` declared: SAM passes no others to a container."""
    folder = stack.build()
    document = stack.template(folder / "template.yaml")
    document["Globals"]["Function"]["Environment"]["Variables"] |= variables
    document["Globals"]["Function"]["Architectures"] = [stack.HERE]
    document["Transform"] = "AWS::Serverless-2016-10-31"
    for resource in document["Resources"].values():
        if resource["Type"] == stack.LAYER:
            resource["Properties"]["CompatibleArchitectures"] = [stack.HERE]
    path = folder / "local.yaml"
    path.write_text(yaml.safe_dump(document, sort_keys=False, width=120))
    return path


def list_variables(resources: Mapping[str, str], url: str) -> dict[str, str]:
    """The variables of the functions: the emulation's, and the settings of this shell."""
    own = {variable.name: os.environ[variable.name] for variable in VARIABLES if os.environ.get(variable.name)}
    addresses = {name: value for name, value in os.environ.items() if name.endswith("_BASE_URL")}
    return {**own, **addresses, **resources, "AWS_ENDPOINT_URL": url, "AWS_REGION": "us-east-1"}


@contextmanager
def serve(template: Path, port: int, more: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """Run `sam local start-api` until the end of the block."""
    command = [str(stack.ROOT / ".tools/sam/bin/sam"), "local", "start-api", "--template", str(template)]
    command += ["--host", "127.0.0.1", "--port", str(port), "--warm-containers", "LAZY"]
    command += [
        "--config-file",
        str(stack.ROOT / "samconfig.toml"),
        "--parameter-overrides",
        f"ApiKeysParameter={RING}",
    ]
    environ = os.environ | FAKE | QUIET | {"AWS_ENDPOINT_URL_STS": "http://127.0.0.1:9"}
    process = subprocess.Popen([*command, *more], env=environ, cwd=stack.ROOT)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()


def wait_for_port(process: subprocess.Popen[bytes], port: int) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"sam local start-api ended with status {process.returncode}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise RuntimeError(f"sam local start-api did not listen on port {port} within {START_SECONDS} seconds")


def main() -> int:
    parser = argparse.ArgumentParser(description="Serve the built functions with sam local start-api.")
    parser.add_argument("--port", type=int, default=3000)
    parser.add_argument("--check", action="store_true", help="run the smoke checks and stop")
    parser.add_argument("sam", nargs="*", help="further options of sam local start-api, after --")
    options = parser.parse_args()
    os.environ |= FAKE
    key = f"assay_{secrets.token_urlsafe(24)}"
    with open_network() as gateway, engine(services="dynamodb,s3,ssm,sqs", host=gateway) as url:
        template = write_template(list_variables(create_resources(url, key), url))
        print(f"template: {template}\nkey for this run: {key}", flush=True)
        with serve(template, options.port, options.sam) as process:
            wait_for_port(process, options.port)
            if not options.check:
                return process.wait()
            smoke = Smoke(f"http://127.0.0.1:{options.port}", key, seconds=FIRST_SECONDS)
            try:
                return 1 if run_checks(smoke) else 0
            finally:
                smoke.close()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RuntimeError as failure:
        sys.exit(str(failure))
    except KeyboardInterrupt:
        sys.exit(130)
