"""Eurostat, official European statistics."""

from assay.providers.eurostat.statistics import Eurostat

__all__ = ["Eurostat"]
