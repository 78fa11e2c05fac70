"""Local storage: table and queue in SQLite, objects in files, all encrypted at rest; the audit trail."""
