"""The fixtures of documents, for manuscripts in their formats."""

from tests.documents.conftest import a_docx, a_pdf, a_zip, sandbox, save_document, word_xml  # noqa: F401
