"""Assay: research tools for people and AI agents who must show their sources."""

__version__ = "0.1.0"
