"""Lambda function for the REST routes under /v1."""

from assay.entrypoints.http import rest
from assay.entrypoints.init_phase import prepare_tools

handler = rest.handler()
prepare_tools([route.tool for route in rest.ROUTES])
