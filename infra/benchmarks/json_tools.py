"""Measure tool calls with JSON output: near-duplicates, long pages and PDFs, and the command line from start to end.

Run: `python infra/benchmarks/json_tools.py`. Reports the least CPU time of several rounds, and
of a reference computation in the same run.
"""

import asyncio
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "shared"))

from assay.bootstrap import local_services
from assay.caller import Caller
from assay.context import Context
from assay.invoke import invoke
from assay.services import Services
from assay.settings import Settings

ROUNDS, STARTS = 9, 15
SYLLABLES = ("river", "stone", "kelp", "otter", "shell", "pocket", "water", "tide")
WORDS = [f"{syllable}{number}" for syllable in SYLLABLES for number in range(400)]
PURE = ("metadata_extract", "readability_extract", "dedupe_rank", "citation_pack", "pdf_extract")


def text(rng: random.Random, words: int) -> str:
    return " ".join(rng.choices(WORDS, k=words))


def page(size: int) -> str:
    """Build a long page: an article of paragraphs, headings, lists and links between a menu and a footer."""
    rng = random.Random(1)
    menu = "".join(f"<a href=/{n}>{text(rng, 2)}</a>" for n in range(100))
    head = (
        '<!doctype html><title>Long</title><meta property="og:title" content="Long"><meta name="author" content="Ada">'
        f'<script type="application/ld+json">{{"@type":"Article"}}</script><nav>{menu}</nav><article><h1>Long</h1>'
    )
    parts = [head]
    length = 0
    while length < size:
        items = "".join(f"<li>{text(rng, 8)}</li>" for _ in range(5))
        paragraphs = "".join(
            f'<p>{text(rng, 60)}, <a href="/x{n}">{text(rng, 2)}</a> and <b>{text(rng, 1)}</b>.</p>' for n in range(10)
        )
        parts.append(f"<h2>{text(rng, 5)}</h2>{paragraphs}<ul>{items}</ul>")
        length += len(parts[-1])
    return "".join(parts) + "</article><footer>All rights reserved</footer>"


def pdf(pages: int) -> bytes:
    from reportlab.pdfgen.canvas import Canvas

    rng, body = random.Random(2), BytesIO()
    canvas = Canvas(body)
    for _ in range(pages):
        for line in range(45):
            canvas.drawString(50, 780 - 16 * line, text(rng, 9))
        canvas.showPage()
    canvas.save()
    return body.getvalue()


def best_time(measure: Callable[[], float], rounds: int) -> float:
    return min(measure() for _ in range(rounds)) * 1000


def cpu_time(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def report(what: str, milliseconds: float, limit: str) -> None:
    print(f"{what:58} {milliseconds:8.1f} ms   {limit}")


def measure_calls(services: Services) -> None:
    rng = random.Random(3)
    long_page = page(900_000)
    cases: list[tuple[str, dict[str, Any], str, str]] = [
        (
            "dedupe_rank",
            {"docs": [{"id": str(n), "text": text(rng, 60)} for n in range(2000)]},
            "2,000 × 60 words",
            "150",
        ),
        (
            "readability_extract",
            {"html": long_page, "base_url": "https://example.org/"},
            f"{len(long_page):,} bytes",
            "100",
        ),
        (
            "metadata_extract",
            {"html": long_page, "base_url": "https://example.org/"},
            f"{len(long_page):,} bytes",
            "12",
        ),
    ]
    with asyncio.Runner() as runner:
        for name, arguments, what, limit in cases:

            def call(name: str = name, arguments: dict[str, Any] = arguments) -> None:
                reply = runner.run(invoke(name, arguments, Context(services, Caller())))
                assert reply.error is None, reply.error

            call()
            report(f"{name}, {what}", best_time(lambda: cpu_time(call), ROUNDS), f"at most {limit}")


def measure_pdfs(pages: int = 200) -> None:
    import pypdfium2

    from assay.documents.pdf_pages import answer

    body = pdf(pages)

    def extract_with_pdfium() -> None:
        for one in pypdfium2.PdfDocument(body):
            one.get_textpage().get_text_range()

    pdfium_time = best_time(lambda: cpu_time(extract_with_pdfium), ROUNDS) / pages
    assay_time = best_time(lambda: cpu_time(lambda: answer(body, "text ", float("inf"), None)), ROUNDS) / pages
    report("PDFium's bare text, a page", pdfium_time, "")
    report("pdf_extract, a page", assay_time, f"{assay_time / pdfium_time:.2f} of it; at most 1.50")


def run_process(command: list[str], standard_input: str, environ: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, input=standard_input.encode(), capture_output=True, env=environ, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stderr
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure_starts() -> None:
    import base64

    html = {"html": page(2_000), "base_url": "https://example.org/"}
    inputs = {
        "metadata_extract": html,
        "readability_extract": html,
        "dedupe_rank": {"docs": [{"id": str(n), "text": text(random.Random(n), 30)} for n in range(10)]},
        "citation_pack": {"doc": {"url": "https://example.org/"}},
        "pdf_extract": {"pdf_base64": base64.b64encode(pdf(1)).decode()},
    }
    with tempfile.TemporaryDirectory() as folder:
        environ = os.environ | {"ASSAY_HOME": folder, "PYTHONPATH": sys.path[0], "PYTHONPYCACHEPREFIX": folder}
        environ.pop("PYTHONDONTWRITEBYTECODE", None)
        one_model = [sys.executable, "-c", "import asyncio, pydantic\nclass A(pydantic.BaseModel):\n  x: int"]
        report(
            "Python, asyncio and one pydantic model", best_time(lambda: run_process(one_model, "", environ), STARTS), ""
        )
        for name in PURE:
            command = [sys.executable, "-m", "assay.entrypoints.cli.json_command", name]
            report(
                f"{name} from process start to answer",
                best_time(
                    lambda command=command, name=name: run_process(command, json.dumps(inputs[name]), environ), STARTS
                ),  # type: ignore[misc]
                "at most 150",
            )


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        measure_calls(local_services(Settings.read({"ASSAY_HOME": folder})))
    measure_pdfs()
    measure_starts()
    return 0


if __name__ == "__main__":
    sys.exit(main())
