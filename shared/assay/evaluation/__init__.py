"""Evaluates sources: authority, reputation, source type, quality, and sentences relevant to a claim."""
