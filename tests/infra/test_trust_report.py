"""The trust report counts the sets as they are, and reads data sets that are given by their path."""

import json
import re
from collections import Counter
from pathlib import Path

from infra.trust_report.data_sets import measure_data_sets
from infra.trust_report.gold_sets import count_claims
from infra.trust_report.rates import Rate, Rates, format_table
from tests.verification.citation_services import gold
from tests.verification.gold_audit import is_sound

PAGE = (Path(__file__).parents[2] / "docs" / "trust-report.md").read_text()


def read_trials(heading):
    """The number of trials of each row of the table below a heading."""
    section = PAGE.partition(f"{heading}\n")[2].partition("\n#")[0]
    rows = re.findall(r"^\| (\S[^|]*?) \| (?:.*? of ([\d,]+) \()", section, re.MULTILINE)
    return {name: int(trials.replace(",", "")) for name, trials in rows}


def test_the_page_counts_the_citations_of_the_sets():
    cases = [case for case in gold("references")["cases"] if case["kind"] != "unindexed"]
    assert read_trials("### Sound citations, by kind") == Counter(case["kind"] for case in cases if is_sound(case))
    assert read_trials("### Planted errors, by kind") == Counter(case["kind"] for case in cases if not is_sound(case))
    assert read_trials("## Single citations") == Counter(case["kind"] for case in gold()["cases"])


def test_the_page_counts_the_claims_of_the_set():
    claims = read_trials("## Claims")
    assert sum(count_claims().values()) == sum(trials for kind, trials in claims.items() if len(kind) > len("en"))
    assert set(count_claims()) <= set(claims)


def test_a_rate_has_its_exact_interval():
    assert str(Rate(0, 100)) == "0 of 100 (0.0 %; 0.0 %–3.6 %)"
    assert str(Rate()) == "–"
    rates = Rates()
    rates.add("a", happened=True)
    assert format_table(["Kind", "Rate"], rates.items()) == (
        "| Kind | Rate |\n| --- | --- |\n| a | 1 of 1 (100.0 %; 2.5 %–100.0 %) |"
    )


def test_data_sets_are_read_by_their_names(tmp_path):
    seed = {"title": "Otters of the northern moors", "authors": ["Ada Quist"], "venue": "River Letters", "year": 2003}
    seed |= dict.fromkeys(("volume", "pages", "publisher", "location", "doi", "arxiv_id"), "")
    data = {
        "citations": [seed | {"citation_id": "R"}, seed | {"citation_id": "H", "year": 1999}],
        "truth": {"R": {"subtype": "R1", "seed": seed}, "H": {"subtype": "H4", "seed": seed}},
    }
    (tmp_path / "citetracer-x.json").write_text(json.dumps(data))
    claim = {"claim": "Otters keep stones.", "evidence": "Otters keep stones for years.", "label": "SUPPORTS"}
    (tmp_path / "claims.jsonl").write_text(json.dumps(claim) + "\n\n")
    (tmp_path / "grobid").mkdir()
    reference = "<author>Quist, A.</author><date>2003</date><title>Otters of the northern moors</title>"
    journal = "<journal>River Letters</journal>"
    (tmp_path / "anystyle-core.xml").write_text(f"<dataset><sequence>{reference}{journal}</sequence></dataset>")
    citations, references, claims = measure_data_sets(tmp_path).values()
    assert {name: rate.successes for name, rate in citations.items()} == {"H4": 1, "R1": 0}
    assert references["Latin: confirmed"].trials == 1
    assert claims["supported: not_addressed"] == Rate(0, 1)
