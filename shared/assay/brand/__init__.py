"""What a company's own pages say of its brand: read, never guessed."""
