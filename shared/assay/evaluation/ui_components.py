"""Builds cards and a comparison table for clients that render UI components."""

from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from assay.evaluation.source_quality import QualityScore
from assay.models.common import Output
from assay.text.plain_text import to_plain_text

SNIPPET_LENGTH = 200  # characters
COLUMNS = ("source", "overall", "authority", "relevance", "freshness")


class Card(Output):
    title: str
    url: str
    snippet: str


class Table(Output):
    columns: Annotated[list[str], Field(description="Headings of the columns.")]
    rows: Annotated[list[list[str]], Field(description="Cells of each row, as text.")]


class Component(Output):
    """Something to draw. `label` and `auto_formatted` say that a program shaped it."""

    type: Annotated[Literal["card", "table"], Field(description="card or table, whichever field is present.")]
    auto_formatted: Annotated[Literal[True], Field(description="true: shaped by a program, not by a model.")] = True
    label: Annotated[
        Literal["mcp-auto-formatted"], Field(description="Constant that marks the component as shaped by the server.")
    ] = "mcp-auto-formatted"
    title: str | None = None
    source_refs: Annotated[list[str] | None, Field(description="URLs of the sources shown.")] = None
    card: Annotated[Card | None, Field(description="Content of a card.")] = None
    table: Annotated[Table | None, Field(description="Content of a table.")] = None


class RatedSource(NamedTuple):
    url: str
    title: str
    content: str
    scores: QualityScore


def build_ui_components(sources: Sequence[RatedSource]) -> list[Component]:
    """Build one card per source and, for several sources, a table that compares their scores."""
    cards = [_card(source) for source in sources]
    return [*cards, _table(sources)] if len(sources) > 1 else cards


def _card(source: RatedSource) -> Component:
    title = source.title or source.url
    card = Card(title=title, url=source.url, snippet=to_plain_text(source.content, SNIPPET_LENGTH))
    return Component(type="card", title=title, source_refs=[source.url], card=card)


def _table(sources: Sequence[RatedSource]) -> Component:
    rows = [
        [source.title or source.url, *(f"{getattr(source.scores, name):.2f}" for name in COLUMNS[1:])]
        for source in sources
    ]
    return Component(
        type="table",
        title="Quality of the sources",
        source_refs=[source.url for source in sources],
        table=Table(columns=list(COLUMNS), rows=rows),
    )
