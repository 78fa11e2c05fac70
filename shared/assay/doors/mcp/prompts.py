"""What a person may start from: instructions that lead a model through several tools. `PROMPTS` lists them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.errors import InvalidInput

type Messages = list[dict[str, Any]]


@dataclass(frozen=True)
class Prompt:
    """`card` is what the list shows, `write` makes the messages, `values` has what an argument may be."""

    card: Mapping[str, Any]
    write: Callable[[Mapping[str, str]], Messages]
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return str(self.card["name"])

    def messages(self, given: Mapping[str, Any]) -> Messages:
        """The messages for these arguments. Raises InvalidInput for one that is missing, unknown or no text."""
        known = {argument["name"]: argument for argument in self.card.get("arguments", ())}
        for name, value in given.items():
            if name not in known or not isinstance(value, str):
                takes = ", ".join(known) or "no arguments"
                raise InvalidInput(f"{self.name}: {name[:60]!r} is no argument in text; it takes {takes}.", field=name)
        for name, argument in known.items():
            if argument.get("required") and not given.get(name, "").strip():
                raise InvalidInput(f"{self.name}: {name} is required.", field=name)
        return self.write(given)

    def completions(self, argument: str, begun: str) -> list[str]:
        """The values of an argument that begin like this, sorted, 100 at most."""
        begun = begun.lower()
        return sorted(value for value in self.values.get(argument, ()) if value.lower().startswith(begun))[:100]


PROMPTS: tuple[Prompt, ...] = ()
