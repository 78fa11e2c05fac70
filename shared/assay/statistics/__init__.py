"""What operators and callers see of the service: calls by tool, recent errors, limits and the health of providers."""
