"""Measure how often the comparison of claims accuses supported ones, and find the threshold that accuses none.

    uv run python infra/benchmarks/claims.py [--set FILE.jsonl --claim claim --text evidence --supported entailment]

Without a set, the labelled claims of tests/verification/gold are measured. `--supported` is the value of `label` for
supported claims; the others count as not supported. The words tier is measured, and the model that the settings name
(NLI_MODEL_PATH, NLI_BASE_URL or LLM_*): each claim is then one request to it. Intervals are Clopper-Pearson, 95 %.
"""

import argparse
import asyncio
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from assay.bootstrap import local_services
from assay.caller import Caller
from assay.context import Context
from assay.evaluation.binomial_bounds import clopper_pearson
from assay.settings import Settings
from assay.verification.claim_coverage import measure_coverage
from assay.verification.claim_tiers import ask_tiers
from assay.verification.tier_answer import TierAnswer

GOLD = Path(__file__).parents[2] / "tests" / "verification" / "gold"
LOWEST = {"NLI_CONTRADICTION_THRESHOLD": "0.5", "LLM_CONTRADICTION_THRESHOLD": "0.5"}  # all that may be an accusation
REFUTING = ("opposite", "number", "swapped")  # kinds of claims that their page contradicts


class Labelled(NamedTuple):
    claim: str
    text: str
    is_supported: bool


def read_gold() -> Iterator[Labelled]:
    """The supported claims, and those that their page contradicts."""
    for path in (*sorted((GOLD / "claims").glob("*.json")), GOLD / "free_paraphrases.json"):
        for page in json.loads(path.read_text(encoding="utf-8")):
            for claim, kind in page["claims"]:
                if kind in ("supported", *REFUTING):
                    yield Labelled(claim, f"{page['title']}\n\n{' '.join(page['text'])}", kind == "supported")


def read_set(arguments: argparse.Namespace) -> Iterator[Labelled]:
    for line in arguments.set.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        supported = str(row[arguments.label]) == arguments.supported
        yield Labelled(row[arguments.claim], row[arguments.text], supported)


def format_rate(name: str, hits: int, trials: int) -> str:
    low, high = clopper_pearson(hits, trials)
    return f"{name}: {hits}/{trials} = {hits / max(1, trials):.4f} [{low:.4f}, {high:.4f}]"


def print_words(claims: list[Labelled]) -> None:
    results = [(each.is_supported, measure_coverage(each.claim, each.text)) for each in claims]
    for is_supported, name in ((True, "supported"), (False, "not supported")):
        of_kind = [result for kind, result in results if kind is is_supported]
        absent = sum(result.coverage == "not_addressed" for result in of_kind)
        print(format_rate(f"words: {name} claims called not_addressed", absent, len(of_kind)))
        print(
            format_rate(f"words: {name} claims with the contrast hint", sum(r.contrast for r in of_kind), len(of_kind))
        )


async def print_model(claims: list[Labelled], limit: int) -> None:
    with tempfile.TemporaryDirectory() as home:
        services = local_services(Settings.read({**os.environ, "ASSAY_HOME": home, **LOWEST}))
        answers: list[tuple[bool, TierAnswer]] = []
        failures: list[str] = []
        for each in claims[:limit]:
            asked = await ask_tiers(Context(services, Caller()), each.claim, each.text, None)
            failures += asked.failures
            answers += [(each.is_supported, asked.answer)] if asked.answer else []
        await services.close()
    if not answers:
        print("model: none is configured" if not failures else f"model: no answer; {failures[0]}")
        return
    print_threshold(answers, len(failures))


def print_threshold(answers: list[tuple[bool, TierAnswer]], failures: int) -> None:
    """Print the lowest threshold that accuses no supported claim, and what it finds of the others."""
    tier = answers[0][1].tier
    contrary = [(kind, answer.probability) for kind, answer in answers if answer.relation == "contradiction"]
    accused = [probability for is_supported, probability in contrary if is_supported]
    threshold = min(1.0, max(accused, default=0.5) + 0.001)
    left = sum(value >= threshold for value in accused)
    supported = sum(is_supported for is_supported, _ in answers)
    found = sum(not is_supported and probability >= threshold for is_supported, probability in contrary)
    print(f"{tier}: {len(answers)} answers, {failures} failures")
    print(format_rate(f"{tier}: supported claims accused at 0.5", len(accused), supported))
    print(format_rate(f"{tier}: supported claims accused at {threshold:.3f}", left, supported))
    print(format_rate(f"{tier}: other claims accused at {threshold:.3f}", found, len(answers) - supported))
    prefix = tier.upper()
    print(f"{prefix}_CONTRADICTION_THRESHOLD={threshold:.3f} {prefix}_DEVELOPMENT_TRIALS={left}/{supported}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", type=Path, help="JSON lines with a claim, a text and a label")
    parser.add_argument("--claim", default="claim")
    parser.add_argument("--text", default="text")
    parser.add_argument("--label", default="label")
    parser.add_argument("--supported", default="supported")
    parser.add_argument("--limit", type=int, default=100_000, help="claims compared by the model")
    arguments = parser.parse_args()
    claims = list(read_set(arguments) if arguments.set else read_gold())
    print_words(claims)
    asyncio.run(print_model(claims, arguments.limit))


if __name__ == "__main__":
    main()
