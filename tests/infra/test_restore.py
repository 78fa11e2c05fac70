"""A stack goes on with a table restored from a backup: what people stored, and whom it lets in."""

import time
import uuid

import pytest
from infra.scripts import restore, stack
from tests.support.table_factories import FAKE, cipher, client, light_client

from assay.aws.dynamodb_table import DynamoTable
from assay.caller import Caller
from assay.context import Context
from assay.invoke import invoke
from assay.local.file_bucket import FileBucket
from assay.own_stores import OwnStores
from assay.services import Services
from assay.settings import Settings
from assay.state.key_store import build_key, check_key, revoke_key, save_key

ADA = Caller(tenant="acme", user="ada")
STEP = {"searchStep": "Otters", "stepNumber": 1, "totalStepsEstimate": 1, "nextStepNeeded": False}


@pytest.fixture
def dynamodb(engine_url, monkeypatch):
    """A client of the engine, which the script finds as it finds AWS."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", engine_url)
    for name, value in FAKE.items():
        monkeypatch.setenv("AWS_DEFAULT_REGION" if name == "region_name" else name.upper(), value)
    with_engine = client(engine_url)
    yield with_engine
    with_engine.close()


@pytest.fixture
def name(dynamodb):
    """The table of the template."""
    properties = stack.template()["Resources"]["Table"]["Properties"]
    name = f"assay-{uuid.uuid4().hex}"
    own = ("BillingMode", "AttributeDefinitions", "KeySchema")
    dynamodb.create_table(TableName=name, **{key: properties[key] for key in own})
    expiry = properties["TimeToLiveSpecification"]
    dynamodb.update_time_to_live(TableName=name, TimeToLiveSpecification=expiry)
    recovery = properties["PointInTimeRecoverySpecification"]
    dynamodb.update_continuous_backups(TableName=name, PointInTimeRecoverySpecification=recovery)
    return name


@pytest.fixture
def deploy(engine_url, tmp_path):
    """`deploy(name)`: the services of a stack with that table."""

    def build(name):
        settings = Settings.read({"ASSAY_HOME": str(tmp_path), "MEMORY_ENABLED": "true"})
        bucket = FileBucket(tmp_path / "bucket", cipher(), clock=time.time)
        return Services(settings, DynamoTable(name, light_client("dynamodb", engine_url)), bucket)

    return build


async def call(services, tool, arguments):
    reply = await invoke(tool, arguments, Context(services, ADA, "https", str(uuid.uuid4()), None))
    if reply.error is not None:
        raise reply.error
    return reply.body()


async def store(services):
    """Store a session, consent, a memory and a key; the session's id and the key's secret and id."""
    session = (await call(services, "sequential_search", STEP))["sessionId"]
    await OwnStores(services, ADA).consents.decide("memory", granted=True, decided_from="test")
    await call(services, "memory_save", {"note": "Otters hold hands while they sleep.", "topic": "otters"})
    secret, key = build_key("ada", time.time())
    await save_key(services.table, key)
    return session, secret, key.id


async def check_stored(services, session, secret):
    found = await call(services, "get_research_session", {"sessionId": session})
    assert found["sessionId"] == session
    memories = await call(services, "memory_recall", {"topic": "otters"})
    assert "hold hands" in str(memories)
    assert (await check_key(services.table, secret, time.time())).name == "ada"


@pytest.mark.parametrize("is_from_backup", [True, False])
async def test_a_restored_table_has_sessions_memories_and_keys_and_is_backed_up_itself(
    is_from_backup, dynamodb, name, deploy, capsys
):
    services = deploy(name)
    session, secret, identifier = await store(services)
    target, source = f"{name}-restored", []
    if is_from_backup:
        backup = dynamodb.create_backup(TableName=name, BackupName="before")["BackupDetails"]["BackupArn"]
        assert restore.main([name, "--list"]) == 0
        assert backup in capsys.readouterr().out
        await call(services, "memory_forget", {"everything": True})
        await revoke_key(services.table, identifier)
        assert await check_key(services.table, secret, time.time()) is None
        source = ["--backup", backup]
    assert restore.main([name, target, *source]) == 0
    assert f"ExistingTable={target}" in capsys.readouterr().out
    restored = deploy(target)
    await check_stored(restored, session, secret)
    expiry = dynamodb.describe_time_to_live(TableName=target)["TimeToLiveDescription"]
    assert (expiry["TimeToLiveStatus"], expiry["AttributeName"]) == ("ENABLED", restore.EXPIRY)
    backups = dynamodb.describe_continuous_backups(TableName=target)["ContinuousBackupsDescription"]
    assert backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "ENABLED"
    await call(restored, "memory_save", {"note": "Written to the restored table."})
    for each in (services, restored):
        await each.close()


def test_a_restored_table_takes_the_place_of_the_own_one_everywhere():
    template = stack.template()
    chosen = {"Fn::If": ["HasExistingTable", {"Ref": "ExistingTable"}, {"Ref": "Table"}]}
    assert template["Globals"]["Function"]["Environment"]["Variables"]["ASSAY_TABLE"] == chosen
    assert template["Outputs"]["TableName"]["Value"] == chosen
    resources = template["Resources"]
    assert resources["TableThrottlesAlarm"]["Properties"]["Dimensions"] == [{"Name": "TableName", "Value": chosen}]
    text = str({name: each for name, each in resources.items() if each["Type"] == "AWS::IAM::Role"})
    assert text.count("'Fn::GetAtt': ['Table', 'Arn']") == text.count("table/${ExistingTable}") > 10
    expiry = resources["Table"]["Properties"]["TimeToLiveSpecification"]["AttributeName"]
    assert expiry == restore.EXPIRY
