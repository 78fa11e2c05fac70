"""Crawls: jobs that walk a site page by page, politely, in turns that any worker may take and may die in."""
