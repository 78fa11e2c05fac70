"""`detail: brief` leaves out the long optional fields of results, and nothing else."""

import json

import pytest
from tests.support import sample_calls
from tests.support.sample_calls import SampleServices, arguments_of

from assay.net.provider_client import ProviderClient
from assay.toolkit import tool_registry

LISTS = {  # the lists of each tool that has brief answers, and the fields that they leave out
    "academic_search": (("papers",), {"abstract", "tldr", "factSources"}),
    "audit_bibliography": (("entries",), {"fields", "versions"}),
    "citation_graph": (("citedBy", "references"), {"abstract", "tldr", "factSources"}),
    "patent_search": (("patents",), {"abstract"}),
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


@pytest.mark.parametrize("name", LISTS)
async def test_a_brief_answer_lacks_the_long_fields_alone(name, samples, ask):
    arguments = await arguments_of(name, samples, ask)
    full, brief = [(await ask(name, **arguments, detail=detail)).wire for detail in ("full", "brief")]
    lists, left_out = LISTS[name]
    for place in lists:
        assert brief[place] == [
            {field: value for field, value in each.items() if field not in left_out} for each in full[place]
        ]
        assert full[place]
    rest = full.keys() - {*lists, "checkedAt"}
    assert {field: brief[field] for field in rest} == {field: full[field] for field in rest}
    if name in ("academic_search", "patent_search"):  # whose upstreams here have abstracts
        assert len(json.dumps(brief)) < len(json.dumps(full))
