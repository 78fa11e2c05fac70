"""Every tool, endpoint, MCP method, resource, kind of job and namespace is in the test of isolation."""

import inspect

from tests.isolation import isolation_rows
from tests.support.belongings import Belongings

from assay.administration.admin_endpoints import ENDPOINTS
from assay.bootstrap import local_services
from assay.entrypoints.http import local_server, service_info
from assay.entrypoints.mcp.methods import METHODS
from assay.entrypoints.mcp.resources import RESOURCES
from assay.jobs import job_registry
from assay.settings import Settings
from assay.toolkit import tool_registry
from assay.work_queue import job_kinds

ADVICE = "say in tests/isolation/isolation_rows.py what somebody else could try with the names of a person's data"


def test_every_tool_has_a_row():
    rows = {*isolation_rows.TOOLS, *isolation_rows.WITHOUT_PERSONAL_DATA}
    assert rows == set(tool_registry.tool_names()), ADVICE


def test_every_tool_that_rests_on_stored_data_has_a_row_of_its_own():
    names = isolation_rows.find_samples()
    assert {name for name in isolation_rows.WITHOUT_PERSONAL_DATA if not isinstance(names[name], dict)} == set(), ADVICE


def test_every_endpoint_has_a_row(tmp_path):
    services = local_services(Settings.read({"ASSAY_HOME": str(tmp_path)}))
    app = service_info.with_routes(service_info.new_app(), lambda: services)
    found = set(isolation_rows.list_endpoints([*app.routes, *local_server.build_tool_routes(services)]))
    assert found == set(isolation_rows.ENDPOINTS), ADVICE


def test_every_endpoint_of_administration_has_a_row():
    found = {f"{endpoint.method} {endpoint.path}" for endpoint in ENDPOINTS}
    assert found == set(isolation_rows.ADMINISTRATION), ADVICE


def test_every_method_and_resource_of_mcp_has_a_row():
    assert set(METHODS) == set(isolation_rows.MCP_METHODS), ADVICE
    assert {each.card["name"] for each in RESOURCES} == set(isolation_rows.RESOURCES), ADVICE


def test_every_scheduled_job_is_tested():
    assert set(job_registry.NAMES) == isolation_rows.REPORTING_JOBS | isolation_rows.OTHER_JOBS, ADVICE


def test_every_kind_of_job_belongs_to_the_person_whose_names_are_tried():
    source = inspect.getsource(isolation_rows)
    for kind in job_kinds.MODULES:
        name = kind.replace("-", "_")
        assert name in Belongings.__annotations__
        assert f"ada.{name}" in source, ADVICE
