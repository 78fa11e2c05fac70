"""Watches: queries and pages that are checked on a schedule, and what was found new."""
