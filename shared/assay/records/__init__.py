"""Public records: what registers keep, found and put in order."""
