"""State: storage ports, the cache, rate limits, budgets, artifacts and the audit log."""
