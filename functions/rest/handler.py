"""The addresses under /v1."""

from assay.entrypoints.http import rest

handler = rest.handler()
