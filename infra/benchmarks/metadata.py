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


def pages(folder: Path, half: str) -> Iterator[tuple[dict[str, Any], bytes]]:
    for number, answer in enumerate(sorted((folder / "ground-truth").glob("*.json"))):
        page = folder / "html" / f"{answer.stem}.html.gz"
        if half != "all" and (number % 2 == 1) != (half == "odd"):
            continue
        if page.exists():
            yield json.loads(answer.read_text()), gzip.decompress(page.read_bytes())


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def alike(found: str, wanted: str) -> bool:
    """Whether the word F1 is at least 0.8."""
    one, other = Counter(words(found)), Counter(words(wanted))
    common = (one & other).total()
    return bool(common) and 2 * common / (one.total() + other.total()) >= 0.8


def author_right(found: PageFacts, wanted: str) -> bool:
    said, known = set(words(" ".join(found.authors))), set(words(wanted))
    return bool(said) and bool(known) and (said <= known or known <= said)


def judge(counts: Counter[str], found: PageFacts, truth: dict[str, Any]) -> dict[str, bool]:
    title, author, date = (truth.get(name) or "" for name in ("title", "author", "publish_date"))
    verdict = {
        "title": alike(found.title, title),
        "author": author_right(found, author) if author else not found.authors,
        "date": found.published[: len(date)] == date if date else not found.published,
    }
    counts["title exact"] += words(found.title) == words(title)
    counts["title alike"] += verdict["title"]
    for name, wanted, said in (("author", author, found.authors), ("date", date, found.published)):
        counts[f"{name} known"] += bool(wanted)
        counts[f"{name} right"] += bool(wanted) and verdict[name]
        counts[f"{name} wrong"] += bool(wanted and said) and not verdict[name]
        counts[f"{name} invented"] += bool(said) and not wanted
    return verdict


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("folder", type=Path)
    options.add_argument("--half", choices=("all", "odd", "even"), default="all")
    options.add_argument("--misses", choices=("title", "author", "date"))
    options.add_argument("--kinds", action="store_true")
    given = options.parse_args()
    totals: Counter[str] = Counter()
    kinds: dict[str, Counter[str]] = {}
    spent: list[float] = []
    for answer, body in pages(given.folder, given.half):
        url, truth = answer.get("url", ""), answer["ground_truth"]
        tree = parse_html(decode(body, None))
        began = time.process_time()
        found = extract_facts(tree, url)
        spent.append((time.process_time() - began) * 1000)
        kind = answer["_internal"]["page_type"]["primary"]
        verdict = judge(kinds.setdefault(kind, Counter()), found, truth)
        judge(totals, found, truth)
        totals["pages"] += 1
        kinds[kind]["pages"] += 1
        if given.misses and not verdict[given.misses]:
            wanted = truth.get({"date": "publish_date"}.get(given.misses, given.misses))
            said = {"title": found.title, "author": found.authors, "date": found.published}[given.misses]
            print(kind[:8], "|", wanted, "|", said, "|", url)
    report("all", totals)
    if given.kinds:
        for kind, counts in kinds.items():
            report(kind, counts)
    spent.sort()
    print(
        f"CPU ms: median {statistics.median(spent):.2f}, mean {statistics.mean(spent):.2f},"
        f" p95 {spent[len(spent) * 95 // 100]:.2f}"
    )


def report(name: str, counts: Counter[str]) -> None:
    pages = counts["pages"]
    print(
        f"{name}: {pages} pages; title alike {counts['title alike'] / pages:.3f},"
        f" exact {counts['title exact'] / pages:.3f}"
    )
    for fact in ("author", "date"):
        known = counts[f"{fact} known"]
        print(
            f"  {fact}: right {counts[f'{fact} right']}/{known} = {counts[f'{fact} right'] / max(known, 1):.3f},"
            f" wrong {counts[f'{fact} wrong']}, invented {counts[f'{fact} invented']}/{pages - known}"
        )


if __name__ == "__main__":
    main()
