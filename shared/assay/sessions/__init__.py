"""Research sessions: steps, sources, gaps and outcomes, private to one user and kept while in use."""
