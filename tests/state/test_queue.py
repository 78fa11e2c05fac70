"""What a Queue owes us, whoever keeps it: SQLite, SQS as moto plays it, and an engine that speaks SQS."""

import asyncio
import json
import uuid
from contextlib import closing

import boto3
import pytest
from tests.support.table_factories import FAKE, light_client

from assay.aws.sqs_queue import SqsQueue
from assay.errors import ConfigError, ToolError
from assay.local.cipher import Cipher
from assay.local.sqlite_queue import SqliteQueue

RECEIVES = 3


def in_sqs(client, used=None):
    """A new queue whose messages are dead after RECEIVES deliveries."""
    name = uuid.uuid4().hex
    dead = client.create_queue(QueueName=f"{name}-dead")["QueueUrl"]
    arn = client.get_queue_attributes(QueueUrl=dead, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    policy = json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": RECEIVES})
    return SqsQueue(
        client.create_queue(QueueName=name, Attributes={"RedrivePolicy": policy})["QueueUrl"], used or client
    )


@pytest.fixture(scope="module")
def sqs(engine_url):
    with closing(boto3.client("sqs", endpoint_url=engine_url, **FAKE)) as client:
        yield client


def kept_in_sqlite(request):
    path = request.getfixturevalue("tmp_path") / "home" / "queue.sqlite3"
    return SqliteQueue(path, request.getfixturevalue("cipher"), receives=RECEIVES)


def kept_in_moto(request):
    request.getfixturevalue("moto")
    return in_sqs(boto3.client("sqs", **FAKE))


def kept_in_engine(request):
    return in_sqs(request.getfixturevalue("sqs"))


def kept_in_engine_without_boto3(request):
    return in_sqs(request.getfixturevalue("sqs"), light_client("sqs", request.getfixturevalue("engine_url")))


@pytest.fixture(params=[kept_in_sqlite, kept_in_moto, kept_in_engine, kept_in_engine_without_boto3])
async def queue(request):
    queue = request.param(request)
    yield queue
    await queue.close()


# moto looks whether a message is visible and hides it in two steps, so two threads may both receive it:
# what many do at once is asked of the queues that are honest about it.
@pytest.fixture(params=[kept_in_sqlite, kept_in_engine, kept_in_engine_without_boto3])
async def honest_queue(request):
    queue = request.param(request)
    yield queue
    await queue.close()


async def one(queue, **more):
    [message] = await queue.receive(visible=60, wait=5, **more)
    return message


async def test_what_is_sent_is_received_and_then_hidden(queue):
    await queue.send('{"crawl": "ä 🦦"}')
    message = await one(queue)
    assert (message.body, message.receives) == ('{"crawl": "ä 🦦"}', 1)
    assert await queue.receive(visible=60) == []


async def test_what_is_deleted_never_comes_again(queue):
    await queue.send("a")
    message = await one(queue)
    await queue.delete(message.receipt)
    await queue.extend(message.receipt, 0)  # a receipt that is past changes nothing
    await queue.delete(message.receipt)
    assert await queue.receive(visible=60) == []


async def test_what_is_not_deleted_comes_again_and_counts(queue):
    await queue.send("a")
    [first] = await queue.receive(visible=1, wait=5)
    again = await one(queue)
    assert (again.body, again.receives) == ("a", 2)
    assert again.receipt != first.receipt


async def test_what_is_given_back_comes_at_once_and_what_is_extended_later(queue):
    await queue.send("a")
    [message] = await queue.receive(visible=1, wait=5)
    await queue.extend(message.receipt, 60)
    assert await queue.receive(visible=60, wait=2) == []
    await queue.extend(message.receipt, 0)
    assert (await one(queue)).receives == 2


async def test_what_is_delayed_stays_hidden_at_first(queue):
    await queue.send("later", delay=2)
    assert await queue.receive(visible=60) == []
    assert (await one(queue)).body == "later"


async def test_several_come_at_a_time_each_once(queue):
    for number in range(12):
        await queue.send(str(number))
    bodies = []
    while results := await queue.receive(visible=60, most=10):
        assert len(results) <= 10
        bodies += [message.body for message in results]
    assert sorted(bodies, key=int) == [str(number) for number in range(12)]


async def test_two_receivers_never_hold_the_same_message(honest_queue):
    for number in range(10):
        await honest_queue.send(str(number))
    results = await asyncio.gather(*(honest_queue.receive(visible=60, most=2) for _ in range(10)))
    bodies = [message.body for each in results for message in each]
    assert sorted(bodies, key=int) == [str(number) for number in range(10)]


async def test_what_is_delivered_too_often_is_a_dead_letter(queue):
    await queue.send("poison")
    await queue.send("sound")
    for _ in range(30):
        messages = await queue.receive(visible=60, most=10)
        for message in messages:
            if message.body == "sound":
                await queue.delete(message.receipt)
            else:
                await queue.extend(message.receipt, 0)
        if await queue.dead():
            break
    [dead] = await queue.dead()
    assert dead.body == "poison"
    assert await queue.receive(visible=60) == []
    await queue.delete_dead(dead.receipt)
    assert await queue.dead() == []


async def test_a_receiver_that_waits_hears_of_what_is_sent_meanwhile(queue):
    waiting = asyncio.ensure_future(queue.receive(visible=60, wait=10))
    await asyncio.sleep(0.1)
    await queue.send("news")
    [message] = await waiting
    assert message.body == "news"


async def test_messages_outlive_their_process_and_are_not_readable_on_disk(tmp_path, cipher):
    path = tmp_path / "queue.sqlite3"
    first = SqliteQueue(path, cipher)
    await first.send("the secret word")
    await first.close()
    assert not any(b"secret" in file.read_bytes() for file in tmp_path.iterdir())
    assert path.stat().st_mode & 0o077 == 0
    stranger = SqliteQueue(path, Cipher(bytes(32)))
    with pytest.raises(ConfigError):
        await stranger.receive(visible=0)
    await stranger.close()
    second = SqliteQueue(path, cipher)
    assert (await one(second)).body == "the secret word"
    await second.close()


async def test_a_queue_that_is_not_there_is_reported(moto):
    queue = SqsQueue("https://sqs.us-east-1.amazonaws.com/123456789012/nothing", boto3.client("sqs", **FAKE))
    for step in (queue.send("a"), queue.receive(visible=1), queue.delete("x"), queue.extend("x", 5), queue.dead()):
        with pytest.raises(ToolError):
            await step
    await queue.close()
