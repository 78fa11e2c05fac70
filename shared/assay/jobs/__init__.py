"""Scheduled background jobs."""
