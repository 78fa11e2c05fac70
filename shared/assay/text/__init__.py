"""Functions from text to text: encodings, dates, URLs, markdown, word lists."""
