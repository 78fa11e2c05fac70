"""Measure reading on a corpus: word F1 by page type, CPU, and what a hidden sentence does.

    uv run python infra/bench/reading.py CORPUS [--every N] [--worst N]

CORPUS holds `html/*.html.gz` and `ground-truth/*.json` (`ground_truth.main_content`, `_internal.page_type.primary`).
F1 is over the multiset of `\\w+` in lower case. The markdown is reduced to words after its images, link targets and
fence lines are taken out; everything else that it holds counts, so what the renderer loses or doubles costs points.
The model that ships has seen its training corpus: for figures that it has not, see `infra/train/reading_model.py`.
"""

import argparse
import gzip
import json
import re
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from assay.text.reading import Reading, read
from assay.text.tree import parse

WORD = re.compile(r"\w+")
IMAGE = re.compile(r"!\[(?:[^\]\\]|\\.)*\]\([^()\s]*\)")
TARGET = re.compile(r"\]\([^()\s]*\)")
FENCE = re.compile(r"^\s*`{3,}.*$", re.MULTILINE)


def bare(markdown: str) -> str:
    return FENCE.sub("", TARGET.sub("]", IMAGE.sub("", markdown)))


def words(text: str) -> Counter[str]:
    return Counter(WORD.findall(text.lower()))


def word_f1(got: Counter[str], wanted: Counter[str]) -> float:
    common = (got & wanted).total()
    return 2 * common / (got.total() + wanted.total()) if common else float(not got and not wanted)


def pages(corpus: Path, every: int) -> Iterator[tuple[str, str, str, str, str]]:
    """(name, page type, url, html, main content) of the pages whose content is known."""
    for path in sorted((corpus / "ground-truth").glob("*.json"))[::every]:
        truth = json.loads(path.read_text())
        content = truth["ground_truth"].get("main_content")
        if content:
            html = gzip.decompress((corpus / "html" / f"{path.stem}.html.gz").read_bytes()).decode("utf-8", "replace")
            url = truth.get("url") or f"https://{path.stem}.example/"
            yield path.stem, truth["_internal"]["page_type"]["primary"], url, html, content


def measured(html: str, url: str) -> tuple[Reading, float]:
    began = time.process_time()
    reading = read(parse(html), url)
    return reading, time.process_time() - began


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("corpus", type=Path)
    given.add_argument("--every", type=int, default=1)
    given.add_argument("--worst", type=int, default=0)
    asked = given.parse_args()
    scores: dict[str, list[float]] = defaultdict(list)
    cost: list[float] = []
    found = []
    for name, kind, url, html, content in pages(asked.corpus, asked.every):
        reading, seconds = measured(html, url)
        score = word_f1(words(bare(reading.markdown)), words(content))
        scores[kind].append(score)
        cost.append(seconds * 1000)
        found.append((score, name, kind, reading.confidence, seconds))
    for kind, values in sorted(scores.items()):
        print(f"{kind:15} {len(values):5} {statistics.mean(values):.4f}")
    flat = [value for values in scores.values() for value in values]
    print(f"{'all':15} {len(flat):5} {statistics.mean(flat):.4f}")
    cost.sort()
    print(f"CPU ms: median {cost[len(cost) // 2]:.1f}  p95 {cost[int(len(cost) * 0.95)]:.1f}  max {cost[-1]:.1f}")
    for row in sorted(found)[: asked.worst]:
        print(*row)


if __name__ == "__main__":
    main()
