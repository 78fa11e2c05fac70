"""Measure how well markdown keeps the structure of pages: tables, lists, code, formulas, figures, notes, headings.

    uv run [--with trafilatura --with readability-lxml --with markdownify] python infra/benchmarks/structure.py
        [--pages N] [--dialects] [--show DIALECT]

Pages are built from a seed, so that their structure is known: each contains several constructs in the ways that sites
write them (`structure_pages`), inside menus, related articles and a footer. The markdown is read as CommonMark with
tables. Tables are scored by TEDS (tree edit distance), with spanning cells either repeated or blank. Headings with
level, list items with depth and kind, code with language, formulas, figures with captions, links and quotes are scored
by F1; the other classes by recall. Peers that are installed read the same pages. `--dialects` prints the recall of
each way of writing, worst first; `--show` prints what was missed.
"""

import argparse
import importlib
import importlib.util
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from infra.benchmarks.structure_pages.markdown_structure import normalise_tex, read_markdown, squeeze
from infra.benchmarks.structure_pages.page import Page, Table
from infra.benchmarks.structure_pages.shells import build_pages
from infra.benchmarks.structure_pages.tree_distance import build_tree, measure_similarity

from assay.html.parser.html_tree import open_html
from assay.html.reader.main_content import read_main_content

type Reader = Callable[[str, str], str]  # arguments: HTML and URL
type Found = dict[str, list[Any]]

BY_F1 = ("headings", "items", "code", "formulas", "figures", "links", "quotes")
BY_RECALL = ("starts", "lines", "inline", "signs", "notes")
CLASSES = ("tables", *BY_F1, *BY_RECALL)


def read_with_assay(html: str, url: str) -> str:
    with open_html(html) as tree:
        return read_main_content(tree, url).markdown


def load_peers() -> dict[str, Reader]:
    peers: dict[str, Reader] = {}
    if importlib.util.find_spec("trafilatura"):
        trafilatura = importlib.import_module("trafilatura")
        options = {
            "output_format": "markdown",
            "include_links": True,
            "include_images": True,
            "include_formatting": True,
        }
        peers["trafilatura"] = lambda html, url: trafilatura.extract(html, url=url, **options) or ""
    if importlib.util.find_spec("readability") and importlib.util.find_spec("markdownify"):
        readability, markdownify = importlib.import_module("readability"), importlib.import_module("markdownify")

        def read(html: str, url: str) -> str:
            document = readability.Document(html, url=url)
            return str(markdownify.markdownify(document.summary(), heading_style="ATX", bullets="-"))

        peers["readability+markdownify"] = read
    return peers


def blank_spans(rows: list[list[str]]) -> list[list[str]]:
    """Return the rows with the repetitions of spanning cells blank."""

    def repeats(x: int, y: int) -> bool:
        return (x > 0 and rows[y][x - 1] == rows[y][x]) or (y > 0 and rows[y - 1][x] == rows[y][x])

    return [["" if repeats(x, y) else cell for x, cell in enumerate(row)] for y, row in enumerate(rows)]


def score_table(wanted: Table, got: Table) -> float:
    tree = build_tree(got.rows, head=got.head)
    forms = (wanted.rows, blank_spans(wanted.rows))
    return max(measure_similarity(build_tree(rows, head=wanted.head), tree) for rows in forms)


def match_tables(wanted: list[Table], got: list[Table]) -> list[float]:
    """Return the similarity of each wanted table to the best one left."""
    left, scores = list(got), []
    for table in wanted:
        ranked = [(score_table(table, other), place) for place, other in enumerate(left)]
        best, place = max(ranked, default=(0.0, -1))
        scores.append(best)
        if place >= 0 and best > 0:
            left.pop(place)
    return scores


def match_figures(wanted: list[tuple[str, str]], found: Found) -> list[bool]:
    """Return for each figure whether its image is there, and its caption beside it or as its text."""
    lines = found["lines"]

    def is_near(caption: str, alt: str, line: int) -> bool:
        near = [piece for piece in lines[max(0, line - 2) : line + 3] if piece]
        return caption == alt or caption in near or squeeze(" ".join(lines[line : line + 2])).endswith(caption)

    return [
        any(url == src and is_near(caption, alt, line) for src, alt, line in found["images"]) for url, caption in wanted
    ]


def match_notes(wanted: list[tuple[str, str, str]], found: Found) -> list[bool]:
    """Return for each note whether its sentence has its mark and its text has its number."""
    text = "\n".join(found["lines"])
    numbered = {(str(number), item) for number, item in found["starts"]}

    def is_kept(sentence: str, label: str, note: str) -> bool:
        has_mark = any(
            f"{sentence}{space}{mark}" in text for mark in (f"[{label}]", f"[^{label}]") for space in ("", " ")
        )
        starts = (
            f"[{label}] {note}",
            f"[^{label}]: {note}",
            f"{label}. {note}",
            f"{label} {note}",
            f"[{label}]\n{note}",
        )
        return has_mark and ((label, note) in numbered or any(start in text for start in starts))

    return [is_kept(*note) for note in wanted]


def match_lines(wanted: list[tuple[str, ...]], found: Found) -> list[bool]:
    """Return for each sequence of lines whether they follow each other, each on its own line."""
    text = "\n" + "\n".join(line.removeprefix(": ") for line in found["lines"] if line) + "\n"
    return [f"\n{'\n'.join(map(squeeze, lines))}\n" in text for lines in wanted]


