"""Blocking versions of `Assay` and `Client`: `from assay.sync import Assay`."""

from assay.api.waiting import Assay, Client

__all__ = ["Assay", "Client"]
