"""The upstream providers: one module each, discovered by name."""
