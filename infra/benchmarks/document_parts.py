"""Headings, tables and code for the documents of `document_structure`."""

from infra.benchmarks.structure_pages.page import Page


def build_rows(page: Page, rows: int = 4, columns: int = 3) -> list[list[str]]:
    heads = [page.label(1) for _ in range(columns)]
    return [
        heads,
        *[[page.label(1), *[str(page.rng.randint(100, 9999)) for _ in range(columns - 1)]] for _ in range(rows)],
    ]


def build_code(page: Page) -> list[str]:
    return [
        f"def {page.rng.choice('fgh')}(a, b):",
        f"    # step {page.slug()}",
        "    return a * b",
        "",
        "print(f(1, 2))",
    ]


def expect_heading(page: Page, level: int) -> str:
    text = page.label(3)
    page.expect("headings", (level, text))
    return text
