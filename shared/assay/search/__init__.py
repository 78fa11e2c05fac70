"""Search: the router over providers, their order, fail-over, pagination and filters."""
