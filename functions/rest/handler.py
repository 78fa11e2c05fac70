"""The addresses under /v1."""

from assay.doors import rest

handler = rest.handler()
