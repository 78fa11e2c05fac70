"""A model in Bedrock, as its SDK's own stub answers."""

import pytest
from botocore.stub import Stubber

from assay.aws.bedrock import Bedrock
from assay.errors import AuthRequired, ConfigError, Network, RateLimited, Refused, UpstreamFailed


@pytest.fixture
def client():
    import boto3

    return boto3.client(
        "bedrock-runtime", region_name="eu-central-1", aws_access_key_id="test", aws_secret_access_key="test"
    )


@pytest.fixture
def stub(client):
    with Stubber(client) as stub:
        yield stub
        stub.assert_no_pending_responses()


def bedrock_response(*texts, stop="end_turn"):
    return {
        "output": {"message": {"role": "assistant", "content": [{"text": text} for text in texts]}},
        "stopReason": stop,
        "usage": {"inputTokens": 11, "outputTokens": 7, "totalTokens": 18},
        "metrics": {"latencyMs": 5},
    }


async def say(client, turns=("question",)):
    model = Bedrock("eu.example.model-v1:0", client)
    try:
        return await model.complete("rules", turns, tokens=500, seconds=10)
    finally:
        await model.close()


async def test_it_is_asked_at_temperature_0_and_read(client, stub):
    stub.add_response(
        "converse",
        bedrock_response("{", "}"),
        {
            "modelId": "eu.example.model-v1:0",
            "system": [{"text": "rules"}],
            "messages": [
                {"role": "user", "content": [{"text": "one"}]},
                {"role": "assistant", "content": [{"text": "two"}]},
                {"role": "user", "content": [{"text": "three"}]},
            ],
            "inferenceConfig": {"temperature": 0, "maxTokens": 500},
        },
    )
    response = await say(client, ("one", "two", "three"))
    assert (response.text, response.input_tokens, response.output_tokens, response.cost, response.cut) == (
        "{}",
        11,
        7,
        None,
        False,
    )


async def test_an_answer_that_had_no_room_says_so(client, stub):
    stub.add_response("converse", bedrock_response("{", stop="max_tokens"))
    assert (await say(client)).cut is True


async def test_an_answer_without_text_is_an_outage(client, stub):
    stub.add_response("converse", bedrock_response())
    with pytest.raises(UpstreamFailed):
        await say(client)


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("AccessDeniedException", AuthRequired),
        ("ThrottlingException", RateLimited),
        ("ResourceNotFoundException", ConfigError),
        ("ValidationException", Refused),
        ("ModelTimeoutException", Network),
        ("ModelErrorException", UpstreamFailed),
    ],
)
async def test_its_refusals_are_reported_in_our_words(client, stub, code, error):
    stub.add_client_error("converse", code, "arn:aws:iam::123456789012:user/secret may not")
    with pytest.raises(error) as failure:
        await say(client)
    assert type(failure.value) is error
    assert "secret" not in failure.value.sentence()


def test_it_is_taken_where_no_address_is_named(tmp_path):
    from assay.bootstrap import bedrock
    from assay.settings import Settings

    assert bedrock(Settings.read({"LLM_MODEL": "m"})).name == "m"
    assert bedrock(Settings.read({"LLM_MODEL": "m", "LLM_BASE_URL": "http://127.0.0.1:1/v1"})) is None
    assert bedrock(Settings.read({})) is None
