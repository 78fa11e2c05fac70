"""Long-term memories of one person: notes with their provenance, found again by topic and words."""
