"""Reads a company's brand from its own pages: names, colours, typefaces, logos, profiles."""
