"""What can be found out about a source before it is relied on: evidence, never a verdict."""
