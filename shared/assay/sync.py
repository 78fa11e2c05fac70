"""`from assay.sync import Assay`: the tools without await."""

from assay.api.waiting import Assay, Client

__all__ = ["Assay", "Client"]
