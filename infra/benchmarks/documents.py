"""Measure document reading: a 300-page PDF compared with bare PDFium, a Word file of 700,000 letters, the first call.

Run: `python infra/benchmarks/documents.py`. Times are the best of several rounds, which load affects least.
"""

import asyncio
import random
import resource
import sys
import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "shared"))

from assay.documents import read
from assay.documents.sandbox_pool import Sandbox

ROUNDS = 7
WORDS = [
    "the",
    "of",
    "and",
    "research",
    "evidence",
    "inter",
    "national",
    "result",
    "method",
    "paper",
    "considered",
    "question",
    "whether",
    "hypothesis",
    "measured",
    "value",
    "against",
    "baseline",
    "significant",
    "longer",
    "series",
    "of",
    "trials",
    "in",
    "which",
    "nothing",
    "was",
    "found",
    "to",
    "differ",
]


def sentences(rng: random.Random, words: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(words)).capitalize() + "."


def build_pdf(pages: int) -> bytes:
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate

    rng, styles, body = random.Random(1), getSampleStyleSheet(), BytesIO()
    flow: list[object] = []
    for page in range(pages):
        flow.append(Paragraph(f"Section {page + 1}", styles["Heading1"]))
        flow += [Paragraph(sentences(rng, 100), styles["BodyText"]) for _ in range(5)]
        flow.append(PageBreak())
    SimpleDocTemplate(body).build(flow)
    return body.getvalue()


def build_docx(letters: int) -> bytes:
    import docx

    rng, document, written = random.Random(2), docx.Document(), 0
    while written < letters:
        document.add_heading(sentences(rng, 4), 2)
        for _ in range(6):
            text = sentences(rng, 90)
            written += len(text)
            document.add_paragraph(text)
    body = BytesIO()
    document.save(body)
    return body.getvalue()


def extract_with_pdfium(body: bytes) -> int:
    """Extract every page's text in file order with PDFium alone."""
    import pypdfium2

    letters, file = 0, pypdfium2.PdfDocument(body)
    for page in file:
        text = page.get_textpage()
        letters += len(text.get_text_range())
        text.close()
        page.close()
    return letters


def best_time(work: Callable[[], object]) -> float:
    """Milliseconds."""
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times) * 1000


def main() -> None:
    pdf, docx, sandbox = build_pdf(300), build_docx(700_000), Sandbox()
    with asyncio.Runner() as runner:

        def read_with_assay(body: bytes, kind: str) -> object:
            return runner.run(read(body, kind, max_bytes=1 << 28, seconds=60, sandbox=sandbox))

        began = time.perf_counter()
        read_with_assay(build_docx(100), "docx")
        print(f"first call, a small Word file: {(time.perf_counter() - began) * 1000:.0f} ms")
        print(f"next calls: {best_time(lambda: read_with_assay(SMALL_FILE, 'docx')):.0f} ms")
        pdfium_time, assay_time = (
            best_time(lambda: extract_with_pdfium(pdf)),
            best_time(lambda: read_with_assay(pdf, "pdf")),
        )
        print(
            f"PDF, 300 pages: {assay_time:.0f} ms; bare PDFium {pdfium_time:.0f} ms;"
            f" ratio {assay_time / pdfium_time:.2f}"
        )
        print(f"Word, 700,000 letters: {best_time(lambda: read_with_assay(docx, 'docx')):.0f} ms")
        sandbox.close()
    print(f"largest child: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MB")


SMALL_FILE = build_docx(100)

if __name__ == "__main__":
    main()
