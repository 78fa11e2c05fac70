"""Tool calls that workers make, while their callers come back for the answer."""
