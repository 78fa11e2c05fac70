"""The compiled evaluator of the block classifier and that in plain Python give the same answers."""

import json
import math
import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.html.reader.test_main_content import AROUND, PARAGRAPHS, SHAPES, URL

from assay.html.parser.html_tree import parse_html
from assay.html.reader._block_trees import build_model
from assay.html.reader.block_classifier import MODEL_PATH, TreeEnsemble
from assay.html.reader.main_content import read_main_content

SPECIAL = [0.0, -0.0, 1, True, 2**53 + 1, 2**64, -(2**70), -1, -999, math.inf, -math.inf, math.nan, 5e-324, 1e308]


def grow_tree(choice: random.Random, features: int, leaves: int) -> dict:
    """A tree whose splits are anywhere, as `export_trees` writes it."""
    nodes: list[list[float]] = []

    def split(first: int, last: int) -> None:
        if last - first > 1:
            middle = choice.randrange(first + 1, last)
            split(first, middle)
            nodes.append([choice.randrange(features), choice.choice(THRESHOLDS), first, middle])
            split(middle, last)

    split(0, leaves)
    return {"leaves": [round(choice.uniform(-1, 1), 4) for _ in range(leaves)], "nodes": nodes}


THRESHOLDS = [1e-35, 0.0, -0.5, 0.25, 0.3333333333333333, 1, 7, 250000.5]


def draw_row(choice: random.Random, sizes: list[int]) -> tuple[tuple[float, ...], ...]:
    values = [*SPECIAL, *THRESHOLDS, *(choice.uniform(-2, 8) for _ in range(30))]
    return tuple(tuple(choice.choice(values) for _ in range(size)) for size in sizes)


@settings(deadline=None)
@given(st.integers(0, 2**64))
def test_both_evaluators_agree_on_any_trees_and_rows(seed):
    choice = random.Random(seed)
    sizes = [choice.randrange(4) for _ in range(choice.randrange(4))] + [choice.randrange(1, 4)]
    trees = [grow_tree(choice, sum(sizes), choice.choice([1, 2, 5, 32, 63, 64])) for _ in range(choice.randrange(1, 9))]
    rows = [None if choice.random() < 0.1 else draw_row(choice, sizes[:-1]) for _ in range(choice.randrange(40))]
    for before, row in enumerate(rows[1:]):  # parts that a row shares with the one before
        if row is not None and (earlier := rows[before]) is not None:
            pairs = zip(earlier, row, strict=True)
            rows[before + 1] = tuple(one if choice.random() < 0.4 else other for one, other in pairs)
    [shared] = draw_row(choice, sizes[-1:])
    answers = [TreeEnsemble(sizes, trees, compiled=compiled).probabilities(rows, shared) for compiled in (False, True)]
    assert answers[0] == answers[1]
    assert [row is None for row in rows] == [answer == 0.0 for answer in answers[0]]


def test_a_row_falls_into_the_leaf_that_its_conditions_lead_to():
    trees = [{"leaves": [-1.0, 0.0, 2.0], "nodes": [[0, 0.5, 0, 1], [1, 7.0, 1, 2]]}]
    rows = [((0.5,),), ((0.6,),), None]
    for compiled in (False, True):
        model = TreeEnsemble([1, 1], trees, compiled=compiled)
        assert model.probabilities(rows, (7.0,)) == pytest.approx([1 / (1 + math.e), 0.5, 0.0])
        assert model.probabilities(rows, (7.1,)) == pytest.approx([1 / (1 + math.e), 1 / (1 + math.exp(-2)), 0.0])


PAGES = {
    **SHAPES,
    "long": "".join(f"<div class='c{place % 7}'><h2>Part {place}</h2><p>{PARAGRAPHS[place % 6]}</p></div>" for place in range(150)),
    "menu alone": AROUND[0],
    "list": "<ul>" + "".join(f"<li><a href=/{place}>Item {place}</a> {PARAGRAPHS[0]}</li>" for place in range(90)) + "</ul>",
}  # fmt: skip


