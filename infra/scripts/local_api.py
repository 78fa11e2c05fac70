"""Serve the built functions with `sam local start-api`, on a table, bucket, queue and parameters in an AWS emulation.

    make local        # http://127.0.0.1:3000, until Ctrl-C
    make test-local   # start, make the checks of smoke.py and local_checks.py, stop

It needs Docker or Podman: one that runs (`DOCKER_HOST=unix:///run/podman/podman.sock`), or an installed Podman, which
it starts. The functions are built for this machine's architecture and run in AWS's own image of the runtime, or in a
look-alike where no registry can be reached. Further settings, such as SEARXNG_URL or BRAVE_API_KEY, are taken from this
shell. `sam local invoke NAME -e infra/events/….json` works with the template that it prints.
"""

import argparse
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from ipaddress import ip_network
from pathlib import Path

import boto3
import httpx
import yaml

sys.path.insert(0, str(Path(__file__).parents[2]))

from infra.scripts import stack
from infra.scripts.container_engine import open_engine
from infra.scripts.lambda_image import IMAGE, provide_image
from infra.scripts.local_checks import LocalChecks, build_invoker, serve_web
from infra.scripts.smoke import run_checks
from tests.support.local_dynamodb import engine as emulate_aws

from assay.settings.variables import VARIABLES

FAKE = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": "us-east-1"}
# SAM asks STS for the account; without these it would wait for an answer.
QUIET = {"SAM_CLI_TELEMETRY": "0", "AWS_EC2_METADATA_DISABLED": "true", "AWS_MAX_ATTEMPTS": "1"}
RING = "/assay/keys"
# The network of the checks. On Lambda no setting lets tools read private addresses, so that the pages of this machine
# need a public one, which leads here in this network alone.
NETWORK, PUBLIC = "assay-checks", ip_network("93.184.215.0/24")
START_SECONDS, FIRST_SECONDS = 120, 300.0  # to start the API; for the first call, which builds an image of the layers


@contextmanager
def create_network(engine: httpx.Client) -> Iterator[str]:
    """Create a network of containers with public addresses until the end of the block; yield its name."""
    address = {"Subnet": str(PUBLIC), "Gateway": str(PUBLIC[1])}
    engine.delete(f"/networks/{NETWORK}")  # of a run that was killed
    engine.post("/networks/create", json={"Name": NETWORK, "IPAM": {"Config": [address]}}).raise_for_status()
    try:
        yield NETWORK
    finally:
        engine.delete(f"/networks/{NETWORK}")


def find_network(engine: httpx.Client) -> str:
    """The network that containers join if they name none."""
    names = {str(each["Name"]) for each in engine.get("/networks").raise_for_status().json()}
    return next(name for name in ("bridge", "podman") if name in names)


@contextmanager
def join_network(engine: httpx.Client, name: str) -> Iterator[str]:
    """Yield the address of this machine in the network.

    Podman gives the machine that address only while a container runs, so one that sleeps runs meanwhile.
    """
    network = engine.get(f"/networks/{name}").raise_for_status().json()
    gateway = str(network["IPAM"]["Config"][0]["Gateway"])
    if can_listen(gateway):
        yield gateway
        return
    sleeper = {"Image": IMAGE, "Entrypoint": ["sleep", "infinity"], "HostConfig": {"NetworkMode": name}}
    container = engine.post("/containers/create", json=sleeper).raise_for_status().json()["Id"]
    try:
        engine.post(f"/containers/{container}/start").raise_for_status()
        yield gateway
    finally:
        engine.delete(f"/containers/{container}", params={"force": "true"})


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
    command = [*build_command("start-api", template), "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen([*command, "--warm-containers", "LAZY", *more], env=build_environ(), cwd=stack.ROOT)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()


def build_command(name: str, template: Path, *arguments: str) -> list[str]:
    command = [
        str(stack.ROOT / ".tools/sam/bin/sam"),
        "local",
        name,
        *arguments,
        "--template",
        str(template),
        "--skip-pull-image",
    ]
    config = str(stack.ROOT / "samconfig.toml")
    return [*command, "--config-file", config, "--parameter-overrides", f"ApiKeysParameter={RING}"]


def build_environ() -> dict[str, str]:
    return os.environ | FAKE | QUIET | {"AWS_ENDPOINT_URL_STS": "http://127.0.0.1:9"}


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
    with open_engine() as engine:
        print(f"the functions run in {provide_image(engine)}", flush=True)
        with ExitStack() as ends:
            name = ends.enter_context(create_network(engine)) if options.check else find_network(engine)
            gateway = ends.enter_context(join_network(engine, name))
            url = ends.enter_context(emulate_aws(services="dynamodb,s3,ssm,sqs", host=gateway))
            options.sam += ["--docker-network", name]
            return run(gateway, url, options)


def run(gateway: str, url: str, options: argparse.Namespace) -> int:
    """Serve the API at `options.port` with the emulation at `url`; return the exit status."""
    key = f"assay_{secrets.token_urlsafe(24)}"
    resources = create_resources(url, key)
    with ExitStack() as ends:
        variables = list_variables(resources, url)
        if options.check:
            web = ends.enter_context(serve_web(gateway))
            variables |= {"SEARXNG_URL": f"{web}/searxng"}
        template = write_template(variables)
        print(f"template: {template}\nkey for this run: {key}", flush=True)
        process = ends.enter_context(serve(template, options.port, options.sam))
        wait_for_port(process, options.port)
        if not options.check:
            return process.wait()
        os.environ["AWS_ENDPOINT_URL_SQS"] = url
        folder = Path(ends.enter_context(tempfile.TemporaryDirectory()))
        invoke = build_invoker(
            lambda name: [*build_command("invoke", template, name), *options.sam], build_environ(), folder
        )
        address, queue = f"http://127.0.0.1:{options.port}", resources["ASSAY_QUEUE"]
        checks = LocalChecks(address, key, web=web, queue=queue, invoke=invoke, seconds=FIRST_SECONDS)
        ends.callback(checks.close)
        return 1 if run_checks(checks) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RuntimeError as failure:
        sys.exit(str(failure))
    except KeyboardInterrupt:
        sys.exit(130)