def match_signs(wanted: list[str], found: Found) -> list[bool]:
    text = squeeze(" ".join(found["lines"]))
    return [sign in text or sign.replace("(", "").replace(")", "") in text for sign in wanted]


def match_formulas(wanted: list[tuple[str, str]], found: Found) -> list[bool]:
    left = list(found["formulas"])

    def take(kind: str, tex: str) -> bool:
        for place, (got_kind, got) in enumerate(left):
            if got == normalise_tex(tex) and kind in ("", got_kind):
                left.pop(place)
                return True
        return False

    return [take(kind, tex) for kind, tex in wanted]


def match_equal(kind: str) -> Callable[[list[Any], Found], list[bool]]:
    def match(wanted: list[Any], found: Found) -> list[bool]:
        left = Counter(found[kind])
        hits = []
        for item in wanted:
            hits.append(left[item] > 0)
            left[item] -= hits[-1]
        return hits

    return match


def match_marks(wanted: list[tuple[str, str]], found: Found) -> list[bool]:
    """Return for each mark whether it is there; a sign at its end may stand behind it."""
    got = Counter((kind, text.rstrip(".:")) for kind, text in found["inline"])
    return [got[kind, text.rstrip(".:")] > 0 for kind, text in wanted]


MATCHERS: dict[str, Callable[[list[Any], Found], list[Any]]] = {
    "tables": lambda wanted, found: match_tables(wanted, found["tables"]),
    "figures": match_figures,
    "notes": match_notes,
    "lines": match_lines,
    "signs": match_signs,
    "inline": match_marks,
    "formulas": match_formulas,
}


def find_structure(markdown: str, page: Page) -> Found:
    found = read_markdown(markdown)
    local = (f"{page.url}#", "#")
    found["links"] = [(text, target) for text, target in found["links"] if not target.startswith(local)]
    found["figures"] = [image for image in found["images"] if not image[0].startswith(("https://l.", "https://math."))]
    notes = {text for _, _, text in page.truth["notes"]}  # scored with their marks, in whichever form
    found["items"] = [item for item in found["items"] if item[2] not in notes]
    found["headings"] = [item for item in found["headings"] if item[1] != "Footnotes"]
    return found


class Score:
    """Sums of one reader over all pages."""

    def __init__(self) -> None:
        self.hits: defaultdict[str, float] = defaultdict(float)
        self.wanted: Counter[str] = Counter()
        self.got: Counter[str] = Counter()
        self.dialects: defaultdict[str, list[float]] = defaultdict(list)
        self.missed: defaultdict[str, list[str]] = defaultdict(list)

    def add(self, page: Page, markdown: str) -> None:
        found = find_structure(markdown, page)
        for kind in CLASSES:
            wanted = page.truth[kind]
            hits = MATCHERS.get(kind, match_equal(kind))(wanted, found)
            self.hits[kind] += sum(hits)
            self.wanted[kind] += len(wanted)
            self.got[kind] += len(found[kind])
            for item, hit, source in zip(wanted, hits, page.sources[kind], strict=True):
                self.dialects[source].append(float(hit))
                if hit < 1:
                    self.missed[source].append(f"page {page.number} {kind} {hit:.2f}: {item}")

    def value(self, kind: str) -> float:
        if kind == "tables":
            extra = max(0, self.got[kind] - self.wanted[kind])
            return self.hits[kind] / max(1, self.wanted[kind] + extra)
        if kind in BY_F1:
            return 2 * self.hits[kind] / max(1, self.wanted[kind] + self.got[kind])
        return self.hits[kind] / max(1, self.wanted[kind])

    @property
    def mean(self) -> float:
        return sum(map(self.value, CLASSES)) / len(CLASSES)


def print_scores(scores: dict[str, Score]) -> None:
    print(f"{'class':10} {'items':>6} " + " ".join(f"{name:>24}" for name in scores))
    for kind in CLASSES:
        items = next(iter(scores.values())).wanted[kind]
        print(f"{kind:10} {items:6} " + " ".join(f"{score.value(kind):24.3f}" for score in scores.values()))
    print(f"{'mean':17} " + " ".join(f"{score.mean:24.3f}" for score in scores.values()))


def print_dialects(score: Score) -> None:
    for name, values in sorted(score.dialects.items(), key=lambda pair: sum(pair[1]) / len(pair[1])):
        if (mean := sum(values) / len(values)) < 1:
            print(f"{mean:6.3f} {len(values):4} {name or 'rest of the page'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=240)
    parser.add_argument("--dialects", action="store_true")
    parser.add_argument("--show", default="")
    parser.add_argument("--markdown", type=int, default=-1, help="print the HTML and the markdown of this page")
    options = parser.parse_args()
    readers = {"assay": read_with_assay} | load_peers()
    scores = {name: Score() for name in readers}
    for page in build_pages(options.pages):
        html = "".join(page.parts)
        if page.number == options.markdown:
            print(html, read_with_assay(html, page.url), sep="\n\n")
        for name, read in readers.items():
            scores[name].add(page, read(html, page.url))
    print_scores(scores)
    if options.dialects:
        print_dialects(scores["assay"])
    for line in scores["assay"].missed.get(options.show, []) if options.show else []:
        print(line)


if __name__ == "__main__":
    main()
