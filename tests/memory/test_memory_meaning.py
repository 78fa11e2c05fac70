"""Memories are found by meaning where an embedding model is configured, and by words while it fails."""

import hashlib
import io
import json

import boto3
import pytest
from botocore.response import StreamingBody
from botocore.stub import Stubber
from tests.support.upstream import Upstream

from assay.aws.bedrock_embeddings import BedrockEmbeddings
from assay.caller import Caller
from assay.errors import ToolError
from assay.own_stores import OwnStores
from assay.settings import Settings

SYNONYMS = {"automobile": "car", "vehicle": "car", "physician": "doctor", "surgeon": "doctor"}
DIMENSIONS = 96


def embed(text):
    """A vector in which words of one meaning point in one direction."""
    vector = [0.0] * DIMENSIONS
    for word in text.lower().replace(".", " ").split():
        seed = hashlib.sha256(SYNONYMS.get(word, word).encode()).digest() * 3
        vector = [value + (byte - 127.5) / 128 for value, byte in zip(vector, seed, strict=True)]
    return vector


def answer_embeddings(request):
    asked = request.json()
    rows = [{"index": at, "embedding": embed(text)} for at, text in enumerate(asked["input"])]
    return {"model": asked["model"], "data": rows[::-1]}


@pytest.fixture
async def endpoint():
    endpoint = await Upstream().start()
    endpoint.computes(answer_embeddings)
    yield endpoint
    await endpoint.close()


@pytest.fixture
def environ(environ, endpoint):
    return environ | {
        "MEMORY_ENABLED": "true",
        "ASSAY_CONSENT": "memory",
        "EMBEDDING_BASE_URL": endpoint.url + "/v1",
        "EMBEDDING_MODEL": "words-1",
        "EMBEDDING_API_KEY": "secret-key",
    }


@pytest.fixture
async def saved(ask):
    for note in ("The automobile needs petrol", "A physician treats fever", "Otters hold hands", "A car has wheels"):
        assert "notice" not in (await ask("memory_save", note=note)).wire


def list_notes(answer):
    return [entry["note"] for entry in answer["memories"]]


async def test_a_memory_is_found_by_another_word_of_the_same_meaning(ask, saved, endpoint):
    found = (await ask("memory_recall", query="surgeon")).wire
    assert found["memories"][0]["note"] == "A physician treats fever"
    assert found["memories"][0]["matchedBy"] == ["meaning"]
    assert found["memories"][0]["similarity"] > found["memories"][1]["similarity"]
    assert "notice" not in found
    both = (await ask("memory_recall", query="car", limit=2)).wire
    assert list_notes(both) == ["A car has wheels", "The automobile needs petrol"]  # words count, too
    assert [entry["matchedBy"] for entry in both["memories"]] == [["words", "meaning"], ["meaning"]]
    assert both["memories"][0]["score"] > both["memories"][1]["score"]
    assert both["total"] == 4
    rest = (await ask("memory_recall", query="car", limit=2, offset=2)).wire
    assert not set(list_notes(rest)) & set(list_notes(both))
    assert {request.headers["authorization"] for request in endpoint.requests} == {"Bearer secret-key"}
    assert {request.path for request in endpoint.requests} == {"/v1/embeddings"}


async def test_the_model_gets_the_topic_and_the_beginning_of_a_long_note(ask, endpoint):
    beginning = ("car petrol " * 400)[:4_000]
    for end in ("", " otters" * 1_000):
        await ask("memory_save", note=f"{beginning}x{end}", topic="Long")
    sent = [request.json()["input"] for request in endpoint.requests]
    assert sent == [[f"Long\n{beginning}"]] * 2
    found = (await ask("memory_recall", query="automobile")).wire["memories"]
    assert found[0]["similarity"] == found[1]["similarity"]  # the same text has the same vector
    [first] = (await ask("memory_recall", query="otters", limit=1)).wire["memories"]
    assert (first["note"].endswith("otters"), "words" in first["matchedBy"]) == (True, True)


