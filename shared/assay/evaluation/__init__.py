"""Evaluation of sources: authority, reputation, source type, quality, and which sentences bear on a claim."""
