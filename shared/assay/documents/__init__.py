"""Documents: bytes in, clean markdown with metadata out, whatever the bytes are up to."""

from assay.documents.document import FILES, READABLE, Document
from assay.documents.file_types import is_binary, name_file_type
from assay.documents.kinds import kind_of
from assay.documents.reading import read

__all__ = ["FILES", "READABLE", "Document", "is_binary", "kind_of", "name_file_type", "read"]
