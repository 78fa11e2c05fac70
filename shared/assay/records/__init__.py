"""Public records: companies and filings, patents, clinical trials and statistics."""
