"""Research sessions: steps, sources, gaps and outcomes, private to one person, kept while they are used."""