async def test_pages_of_a_search_by_meaning_are_complete_however_deep(ask, endpoint):
    notes = [f"Car number {number}" for number in range(75)]
    for note in notes:
        await ask("memory_save", note=note)
    whole = list_notes((await ask("memory_recall", query="car", limit=100)).wire)
    assert sorted(whole) == sorted(notes)
    read, offset = [], 0
    while offset is not None:
        page = (await ask("memory_recall", query="car", limit=10, offset=offset)).wire
        read, offset = read + list_notes(page), page.get("nextOffset")
    assert read == whole


async def test_a_topic_limits_the_search_by_meaning(ask, saved):
    await ask("memory_save", note="A surgeon operates", topic="Medicine")
    assert list_notes((await ask("memory_recall", query="doctor", topic="medicine")).wire) == ["A surgeon operates"]


async def test_an_endpoint_that_fails_loses_no_memory_and_later_searches_add_its_meaning(ask, endpoint):
    endpoint.says({"error": {"message": "<b>overloaded</b>"}}, 500)
    kept = (await ask("memory_save", note="A physician treats fever")).wire
    assert kept["status"] == "ok"
    assert "later search adds its meaning" in kept["notice"]
    assert "overloaded" not in kept["notice"]
    by_words = (await ask("memory_recall", query="fever")).wire
    assert by_words["memories"][0]["matchedBy"] == ["words"]
    assert "Only words were searched" in by_words["notice"]
    endpoint.computes(answer_embeddings)
    first = (await ask("memory_recall", query="surgeon")).wire
    assert (first["memories"], first["notice"].partition(" ")[0]) == ([], "1")
    second = (await ask("memory_recall", query="surgeon")).wire
    assert list_notes(second) == ["A physician treats fever"]
    assert "notice" not in second


async def test_a_memory_that_the_model_refuses_keeps_no_other_from_its_vector(ask, endpoint):
    def answer_short_texts(request):
        is_refused = any("physician" in text for text in request.json()["input"])
        return ({"error": {"message": "too long"}}, 413) if is_refused else answer_embeddings(request)

    endpoint.says({}, 500)
    for note in ("A car has wheels", "A physician treats fever", "Otters hold hands", "A surgeon operates"):
        await ask("memory_save", note=note)
    endpoint.computes(answer_short_texts)
    first = (await ask("memory_recall", query="doctor")).wire
    assert first["notice"].startswith("4 memories were searched by words only")
    second = (await ask("memory_recall", query="doctor")).wire
    assert list_notes(second)[0] == "A surgeon operates"
    assert second["notice"].startswith("1 memories were searched by words only")
    alone = (await ask("memory_save", note="A physician sleeps")).wire
    assert "embedding model failed" in alone["notice"]


@pytest.mark.parametrize(
    "data",
    [
        [],
        [{"embedding": []}],
        [{"embedding": [0.0, 0.0]}],
        [{"embedding": ["x"]}],
        "x",
        [{"embedding": [10**400, 1]}],
        [{"embedding": [10**300, 1.0]}],
        [{"embedding": [1e308, 1e308]}],
        [{"embedding": [1.0, 1e200]}],
    ],
)
async def test_an_answer_without_a_usable_vector_is_a_failure(ask, endpoint, data):
    endpoint.says({"data": data})
    assert "embedding model failed" in (await ask("memory_save", note="Otters")).wire["notice"]
    assert list_notes((await ask("memory_recall", query="otters")).wire) == ["Otters"]


async def test_another_model_embeds_again_instead_of_comparing(ask, saved, services, environ, endpoint):
    services.settings = Settings.read(environ | {"EMBEDDING_MODEL": "words-2"})
    first = (await ask("memory_recall", query="surgeon")).wire
    assert (first["memories"], first["notice"].partition(" ")[0]) == ([], "4")
    assert (await ask("memory_recall", query="surgeon")).wire["memories"][0]["note"] == "A physician treats fever"
    assert endpoint.requests[-1].json()["model"] == "words-2"


