"""What a page says about itself: title, authors, dates, type and structured data."""
