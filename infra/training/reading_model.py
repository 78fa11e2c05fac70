"""Train the block classifier that tells a page's main content, and write the model that ships.

    uv run --with lightgbm --with rapidfuzz --with numpy \
        python infra/training/reading_model.py CORPUS [--validate [--augmented KIND]] [--cache DIR] [--out FILE]

CORPUS holds `html/*.html.gz` and `ground-truth/*.json` (`ground_truth.main_content`, `_internal.page_type.primary`).
The pages of `annotated_pages.py` are downloaded at the first run (`--archives` says where to).
A block's label is the share of its words that the page's main content holds, found by the longest common subsequence
of words; blocks weigh by their words, and every page weighs the same but for `TYPE_WEIGHTS`. Each page is used as it is
and in the variants of `augmentation.py`. `--validate` prints word F1 of five folds grouped by site, by type of page, by
declared language and by source, each scored on the markdown that a reader gets, by a model trained without that site;
with `--augmented KIND`, of the pages in that variant.
"""

import argparse
import hashlib
import json
import pickle
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, pairwise
from multiprocessing import Pool
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import lightgbm
import numpy as np
from rapidfuzz.distance import LCSseq

sys.path.insert(0, str(Path(__file__).parents[2]))
from infra.benchmarks.reading import Page, count_words, iter_pages, strip_markup, word_f1
from infra.training import augmentation
from infra.training.annotated_pages import is_annotated, iter_annotated_pages
from infra.training.tree_conversion import from_lxml, to_lxml

from assay.html.parser.html_element import HtmlRoot
from assay.html.parser.html_tree import parse_html
from assay.html.reader import block_features
from assay.html.reader.block_classifier import MODEL_PATH, TreeEnsemble
from assay.html.reader.main_content import collect_blocks, read_main_content
from assay.net.urls import get_registrable_domain
from assay.text.decode import decode
from assay.text.unspaced_words import WORD_OR_LETTER

SHINGLE = 5
BLANK = tuple((0.0,) * len(part) for part in block_features.PARTS[:-1])  # features of a block that is not classified
ARCHIVES = Path.home() / ".cache" / "assay" / "training"
FOLDS = 5
ROUNDS = 480
MAX_BLOCKS = 300  # maximum training blocks of one page
# Weight of a page of the corpus by its type: the packages have few pages of these, and articles would outweigh them.
TYPE_WEIGHTS = {"collection": 1.5, "forum": 1.5, "listing": 1.5, "product": 1.5}
AUGMENTATION_WEIGHTS = {"mixed": 0.5, "plain": 0.25, "old": 0.25, "unspaced": 0.5}  # weight of an augmented page
PARAMETERS = {
    "objective": "cross_entropy", "learning_rate": 0.07, "num_leaves": 32, "min_data_in_leaf": 40,
    "feature_fraction": 0.5, "bagging_fraction": 0.7, "bagging_freq": 1, "lambda_l2": 5.0, "max_bin": 63,
    "verbosity": -1, "num_threads": 1, "seed": 7, "deterministic": True, "force_row_wise": True,
}  # fmt: skip


@dataclass
class Sample:
    """A training page. `tokens` are word ids, the ground truth's first, split into blocks at `borders`."""

    name: str
    kind: str
    site: str
    rows: np.ndarray
    labels: np.ndarray
    sizes: np.ndarray
    tokens: np.ndarray
    borders: np.ndarray
    truth: np.ndarray
    weight: float = 1.0
    augmented: list["Sample"] = field(default_factory=list)

    def f1(self, selected: np.ndarray) -> float:
        words = self.tokens[np.repeat(selected, np.diff(self.borders))]
        got = np.bincount(words[words < len(self.truth)], minlength=len(self.truth))
        common = np.minimum(got, self.truth).sum()
        return 2 * common / (len(words) + self.truth.sum()) if common else 0.0


def build_samples(page: Page) -> Sample | None:
    """Build the sample of a page, which includes its augmented versions; None when it cannot be built."""
    name, kind, url, html, content = page
    built = build_sample(name, kind, url, parse_html(html), content)
    if built is not None:
        built.weight = 1.0 if is_annotated(name) else TYPE_WEIGHTS.get(kind, 1.0)
        for variant_kind, weight in AUGMENTATION_WEIGHTS.items():
            tree = to_lxml(parse_html(html))
            variant_url = augmentation.augment(tree, url, variant_kind, name)
            variant_content = augmentation.augment_text(content, variant_kind)
            variant = build_sample(name, kind, variant_url, from_lxml(tree), variant_content)
            if variant is not None:
                variant.weight = weight * built.weight
                built.augmented.append(variant)
    return built


