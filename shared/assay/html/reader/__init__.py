"""The main content of a page: text blocks, their classification, and rendering as markdown or clean HTML."""
