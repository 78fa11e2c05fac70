"""Formats the figures as docs/trust-report.md."""

from collections.abc import Mapping

from infra.trust_report.gold_sets import GoldFigures
from infra.trust_report.rates import Rate, Rates, format_table

HEAD = """<!-- Written by `make trust-report`; do not edit. -->
# Trust report

What the verification tools do on citations, titles, references and claims of which the truth is known. `make trust-report`
writes this page; the same code and data give the same page. A rate is printed with its exact (Clopper-Pearson) confidence
interval of 95 %: "0 of 100 (0.0 %; 0.0 %–3.6 %)" means that a true rate of up to 3.6 % fits the result.

## What the figures show, and what they do not

- The sets are in `tests/verification/gold` and are described there. Works, people, journals and DOIs are invented; the
  indexes that know them answer on loopback. The sets cover 14 languages and seven scripts.
- The tools are called as users call them: `audit_bibliography` with CSL-JSON and plain lists, `verify_citation` with single
  citations. Titles, the parser and claims are measured by the functions that these tools call.
- **The generator of the sets and the checks are of one house.** Errors that nobody here thought of are in neither. Invented
  indexes are complete and consistent; real ones are not. The figures are a regression test with error bounds, not an
  estimate of the rate on your documents.
- A flag asks for a look. It is no verdict, and no flag is no proof.
- Data sets of others may not be shipped. `make trust-report DATA=folder` measures on those that you have, and prints the
  result without writing it here.
"""


def format_page(figures: GoldFigures) -> str:
    """Return the page."""
    sound, planted = (_add_up(rates) for rates in (figures.sound, figures.planted))
    sections = [
        HEAD,
        "## Bibliographies",
        format_table(
            ["What", "Result"],
            [
                ("Sound citations that are flagged", sound),
                ("Citations with a planted error whose field is flagged", planted),
                ("Standards, patents, laws, theses and books called not found", figures.unindexed),
            ],
        ),
        "A sound citation of a retracted work should have the flag `retracted` and no other.",
        "### Sound citations, by kind",
        _format_rates("Kind", "Flagged", figures.sound),
        "### Planted errors, by kind",
        _format_rates("Kind", "Flagged", figures.planted),
        "### By language",
        _format_pairs("Language", figures.by_language),
        "### By form",
        "Items are CSL-JSON; printed references are in 32 citation styles; wrapped ones have a DOI broken over two lines.",
        _format_pairs("Form", figures.by_form),
        "## Single citations",
        (
            "`verify_citation` gives the expected status: `confirmed` for works that exist, `not_found` or `uncertain` for invented "
            "ones, `uncertain` where nothing could be known (`outage`, blocked links)."
        ),
        _format_rates("Kind", "As expected", figures.checked),
        "## Titles",
        (
            "Soundly printed references beside their record, beside the record with other authors, and with one word of the title "
            "exchanged for one of another title in the same language."
        ),
        _format_rates("What", "Result", figures.titles),
        "## Parser of printed references",
        "Soundly printed references; a field counts where the style prints it.",
        _format_rates("Field", "Exact", figures.parsed),
        _format_rates("Language", "Exact titles", figures.parsed_by_language),
        "## Claims",
        (
            "Claims beside the page that they are about, compared by words: the tier that needs no model. The other tiers (a model "
            "of natural language inference, a language model) are what the operator brings, and are not measured here."
        ),
        format_table(
            ["Claim", "`not_addressed`", "`contrast`"],
            [(kind, rates["not_addressed"], rates["contrast"]) for kind, rates in sorted(figures.claims.items())],
        ),
        format_table(
            ["Language", "Supported claims pointed at", "Other claims pointed at"],
            [
                (language, rates.get("supported", Rate()), rates.get("others", Rate()))
                for language, rates in sorted(figures.claims_by_language.items())
            ],
        ),
    ]
    return "\n\n".join(section.strip() for section in sections) + "\n"


def format_data_sets(results: Mapping[str, Rates]) -> str:
    """Return the section on data sets that are not shipped."""
    parts = ["## Data sets of others"]
    for name, rates in results.items():
        parts += [f"### {name}", _format_rates("What", "Result", rates)]
    return "\n\n".join(parts) + "\n"


def _format_rates(head: str, result: str, rates: Rates) -> str:
    return format_table([head, result], [(name, rate) for name, rate in sorted(rates.items())])


def _format_pairs(head: str, pairs: Mapping[str, tuple[Rate, Rate]]) -> str:
    rows = [(name, *pair) for name, pair in sorted(pairs.items())]
    return format_table([head, "Sound, flagged", "Planted, flagged"], rows)


def _add_up(rates: Rates) -> Rate:
    return Rate(sum(rate.successes for rate in rates.values()), sum(rate.trials for rate in rates.values()))
