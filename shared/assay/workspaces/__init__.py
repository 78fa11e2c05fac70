"""Workspaces: findings that the members of a team share, also across tenants."""
