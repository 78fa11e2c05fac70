"""Measure main text extraction on a corpus: word F1 by page type, and CPU time from bytes to markdown with metadata.

    uv run [--with trafilatura] python infra/benchmarks/reading.py CORPUS [--every N] [--worst N]

When trafilatura is installed, it reads the same pages for comparison.

CORPUS holds `html/*.html.gz` and `ground-truth/*.json` (`ground_truth.main_content`, `_internal.page_type.primary`).
F1 is over the multiset of `\\w+` in lower case. The markdown is reduced to words after its images, link targets and
fence lines are removed; all other text counts, so lost or duplicated text lowers the score.
The shipped model was trained on its whole corpus: for cross-validated figures see `infra/training/reading_model.py`.
"""

import argparse
import gzip
import importlib
import importlib.util
import json
import re
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from assay.html.metadata.page_metadata import extract_facts
from assay.html.parser.html_tree import parse_html
from assay.html.reader.main_content import read_main_content
from assay.text.decode import decode

type Reader = Callable[[bytes, str], str]  # arguments: HTML and URL

WORD = re.compile(r"\w+")
IMAGE = re.compile(r"!\[(?:[^\]\\]|\\.)*\]\([^()\s]*\)")
TARGET = re.compile(r"\]\([^()\s]*\)")
FENCE = re.compile(r"^\s*`{3,}.*$", re.MULTILINE)


def strip_markup(markdown: str) -> str:
    return FENCE.sub("", TARGET.sub("]", IMAGE.sub("", markdown)))


def count_words(text: str) -> Counter[str]:
    return Counter(WORD.findall(text.lower()))


def word_f1(got: Counter[str], wanted: Counter[str]) -> float:
    common = (got & wanted).total()
    return 2 * common / (got.total() + wanted.total()) if common else float(not got and not wanted)


def iter_pages(corpus: Path, every: int) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield (name, page type, url, html, main content) of the pages with ground truth."""
    for path in sorted((corpus / "ground-truth").glob("*.json"))[::every]:
        truth = json.loads(path.read_text())
        content = truth["ground_truth"].get("main_content")
        if content:
            html = gzip.decompress((corpus / "html" / f"{path.stem}.html.gz").read_bytes()).decode("utf-8", "replace")
            url = truth.get("url") or f"https://{path.stem}.example/"
            yield path.stem, truth["_internal"]["page_type"]["primary"], url, html, content


def read_with_assay(page: bytes, url: str) -> str:
    tree = parse_html(decode(page, "utf-8"))
    extract_facts(tree, url)
    return read_main_content(tree, url).markdown


def load_trafilatura() -> Reader | None:
    """Return trafilatura's extractor if installed, without metadata, which it would add to the text."""
    if importlib.util.find_spec("trafilatura") is None:
        return None
    trafilatura = importlib.import_module("trafilatura")
    return lambda page, url: trafilatura.extract(decode(page, "utf-8"), url=url, output_format="markdown") or ""


def report(title: str, scores: dict[str, list[float]], cost: list[float]) -> tuple[float, float]:
    """Print a reader's scores and CPU times; return the median and 95th percentile of the CPU times."""
    print(title)
    flat = [value for values in scores.values() for value in values]
    for kind, values in [*sorted(scores.items()), ("all", flat)]:
        print(f"  {kind:15} {len(values):5} {statistics.mean(values):.4f}")
    median, p95 = statistics.median(cost), sorted(cost)[int(len(cost) * 0.95)]
    print(f"  CPU ms: median {median:.1f}  p95 {p95:.1f}  max {max(cost):.1f}")
    return median, p95


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--worst", type=int, default=0)
    options = parser.parse_args()
    readers: dict[str, Reader] = {"assay": read_with_assay} | (
        {"trafilatura": other} if (other := load_trafilatura()) else {}
    )
    scores: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in readers}
    cost: dict[str, list[float]] = {name: [] for name in readers}
    assay_scores = []
    for name, kind, url, html, content in iter_pages(options.corpus, options.every):
        page = html.encode()
        for reader, read in readers.items():
            began = time.process_time()
            markdown = read(page, url)
            seconds = time.process_time() - began
            score = word_f1(count_words(strip_markup(markdown)), count_words(content))
            scores[reader][kind].append(score)
            cost[reader].append(seconds * 1000)
            if reader == "assay":
                assay_scores.append((score, name, kind, seconds))
    figures = [report(reader, scores[reader], cost[reader]) for reader in readers]
    if len(figures) == 2:
        (median, p95), (their_median, their_p95) = figures
        print(f"CPU against the peer: median {median / their_median:.2f}  p95 {p95 / their_p95:.2f}")
    for row in sorted(assay_scores)[: options.worst]:
        print(*row)


if __name__ == "__main__":
    main()
