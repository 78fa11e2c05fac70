"""The registry of everything that is stored about a person, its export and its erasure."""
