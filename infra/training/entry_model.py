r"""Train the model that tells where the entries of an unlabelled reference list begin, and write the one that ships.

    uv run --with python-crfsuite python infra/training/entry_model.py CORPUS [--validate] [--out FILE]

CORPUS is that of `reference_model.py`. Its references are set as lists in random styles of print. `--validate` trains
without a fifth of the files and of AnyStyle's references, and prints the F1 of the places where entries begin on lists
made of these, by style, for lists with and without labels.
"""

import argparse
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from crf_training import to_label_model, train_labeller, write_model
from labelled_references import LabelledReference, read_references
from printed_lists import PrintedList, group_references, print_list

import assay.bibliography
from assay.bibliography import reference_list
from assay.bibliography.entry_starts import cut_units, describe_units
from assay.bibliography.page_furniture import find_furniture

OUT = Path(assay.bibliography.__file__).with_name("entry_model.json.gz")
PARAMETERS = {"c1": 0.6, "c2": 0.02, "max_iterations": 120, "feature.minfreq": 3}
ROUNDS = 6  # settings of each list
SEED = 20
FIFTH = 5


def make_lists(references: list[LabelledReference], *, labelled: bool, rounds: int) -> list[PrintedList]:
    rng = Random(SEED)
    groups = group_references(references, rng)
    return [print_list(texts, rng, labelled=labelled) for _ in range(rounds) for texts in groups]


def describe_list(printed: PrintedList) -> tuple[list[list[str]], list[str]]:
    """Return the features and the labels ("B" begins an entry, else "I") of a list's units."""
    lines = printed.text.split("\n")
    places, at = [], 0
    for line in lines:
        places.append(at)
        at += len(line) + 1
    units = cut_units(lines, find_furniture(lines))
    starts = set(printed.starts)
    return describe_units(units), ["B" if places[unit.line] + unit.start in starts else "I" for unit in units]


def train(references: list[LabelledReference]) -> dict[str, Any]:
    return train_labeller(
        (describe_list(each) for each in make_lists(references, labelled=False, rounds=ROUNDS)), PARAMETERS
    )


def validate(lists: list[PrintedList], name: str) -> None:
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for printed in lists:
        found = set()
        for entry in reference_list.split_entries(printed.text):
            place = entry.start
            while printed.text[place : place + 1].isspace():
                place += 1
            found.add(place)
        wanted = set(printed.starts)
        for style in (printed.style, "all"):
            counts[style][0] += len(found & wanted)
            counts[style][1] += len(found)
            counts[style][2] += len(wanted)
    for style, (right, given, wanted) in sorted(counts.items()):
        print(f"{name} {style:10} F1 {2 * right / (given + wanted):.4f} precision {right / max(given, 1):.4f} "
              f"recall {right / wanted:.4f} of {wanted}")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--validate", action="store_true")
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    references = read_references(arguments.corpus)
    if arguments.validate:
        held = set(sorted({each.file for each in references} - {"anystyle", "citations.xml"})[::FIFTH])
        apart = [
            each.file in held or (each.file in ("anystyle", "citations.xml") and at % FIFTH == 0)
            for at, each in enumerate(references)
        ]
        data = train([each for each, out in zip(references, apart, strict=True) if not out])
        model = to_label_model(data)
        rest = [each for each, out in zip(references, apart, strict=True) if out]
        with patch.object(reference_list, "load_model", lambda _: model):
            validate(make_lists(rest, labelled=False, rounds=3), "unlabelled")
            validate(make_lists(rest, labelled=True, rounds=1), "labelled")
        return
    write_model(train(references), arguments.out)


if __name__ == "__main__":
    main()
