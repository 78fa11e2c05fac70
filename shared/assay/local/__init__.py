"""Local storage: table and queue in SQLite, objects in files, all encrypted at rest."""

from assay.local.cipher import Cipher
from assay.local.file_bucket import FileBucket
from assay.local.sqlite_queue import SqliteQueue
from assay.local.sqlite_table import SqliteTable

__all__ = ["Cipher", "FileBucket", "SqliteQueue", "SqliteTable"]
