"""Lambda function for the REST routes under /v1."""

from assay.entrypoints.http import rest

handler = rest.handler()
