"""Watches: queries and pages that are looked at on a schedule, and what was found new."""
