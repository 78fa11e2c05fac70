"""What a provider is: its base class, its registry, result lists, and parsers that several providers share."""