def build_sample(name: str, kind: str, url: str, tree: HtmlRoot, content: str) -> Sample | None:
    page = collect_blocks(tree)
    if not page.blocks:
        return None
    own, shared = block_features.build_features(page, tree, url)
    rows = np.array(
        [[number for part in (*(row or BLANK), shared) for number in part] for row in own], dtype=np.float32
    )
    block_words = [WORD_OR_LETTER.findall(block.text.lower()) for block in page.blocks]
    truth_words = WORD_OR_LETTER.findall(content.lower())
    ids: dict[str, int] = {}
    truth_ids = [ids.setdefault(word, len(ids)) for word in truth_words]
    known = len(ids)
    tokens = [ids.setdefault(word, len(ids)) for words in block_words for word in words]
    borders = np.cumsum([0, *map(len, block_words)])
    covered = cover(tokens, truth_ids)
    labels = np.array([_share(covered[low:high]) for low, high in pairwise(borders)], dtype=np.float32)
    return Sample(
        name, kind, get_registrable_domain(urlsplit(url).hostname or name), rows, labels, np.diff(borders),
        np.array(tokens, dtype=np.int64), borders,        np.bincount(truth_ids, minlength=known),
    )  # fmt: skip


def _share(covered: list[bool]) -> float:
    """Return the share of covered words, ignoring a single covered word in a longer block as chance."""
    count = sum(covered)
    return 0.0 if count <= 1 < len(covered) - 2 else count / len(covered) if covered else 0.0


def cover(tokens: list[int], truth: list[int]) -> list[bool]:
    """Mark the page's words that belong to the content, in its order or in moved runs."""
    covered = [False] * len(tokens)
    used: set[int] = set()
    for step in LCSseq.opcodes(tokens, truth):
        if step.tag == "equal":
            for offset in range(step.src_end - step.src_start):
                covered[step.src_start + offset] = True
                used.add(step.dest_start + offset)
    spare: dict[tuple[int, ...], int] = defaultdict(int)
    for start in range(len(truth) - SHINGLE + 1):
        if not any(place in used for place in range(start, start + SHINGLE)):
            spare[tuple(truth[start : start + SHINGLE])] += 1
    for start in range(len(tokens) - SHINGLE + 1):
        run = tuple(tokens[start : start + SHINGLE])
        if spare.get(run):
            spare[run] -= 1
            covered[start : start + SHINGLE] = [True] * SHINGLE
    return covered


def iter_training_pages(corpus: Path, archives: Path) -> Iterator[Page]:
    pages = ((*about, decode(html.encode(), "utf-8"), content) for *about, html, content in iter_pages(corpus, 1))
    return chain(pages, iter_annotated_pages(archives))


def load_samples(corpus: Path, archives: Path, cache: Path | None) -> list[Sample]:
    sources = b"".join(
        path.read_bytes()
        for folder in (MODEL_PATH.parents[1], MODEL_PATH.parents[2] / "text", Path(augmentation.__file__).parent)
        for path in sorted((*folder.rglob("*.py"), *folder.rglob("annotations/*.json")))
    )
    key = hashlib.sha256(sources + str(corpus).encode()).hexdigest()[:12]
    cache_file = cache / f"samples-{key}.pickle" if cache else None
    if cache_file and cache_file.exists():
        return pickle.loads(cache_file.read_bytes())  # noqa: S301 (this script wrote it)
    with Pool() as pool:
        pages = iter_training_pages(corpus, archives)
        built = [sample for sample in pool.imap(build_samples, pages, chunksize=8) if sample is not None]
    if cache_file:
        cache_file.parent.mkdir(parents=True, exist_ok=True)
        cache_file.write_bytes(pickle.dumps(built))
    return built


