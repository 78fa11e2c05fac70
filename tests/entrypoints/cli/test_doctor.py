"""What the doctor says of providers: who can be asked, who answers, what it costs."""

import json

import pytest
from tests.support.inference_models import write_model

from assay.entrypoints.cli.doctor import run_checks
from assay.settings import Settings


@pytest.fixture
def world(environ, site):
    """Settings with two providers of ours; the others that need no key lead nowhere."""
    site.says("/searxng/search", json.dumps({"results": []}), kind="application/json")
    site.says("/exa/search", json.dumps({"results": [], "costDollars": {"total": 0.007}}), kind="application/json")
    elsewhere = {f"{name}_BASE_URL": f"{site.url}/none" for name in KEYLESS}

    def settings(**more):
        return Settings.read(environ | elsewhere | {"EXA_API_KEY": "k", "EXA_BASE_URL": f"{site.url}/exa"} | more)

    return settings


KEYLESS = (
    "DUCKDUCKGO", "HACKERNEWS", "REDDIT", "BLUESKY", "GITHUB", "CROSSREF", "OPENALEX", "WAYBACK", "MEDIAWIKI"
)  # fmt: skip


async def by_name(settings, **more):
    return {finding.what: finding for finding in await run_checks(settings, **more)}


async def test_prices_and_budgets_are_reported_and_nobody_is_asked(world, site):
    findings = await by_name(world(ASSAY_DAILY_BUDGET_USD="2.5"))
    exa = findings["provider exa"]
    assert exa.state == "works"
    assert exa.detail.startswith("configured; about $7.00 for 1000 requests (answer $5.00")
    assert "no charge" in findings["provider searxng"].detail
    assert findings["provider tavily"].detail == "set TAVILY_API_KEY to use it; about $8.00 for 1000 requests"
    assert findings["budget"].detail == (
        "a tenant may spend $2.50 a day; no limit for a call (ASSAY_MAX_CALL_COST_USD)"
    )
    assert site.requests == []


async def test_reach_asks_each_configured_provider_one_question(world, site):
    findings = await by_name(world(), reach=True)
    assert "answered in" in findings["provider exa"].detail
    assert "answered in" in findings["provider searxng"].detail
    assert findings["provider brave"].state == "missing"
    assert findings["provider hackernews"].state == "broken"
    assert "does not answer" in findings["provider hackernews"].detail
    requests = [one for one in site.requests if one.path.startswith("/exa")]
    assert len(requests) == 1
    assert json.loads(requests[0].body)["numResults"] == 1


async def test_reach_spends_from_the_same_budget(world, site):
    findings = await by_name(world(ASSAY_DAILY_BUDGET_USD="0"), reach=True)
    assert "budget" in findings["provider exa"].detail
    assert not [one for one in site.requests if one.path.startswith("/exa")]


@pytest.mark.parametrize(
    ("environ_more", "state", "said"),
    [
        ({}, "missing", "LLM_BASE_URL and LLM_MODEL"),
        ({"LLM_BASE_URL": "http://user:secret@127.0.0.1:1/v1"}, "broken", "LLM_MODEL is not"),
        ({"LLM_BASE_URL": "http://user:secret@127.0.0.1:1/v1", "LLM_MODEL": "m"}, "works", "m at LLM_BASE_URL"),
        ({"LLM_MODEL": "m"}, "works", "m in Bedrock"),
        ({"LLM_MODEL": "m", "ASSAY_DAILY_BUDGET_USD": "1"}, "broken", "LLM_INPUT_USD_PER_MILLION"),
    ],
)
async def test_the_model_of_extraction_is_reported(world, environ_more, state, said):
    finding = (await by_name(world(**environ_more)))["model"]
    assert finding.state == state
    assert said in finding.detail
    assert "secret" not in finding.detail


async def test_the_model_that_compares_claims_is_tried_on_this_machine_and_not_at_an_endpoint(world, tmp_path, site):
    model = write_model(tmp_path / "bag")
    told = []
    for settings in (
        {},
        {"NLI_BASE_URL": f"{site.url}/nli"},
        {"NLI_MODEL_PATH": str(model)},
        {"NLI_MODEL_PATH": str(model), "NLI_DEVELOPMENT_TRIALS": "0/755"},
        {"NLI_MODEL_PATH": str(tmp_path)},
    ):
        finding = (await by_name(world(**settings)))["inference"]
        told.append((finding.state, finding.detail))
    assert [state for state, _ in told] == ["missing", "works", "works", "works", "broken"]
    for (_, detail), said in zip(
        told, ("NLI_MODEL_PATH", "endpoint", "not measured", "0 errors in 755", "no model.onnx"), strict=True
    ):
        assert said in detail
    assert site.requests == []
