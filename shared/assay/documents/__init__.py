"""Document parsing: converts files (PDF, Office, EPUB, feeds, text) to Markdown with metadata, mostly sandboxed."""

from assay.documents.dispatch import read
from assay.documents.document import FILES, READABLE, Document
from assay.documents.file_type import detect_kind
from assay.documents.file_types import is_binary, name_file_type

__all__ = ["FILES", "READABLE", "Document", "detect_kind", "is_binary", "name_file_type", "read"]