def build_training_set(pages: list[Sample]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Build rows, labels and weights: equal weight per page, split by words per block; long pages are sampled."""
    rng = np.random.default_rng(7)
    parts = []
    for each in (one for page in pages for one in (page, *page.augmented)):
        count = len(each.rows)
        weights = (each.sizes / max(each.sizes.sum(), 1) * 100 + 0.02) * each.weight
        if count > MAX_BLOCKS:
            some = rng.choice(count, MAX_BLOCKS, replace=False)
            parts.append((each.rows[some], each.labels[some], weights[some] * count / MAX_BLOCKS))
        else:
            parts.append((each.rows, each.labels, weights))
    rows, labels, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    return rows, labels, weights


def fit(pages: list[Sample], rounds: int = ROUNDS) -> lightgbm.Booster:
    rows, labels, weights = build_training_set(pages)
    return lightgbm.train(PARAMETERS, lightgbm.Dataset(rows, labels, weight=weights), rounds)


def export_trees(booster: lightgbm.Booster) -> list[dict[str, Any]]:
    """Convert the trees to the reader's format; round numbers to the precision that matters in their sum."""
    trees = []
    for info in booster.dump_model()["tree_info"]:
        leaves: list[float] = []
        nodes: list[list[float]] = []
        _export(info["tree_structure"], leaves, nodes)
        trees.append({"leaves": leaves, "nodes": nodes})
    return trees


def _export(node: dict[str, Any], leaves: list[float], nodes: list[list[float]]) -> None:
    if "leaf_value" in node:
        leaves.append(round(node["leaf_value"], 4))
        return
    first = len(leaves)
    _export(node["left_child"], leaves, nodes)
    nodes.append([node["split_feature"], float(f"{node['threshold']:.6g}"), first, len(leaves)])
    _export(node["right_child"], leaves, nodes)


def build_classifier(booster: lightgbm.Booster) -> TreeEnsemble:
    return TreeEnsemble([len(part) for part in block_features.PARTS], export_trees(booster))


def split_folds(samples: list[Sample]) -> list[list[Sample]]:
    """Split into five parts of about the same size; all pages of a site are in one part."""
    sites: dict[str, list[Sample]] = defaultdict(list)
    for each in samples:
        sites[each.site].append(each)
    parts: list[list[Sample]] = [[] for _ in range(FOLDS)]
    for site in sorted(sites, key=lambda name: (-len(sites[name]), hashlib.sha256(name.encode()).hexdigest())):
        min(parts, key=len).extend(sites[site])
    return parts


def validate(pages: Iterable[Page], samples: list[Sample], augmented: str | None = None) -> None:
    """Print the word F1 of the reader with models trained without the page's site (cross-validation)."""
    parts = split_folds(samples)
    readers: dict[str, TreeEnsemble] = {}
    for part in parts:
        model = build_classifier(fit([each for other in parts if other is not part for each in other]))
        readers |= {each.name: model for each in part}
    scores: dict[str, list[float]] = defaultdict(list)
    languages: dict[str, list[float]] = defaultdict(list)
    sources: dict[str, list[float]] = defaultdict(list)
    for name, kind, url, html, content in pages:
        tree = parse_html(html)
        language = (tree.get("lang") or "not declared").partition("-")[0].lower()
        address, wanted = url, content
        if augmented:
            copy = to_lxml(tree)
            address = augmentation.augment(copy, url, augmented, f"{name} again")
            tree, wanted = from_lxml(copy), augmentation.augment_text(content, augmented)
        reading = read_main_content(tree, address, readers[name]) if name in readers else None
        got = count_words(strip_markup(reading.markdown)) if reading else Counter[str]()
        score = word_f1(got, count_words(wanted))
        scores[kind].append(score)
        languages[language].append(score)
        sources[name.partition("/")[0] if is_annotated(name) else "corpus"].append(score)
    for group in (scores, languages, sources, {"all": [score for values in scores.values() for score in values]}):
        print_means(group)


def print_means(scores: dict[str, list[float]]) -> None:
    for group, values in sorted(scores.items()):
        print(f"{group:15} {len(values):5} {statistics.mean(values):.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--validate", action="store_true")
    parser.add_argument("--augmented", choices=augmentation.KINDS)
    parser.add_argument("--archives", type=Path, default=ARCHIVES, help="folder of the downloaded packages")
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--out", type=Path, default=MODEL_PATH)
    options = parser.parse_args()
    samples = load_samples(options.corpus, options.archives, options.cache)
    if options.validate:
        validate(iter_training_pages(options.corpus, options.archives), samples, options.augmented)
        return
    document = {"parts": [len(part) for part in block_features.PARTS], "trees": export_trees(fit(samples))}
    options.out.write_text(json.dumps(document, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
