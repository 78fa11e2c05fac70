"""Fuzz one target, guided by coverage: `uv run --with atheris python -m infra.fuzz html -max_total_time=300`.

Options are libFuzzer's (https://llvm.org/docs/LibFuzzer.html); given a file, it runs the target once with the file's content.
"""

import sys
from importlib import import_module

import atheris

READERS = ("pdf", "pdf_fallback", "docx", "pptx", "feed_markdown", "xml_outline", "text_formats")


def main() -> None:
    with atheris.instrument_imports(include=["assay"]):
        from infra.fuzz.targets import TARGETS

        for reader in READERS:  # imported lazily otherwise, without coverage instrumentation
            import_module(f"assay.documents.{reader}")
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        sys.exit(f"Name a fuzz target: {', '.join(TARGETS)}.")
    target = TARGETS[sys.argv.pop(1)]
    atheris.Setup(sys.argv, target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
