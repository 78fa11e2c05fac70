"""`detail: brief` leaves out the long optional fields of results, and nothing else."""

import json

import pytest
from tests.support import sample_calls
from tests.support.sample_calls import SampleServices, arguments_of

from assay.net.provider_client import ProviderClient
from assay.toolkit import tool_registry

LISTS = {  # the lists of each tool that has brief answers, and the fields that they leave out
    "academic_search": (("papers",), {"abstract", "tldr", "factSources"}),
    "audit_document": (("references",), {"fields", "versions", "printed", "citedIn"}),
    "audit_bibliography": (("entries",), {"fields", "versions"}),
    "citation_graph": (("citedBy", "references"), {"abstract", "tldr", "factSources"}),
    "patent_search": (("patents",), {"abstract"}),
    "structured_search": (("results",), {"highlights", "entities"}),
    "verify_recommendation": (("recommendations",), {"topResults"}),
}


@pytest.fixture
def environ(environ, site):
    return environ | sample_calls.environ(site.url)


@pytest.fixture
def samples(services, site, fake_hosts):
    services.http = ProviderClient(services.settings, pause=0)
    samples = SampleServices(services, site, fake_hosts)
    samples.says_much()
    return samples


def test_these_are_the_tools_with_brief_answers():
    names = tool_registry.tool_names()
    assert {name for name in names if "detail" in tool_registry.find_tool(name).input_schema["properties"]} == {*LISTS}


def leave_out(value, names):
    if isinstance(value, dict):
        return {field: leave_out(inner, names) for field, inner in value.items() if field not in names}
    return [leave_out(each, names) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", LISTS)
async def test_a_brief_answer_lacks_the_long_fields_alone(name, samples, ask):
    arguments = await arguments_of(name, samples, ask)
    full, brief = [(await ask(name, **arguments, detail=detail)).wire for detail in ("full", "brief")]
    lists, left_out = LISTS[name]
    for place in lists:
        assert brief[place] == leave_out(full[place], left_out)
        assert full[place]
    rest = full.keys() - {*lists, "checkedAt", "auditId", "expiresAt"}
    assert {field: brief[field] for field in rest} == {field: full[field] for field in rest}
    if name not in ("audit_bibliography", "citation_graph"):  # whose upstreams here have nothing long
        assert len(json.dumps(brief)) < len(json.dumps(full))
