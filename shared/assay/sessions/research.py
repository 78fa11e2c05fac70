"""A research session in memory: steps, gaps, and its summary."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from assay.state.json_documents import Document

FULL = 8  # up to this many steps, an answer contains all of them
LINE, SHORT_LINE, LAST, RECENT = 120, 80, 3, 5  # characters, characters, steps, steps


@dataclass(frozen=True)
class Research:
    """One session. Times are epoch seconds; `steps` are in recording order, `sources` in discovery order."""

    id: str
    goal: str
    started: float
    steps: list[Document] = field(default_factory=list)
    sources: list[Document] = field(default_factory=list)
    summary: str | None = None
    estimate: int = 0
    completed: float | None = None

    @property
    def gaps(self) -> list[Document]:
        """The open questions without duplicates, each with the step that raised it."""
        gaps: dict[str, Document] = {}
        for step in self.steps:
            if gap := step.get("knowledgeGap"):
                gaps.setdefault(gap, {"description": gap, "foundInStep": step["stepNumber"]})
        return list(gaps.values())

    @property
    def steps_with_revisions(self) -> list[Document]:
        """The steps with their revisions; gaps are listed separately."""
        by = {step["revisesStep"]: step["stepNumber"] for step in self.steps if step.get("revisesStep")}
        return [
            {name: value for name, value in step.items() if name != "knowledgeGap"}
            | ({"supersededBy": by[number]} if (number := step["stepNumber"]) in by and by[number] != number else {})
            for step in self.steps
        ]

    @property
    def index(self) -> list[Document]:
        return [
            {
                "stepNumber": step["stepNumber"],
                "oneLiner": truncate_line(step["description"], LINE),
                "branchId": step.get("branchId", ""),
                "confidence": step.get("confidence", ""),
            }
            for step in self.steps
        ]

    def summarize(self) -> str:
        """The researcher's summary, else the goal and the progress."""
        if self.summary:
            return self.summary
        lines = [truncate_line(step["description"], SHORT_LINE) for step in self.steps[-RECENT:]]
        goal = self.goal if self.goal.endswith((".", "?", "!")) else f"{self.goal}."
        return f"{goal} Progress: {'; '.join(lines)}" if lines else self.goal

    def find_steps(self, number: int) -> list[Document]:
        """Return the steps with this number, the latest first: each branch may have one."""
        return [step for step in reversed(self.steps_with_revisions) if step["stepNumber"] == number]


def format_numbers(steps: Iterable[Document]) -> str:
    """Describe the step numbers: a range if none is missing, else the last twenty."""
    numbers = sorted({step["stepNumber"] for step in steps})
    whole = numbers == list(range(1, len(numbers) + 1))
    return "steps " + (f"1-{len(numbers)}" if whole else ", ".join(map(str, numbers[-20:])))


def truncate_line(text: str, most: int) -> str:
    """Truncate the text to one line of at most `most` characters."""
    line = " ".join(text[: most * 8].split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def truncate_bytes(text: str, most: int) -> str:
    """Return the first `most` bytes of the text without splitting a character."""
    return text.encode()[:most].decode(errors="ignore")
