"""The provider base class, the provider registry, result lists, and parsers that several providers share."""
