r"""Train the labeller of printed references, and write the model that ships.

    uv run --with python-crfsuite python infra/training/reference_model.py CORPUS \
        [--validate | --validate-files] [--out FILE]

CORPUS holds `anystyle-core.xml` (AnyStyle, BSD-2-Clause) and `grobid/*.xml` (GROBID, Apache-2.0). `--validate` trains
on four fifths and prints F1 of each field and the share of exact titles on the last fifth; `--validate-files` holds
out every third file instead, so that no reference list is on both sides.
"""

import argparse
from collections import Counter
from pathlib import Path
from typing import Any

from crf_training import to_label_model, train_labeller, write_model
from labelled_references import LabelledReference, read_references

import assay.bibliography
from assay.bibliography.field_labels import LabelModel
from assay.bibliography.reference_tokens import describe_tokens

OUT = Path(assay.bibliography.__file__).with_name("reference_model.json.gz")
PARAMETERS = {"c1": 0.5, "c2": 0.02, "max_iterations": 70, "feature.minfreq": 2}


def train(references: list[LabelledReference]) -> dict[str, Any]:
    return train_labeller(((describe_tokens(each.tokens), each.labels) for each in references), PARAMETERS)


def list_spans(labels: list[str]) -> set[tuple[str, int, int]]:
    """Return the fields of a labelled reference with their first and last token."""
    spans: list[list[Any]] = []
    for at, label in enumerate(labels):
        kind = label[2:]
        if kind and label[0] == "I" and spans and spans[-1][0] == kind and spans[-1][2] == at - 1:
            spans[-1][2] = at
        elif kind:
            spans.append([kind, at, at])
    return {(kind, first, last) for kind, first, last in spans}


def validate(model: LabelModel, references: list[LabelledReference]) -> None:
    """Print precision, recall and F1 of each field by exact spans, and the share of exact titles."""
    right, wanted, given = Counter[str](), Counter[str](), Counter[str]()
    exact = titled = 0
    for each in references:
        truth, found = list_spans(each.labels), list_spans(model.label(describe_tokens(each.tokens)))
        right.update(kind for kind, *_ in truth & found)
        wanted.update(kind for kind, *_ in truth)
        given.update(kind for kind, *_ in found)
        titles = sorted(span for span in truth if span[0] == "title")
        titled += bool(titles)
        exact += bool(titles) and titles[0] in found
    for kind in sorted(wanted):
        print(f"{kind:10} F1 {2 * right[kind] / (wanted[kind] + given[kind]):.3f} of {wanted[kind]}")
    print(f"all fields F1 {2 * right.total() / (wanted.total() + given.total()):.3f}")
    print(f"titles exact {exact / titled:.3f} of {titled}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--validate", action="store_true")
    parser.add_argument("--validate-files", action="store_true")
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    references = read_references(arguments.corpus)
    if arguments.validate or arguments.validate_files:
        held = set(sorted({each.file for each in references} - {"anystyle", "citations.xml"})[::3])
        apart = [each.file in held if arguments.validate_files else at % 5 == 0 for at, each in enumerate(references)]
        data = train([each for each, out in zip(references, apart, strict=True) if not out])
        validate(to_label_model(data), [each for each, out in zip(references, apart, strict=True) if out])
        return
    write_model(train(references), arguments.out)


if __name__ == "__main__":
    main()