def test_pages_read_the_same_with_both():
    model = json.loads(MODEL_PATH.read_text())
    with_python, with_compiled = (
        TreeEnsemble(model["parts"], model["trees"], compiled=compiled) for compiled in (False, True)
    )
    for inside in PAGES.values():
        tree = parse_html(f"<body>{AROUND[0]}{inside}{AROUND[1]}</body>")
        reading = read_main_content(tree, URL, with_compiled)
        assert reading == read_main_content(tree, URL, with_python)
        assert reading == read_main_content(tree, URL)


LOADING = """
from assay.html.reader.block_classifier import TreeEnsemble, load_model
print(type(load_model().trees).__name__)
TreeEnsemble([1], [{"leaves": [0.5], "nodes": []}], compiled=True)
"""
HIDING = "import sys; sys.modules['assay.html.reader._block_trees'] = None"  # as if it were not installed


def test_python_evaluates_where_no_extension_module_is_installed():
    started, without = (
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        for program in (LOADING, HIDING + LOADING)
    )
    assert (started.stdout.strip(), started.returncode) == ("CompiledTrees", 0), started.stderr
    assert (without.stdout.strip(), without.returncode) == ("BitSetTrees", 1)
    assert "ModuleNotFoundError" in without.stderr


TREES = [{"leaves": [0.0, 1.0], "nodes": [[0, 0.5, 0, 1]]}]
FAULTY_ROWS = [
    ([((1.0, 2.0),)], (1.0,), ValueError),
    ([((1.0,), (1.0,))], (1.0,), ValueError),
    ([()], (1.0,), ValueError),
    ([((1.0,),)], (), ValueError),
    ([[(1.0,)]], (1.0,), TypeError),
    ([([1.0],)], (1.0,), TypeError),
    ([(("1",),)], (1.0,), TypeError),
    ([((1.0,),)], [1.0], TypeError),
    ((((1.0,),),), (1.0,), TypeError),
    ([((10**400,),)], (1.0,), OverflowError),
]


@pytest.mark.parametrize(("rows", "shared", "error"), FAULTY_ROWS)
def test_rows_of_another_shape_are_refused(rows, shared, error):
    with pytest.raises(error):
        TreeEnsemble([1, 1], TREES, compiled=True).probabilities(rows, shared)


def test_a_tree_with_more_leaves_than_bits_is_refused():
    with pytest.raises(ValueError, match="65 leaves"):
        TreeEnsemble([1], [grow_tree(random.Random(1), 1, 65)], compiled=True)


NODE = [0, 0.5, 0, 1]
FAULTY_TREES = [
    ((), TypeError),
    ((b"",), TypeError),
    ((b"", []), ValueError),
    ((bytes(2), [NODE, NODE]), ValueError),
    ((bytes(2), (NODE,)), TypeError),
    ((bytes(2), [tuple(NODE)]), ValueError),
    ((bytes(2), [NODE[:3]]), ValueError),
    ((bytes(2), [["0", 0.5, 0, 1]]), TypeError),
    ((bytes(2), [[0, "0.5", 0, 1]]), TypeError),
    ((bytes(2), [[0, math.nan, 0, 1]]), ValueError),
    ((bytes(2), [[1, 0.5, 0, 1]]), ValueError),
    ((bytes(2), [[-1, 0.5, 0, 1]]), ValueError),
    ((bytes(2), [[0, 0.5, -1, 1]]), ValueError),
    ((bytes(2), [[0, 0.5, 1, 0]]), ValueError),
    ((bytes(2), [[0, 0.5, 0, 2]]), ValueError),
    ((bytes(65), []), ValueError),
]


@pytest.mark.parametrize(("tree", "error"), FAULTY_TREES)
def test_no_tree_leads_out_of_the_memory_of_the_model(tree, error):
    assert build_model((1,), ((bytes(2), [NODE]),))
    with pytest.raises(error):
        build_model((1,), ((bytes(2), [NODE]), tree))


@pytest.mark.parametrize("parts", [(), (-1,), (2**40,)])
def test_no_model_has_parts_of_impossible_sizes(parts):
    with pytest.raises(ValueError, match="part"):
        build_model(parts, ())
