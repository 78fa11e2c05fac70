"""Measure main text extraction on a corpus: word F1 by page type, and CPU time from bytes to markdown with metadata.

    uv run [--with trafilatura …] python infra/benchmarks/reading.py CORPUS [--every N] [--worst N]

The peers that are installed (trafilatura, etrafilatura, rs_trafilatura, resiliparse) read each page next to Assay, in
an order that changes from page to page, so that a busy machine slows all of them. CPU time is compared page by page.

CORPUS holds `html/*.html.gz` and `ground-truth/*.json` (`ground_truth.main_content`, `_internal.page_type.primary`).
F1 is over the multiset of words in lower case (of letters, in scripts without spaces between words). The markdown is
reduced to words after its images, link targets and fence lines are removed; all other text counts, so lost or
duplicated text lowers the score.
The shipped model was trained on its whole corpus: for cross-validated figures see `infra/training/reading_model.py`.
"""

import argparse
import gzip
import json
import re
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from infra.benchmarks.reading_peers import Reader, load_peers

from assay.html.metadata.page_metadata import extract_facts
from assay.html.parser.html_tree import open_html
from assay.html.reader.main_content import read_main_content
from assay.text.decode import decode
from assay.text.unspaced_words import WORD_OR_LETTER

IMAGE = re.compile(r"!\[(?:[^\]\\]|\\.)*\]\([^()\s]*\)")
TARGET = re.compile(r"\]\([^()\s]*\)")
FENCE = re.compile(r"^\s*`{3,}.*$", re.MULTILINE)


def strip_markup(markdown: str) -> str:
    return FENCE.sub("", TARGET.sub("]", IMAGE.sub("", markdown)))


def count_words(text: str) -> Counter[str]:
    return Counter(WORD_OR_LETTER.findall(text.lower()))


def word_f1(got: Counter[str], wanted: Counter[str]) -> float:
    common = (got & wanted).total()
    return 2 * common / (got.total() + wanted.total()) if common else float(not got and not wanted)


type Page = tuple[str, str, str, str, str]  # name, page type, URL, HTML, main content


def iter_pages(corpus: Path, every: int) -> Iterator[Page]:
    """Yield the pages with ground truth."""
    for path in sorted((corpus / "ground-truth").glob("*.json"))[::every]:
        truth = json.loads(path.read_text())
        content = truth["ground_truth"].get("main_content")
        if content:
            html = gzip.decompress((corpus / "html" / f"{path.stem}.html.gz").read_bytes()).decode("utf-8", "replace")
            url = truth.get("url") or f"https://{path.stem}.example/"
            yield path.stem, truth["_internal"]["page_type"]["primary"], url, html, content


def read_with_assay(page: bytes, url: str) -> str:
    with open_html(decode(page, "utf-8")) as tree:
        extract_facts(tree, url)
        return read_main_content(tree, url).markdown


def report(title: str, scores: dict[str, list[float]], cost: list[float]) -> None:
    """Print a reader's scores by page type and its CPU times."""
    print(title)
    flat = [value for values in scores.values() for value in values]
    for kind, values in [*sorted(scores.items()), ("all", flat)]:
        print(f"  {kind:15} {len(values):5} {statistics.mean(values):.4f}")
    print(f"  CPU ms: median {statistics.median(cost):.1f}  p95 {find_p95(cost):.1f}  max {max(cost):.1f}")


def report_ratios(name: str, cost: list[float], peer_cost: list[float]) -> None:
    """Print how often Assay's CPU time a page is the peer's, of the same pages."""
    ratios = [own / other for own, other in zip(cost, peer_cost, strict=True)]
    print(
        f"CPU of assay / {name}, page by page: median {statistics.median(ratios):.2f}  p95 {find_p95(ratios):.2f}"
        f"  total {sum(cost) / sum(peer_cost):.2f}"
    )


def find_p95(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.95)]


def rotate(names: list[str], place: int) -> list[str]:
    """Return the names with another one first at each place."""
    first = place % len(names)
    return names[first:] + names[:first]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--worst", type=int, default=0)
    options = parser.parse_args()
    readers: dict[str, Reader] = {"assay": read_with_assay} | load_peers()
    scores: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in readers}
    cost: dict[str, list[float]] = {name: [] for name in readers}
    assay_scores = []
    for place, (name, kind, url, html, content) in enumerate(iter_pages(options.corpus, options.every)):
        page, wanted = html.encode(), count_words(content)
        for reader in rotate(list(readers), place):
            began = time.process_time()
            text = readers[reader](page, url)
            seconds = time.process_time() - began
            score = word_f1(count_words(strip_markup(text)), wanted)
            scores[reader][kind].append(score)
            cost[reader].append(seconds * 1000)
            if reader == "assay":
                assay_scores.append((score, name, kind, seconds))
    for reader in readers:
        report(reader, scores[reader], cost[reader])
    for peer in list(readers)[1:]:
        report_ratios(peer, cost["assay"], cost[peer])
    for row in sorted(assay_scores)[: options.worst]:
        print(*row)


if __name__ == "__main__":
    main()
