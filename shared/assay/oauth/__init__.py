"""OAuth 2.1: the rules of clients, codes, tokens and grants over the Table. Wire formats are in `entrypoints/http`."""
