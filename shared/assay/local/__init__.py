"""The laptop's world: rows in SQLite, bodies in files, both encrypted at rest."""

from assay.local.bucket import FileBucket
from assay.local.cipher import Cipher
from assay.local.queue import SqliteQueue
from assay.local.table import SqliteTable

__all__ = ["Cipher", "FileBucket", "SqliteQueue", "SqliteTable"]
