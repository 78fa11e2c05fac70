"""Formats the figures as docs/trust-report.md."""

from collections.abc import Mapping

from infra.trust_report.gold_sets import GoldFigures
from infra.trust_report.rates import Rate, Rates, format_table

HEAD = """<!-- Written by `make trust-report`; do not edit. -->
# Trust report

For people who want to know how far to trust the verification tools: how often the tools are right on citations, titles,
references and claims whose correct result is known. A rate is printed with its exact (Clopper-Pearson) confidence interval of
95 %: "0 of 100 (0.0 %; 0.0 %–3.6 %)" means that a true rate of up to 3.6 % fits the result. `make trust-report` writes this
page; the same code and data give the same page.

## What the figures show, and what they do not

- **They are not an estimate of the rate on your documents.** They are a regression test with error bounds. The same project
  wrote the test sets and the checks, so errors that it did not think of are in neither. Invented indexes are complete and
  consistent; real ones are not.
- The sets are in `tests/verification/gold` and are described there. Works, people, journals and DOIs are invented; the
  indexes that know them are test servers. The sets cover 14 languages and seven scripts.
- The tools are called as users call them: `audit_bibliography` with CSL-JSON and plain lists, `verify_citation` with single
  citations. Titles, the parser and claims are measured with the functions that these tools call.
- A flag means that you should look at the citation. It is not a verdict. A citation without a flag is not proved correct.
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
        "`item` is CSL-JSON. `printed` is a reference in one of 32 citation styles. `wrapped` is one whose DOI is broken over two lines.",
        _format_pairs("Form", figures.by_form),
        "## Single citations",
        (
            "How often `verify_citation` gives the expected status: `confirmed` for works that exist, `not_found` or `uncertain` for "
            "invented ones, `uncertain` if nothing could be looked up (`outage`, blocked links)."
        ),
        _format_rates("Kind", "As expected", figures.checked),
        "## Titles",
        (
            "Correct printed references, compared with their record and with the record under other authors; and references in whose "
            "title one word is replaced by a word of another title in the same language, compared with the record."
        ),
        _format_rates("What", "Result", figures.titles),
        "## Parser of printed references",
        "Correct printed references. A field counts if the style prints it.",
        _format_rates("Field", "Exact", figures.parsed),
        _format_rates("Language", "Exact titles", figures.parsed_by_language),
        "## Claims",
        (
            "Claims, compared by words with the page that they are about. The other tiers (a model of natural language inference, a "
            "language model) depend on the operator's model and are not measured here."
        ),
        format_table(
            ["Claim", "`not_addressed`", "`contrast`"],
            [(kind, rates["not_addressed"], rates["contrast"]) for kind, rates in sorted(figures.claims.items())],
        ),
        format_table(
            ["Language", "Supported claims, either", "Other claims, either"],
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
