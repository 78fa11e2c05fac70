"""Documents: bytes in, clean markdown with metadata out, whatever the bytes are up to."""

from assay.documents.document import Document
from assay.documents.kinds import kind_of
from assay.documents.reading import read

__all__ = ["Document", "kind_of", "read"]