async def test_an_edit_is_found_by_its_new_meaning_and_a_deletion_by_none(ask, saved, services):
    [otters] = (await ask("memory_recall", query="otters", limit=1)).wire["memories"]
    await ask("memory_save", id=otters["id"], note="A surgeon operates")
    found = (await ask("memory_recall", query="doctor", limit=2)).wire
    assert set(list_notes(found)) == {"A surgeon operates", "A physician treats fever"}
    await ask("memory_forget", everything=True, dryRun=False)
    assert (await ask("memory_recall", query="doctor")).wire["total"] == 0
    memories = OwnStores(services, Caller()).memories
    assert (await services.table.query(memories._key)).items == []


async def test_deleting_without_the_model_deletes_the_vectors_too(ask, saved, services, environ):
    services.settings = Settings.read(environ | {"EMBEDDING_BASE_URL": "", "EMBEDDING_MODEL": ""})
    ids = [entry["id"] for entry in (await ask("memory_recall")).wire["memories"]]
    assert (await ask("memory_forget", ids=ids, dryRun=False)).wire["count"] == 4
    assert (await services.table.query(OwnStores(services, Caller()).memories._key)).items == []


async def test_nothing_is_sent_without_consent(ask, endpoint):
    stranger = Caller("acme", "ada")
    for tool, arguments in (("memory_save", {"note": "Secret"}), ("memory_recall", {"query": "secret"})):
        assert (await ask(tool, stranger, **arguments)).wire["status"] == "no_consent"
    assert endpoint.requests == []


async def test_a_vector_is_no_part_of_answers_and_exports(ask, saved):
    exported = (await ask("memory_export", format="json")).wire
    assert not {"vector", "model"} & exported["document"][0].keys()


async def test_an_endpoint_without_a_model_is_a_wrong_configuration(ask, services, environ):
    services.settings = Settings.read(environ | {"EMBEDDING_MODEL": ""})
    assert (await ask("memory_recall", query="x")).error.field == "EMBEDDING_MODEL"


@pytest.fixture
def bedrock():
    """`bedrock(model, answers)`: the model, which answers so, and the bodies that it was sent."""
    client = boto3.client(
        "bedrock-runtime", region_name="eu-central-1", aws_access_key_id="test", aws_secret_access_key="test"
    )
    sent = []
    client.meta.events.register("before-parameter-build", lambda params, **_: sent.append(json.loads(params["body"])))
    with Stubber(client) as stub:

        def create(model, *answers):
            for each in answers:
                if isinstance(each, str):
                    stub.add_client_error("invoke_model", each)
                else:
                    body = json.dumps(each).encode()
                    answer = {"body": StreamingBody(io.BytesIO(body), len(body)), "contentType": "application/json"}
                    stub.add_response("invoke_model", answer)
            return BedrockEmbeddings(model, client), sent

        yield create


async def test_titan_and_cohere_embed_on_bedrock(bedrock):
    titan, sent = bedrock("amazon.titan-embed-text-v2:0", {"embedding": [1, 2]})
    assert await titan.embed(["otters"], seconds=5) == [[1, 2]]
    assert sent == [{"inputText": "otters"}]
    cohere, sent = bedrock(
        "cohere.embed-multilingual-v3", {"embeddings": [[1, 2], [3, 4]]}, {"embeddings": {"float": [[1]]}}
    )
    assert await cohere.embed(["otters", "tea"], seconds=5) == [[1, 2], [3, 4]]
    assert sent[-1]["input_type"] == "search_document"
    assert await cohere.embed(["otters"], seconds=5, is_query=True) == [[1]]
    assert sent[-1]["input_type"] == "search_query"


async def test_a_refusal_of_bedrock_names_the_setting(bedrock):
    model, _ = bedrock("amazon.titan-embed-text-v2:0", "AccessDeniedException", {"embedding": None})
    with pytest.raises(ToolError, match="EMBEDDING_MODEL"):
        await model.embed(["otters"], seconds=5)
    with pytest.raises(ToolError, match="vector"):
        await model.embed(["otters"], seconds=5)
