"""Documents: bytes in, clean markdown with metadata out, whatever the bytes are up to."""

from assay.documents.dispatch import read
from assay.documents.document import FILES, READABLE, Document
from assay.documents.file_type import kind_of
from assay.documents.file_types import is_binary, name_file_type

__all__ = ["FILES", "READABLE", "Document", "is_binary", "kind_of", "name_file_type", "read"]
