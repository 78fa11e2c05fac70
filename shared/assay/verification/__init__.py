"""Collects evidence about citations, links, claims and recommendations; it reports findings and makes no judgement."""
