"""Measure the accuracy of page metadata (title, author, date) on a folder of pages with ground truth.

    python infra/benchmarks/metadata.py FOLDER [--half odd|even] [--misses title|author|date]

FOLDER holds html/NAME.html.gz and ground-truth/NAME.json with url and ground_truth {title, author, publish_date}.
"""

import argparse
import gzip
import json
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "shared"))

from assay.html.metadata.page_metadata import PageFacts, extract_facts
from assay.html.parser.html_tree import parse_html
from assay.text.decode import decode


def iter_pages(folder: Path, half: str) -> Iterator[tuple[dict[str, Any], bytes]]:
    for number, answer in enumerate(sorted((folder / "ground-truth").glob("*.json"))):
        page = folder / "html" / f"{answer.stem}.html.gz"
        if half != "all" and (number % 2 == 1) != (half == "odd"):
            continue
        if page.exists():
            yield json.loads(answer.read_text()), gzip.decompress(page.read_bytes())


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def is_similar(found: str, expected: str) -> bool:
    """Whether the word F1 is at least 0.8."""
    left, right = Counter(words(found)), Counter(words(expected))
    common = (left & right).total()
    return bool(common) and 2 * common / (left.total() + right.total()) >= 0.8


def is_author_right(found: PageFacts, expected: str) -> bool:
    found_words, expected_words = set(words(" ".join(found.authors))), set(words(expected))
    return (
        bool(found_words) and bool(expected_words) and (found_words <= expected_words or expected_words <= found_words)
    )


def score(counts: Counter[str], found: PageFacts, truth: dict[str, Any]) -> dict[str, bool]:
    title, author, date = (truth.get(name) or "" for name in ("title", "author", "publish_date"))
    verdict = {
        "title": is_similar(found.title, title),
        "author": is_author_right(found, author) if author else not found.authors,
        "date": found.published[: len(date)] == date if date else not found.published,
    }
    counts["title exact"] += words(found.title) == words(title)
    counts["title alike"] += verdict["title"]
    for name, expected, value in (("author", author, found.authors), ("date", date, found.published)):
        counts[f"{name} known"] += bool(expected)
        counts[f"{name} right"] += bool(expected) and verdict[name]
        counts[f"{name} wrong"] += bool(expected and value) and not verdict[name]
        counts[f"{name} invented"] += bool(value) and not expected
    return verdict


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--half", choices=("all", "odd", "even"), default="all")
    parser.add_argument("--misses", choices=("title", "author", "date"))
    parser.add_argument("--kinds", action="store_true")
    options = parser.parse_args()
    totals: Counter[str] = Counter()
    kinds: dict[str, Counter[str]] = {}
    spent: list[float] = []
    for answer, body in iter_pages(options.folder, options.half):
        url, truth = answer.get("url", ""), answer["ground_truth"]
        tree = parse_html(decode(body, None))
        began = time.process_time()
        facts = extract_facts(tree, url)
        spent.append((time.process_time() - began) * 1000)
        kind = answer["_internal"]["page_type"]["primary"]
        verdict = score(kinds.setdefault(kind, Counter()), facts, truth)
        score(totals, facts, truth)
        totals["pages"] += 1
        kinds[kind]["pages"] += 1
        if options.misses and not verdict[options.misses]:
            expected = truth.get({"date": "publish_date"}.get(options.misses, options.misses))
            found_value = {"title": facts.title, "author": facts.authors, "date": facts.published}[options.misses]
            print(kind[:8], "|", expected, "|", found_value, "|", url)
    report("all", totals)
    if options.kinds:
        for kind, counts in kinds.items():
            report(kind, counts)
    spent.sort()
    print(
        f"CPU ms: median {statistics.median(spent):.2f}, mean {statistics.mean(spent):.2f},"
        f" p95 {spent[len(spent) * 95 // 100]:.2f}"
    )


def report(name: str, counts: Counter[str]) -> None:
    page_count = counts["pages"]
    print(
        f"{name}: {page_count} pages; title alike {counts['title alike'] / page_count:.3f},"
        f" exact {counts['title exact'] / page_count:.3f}"
    )
    for fact in ("author", "date"):
        known = counts[f"{fact} known"]
        print(
            f"  {fact}: right {counts[f'{fact} right']}/{known} = {counts[f'{fact} right'] / max(known, 1):.3f},"
            f" wrong {counts[f'{fact} wrong']}, invented {counts[f'{fact} invented']}/{page_count - known}"
        )


if __name__ == "__main__":
    main()
