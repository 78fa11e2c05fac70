"""An answer as a person reads it: its JSON as lists, tables, links, rendered markdown and images, within bounds."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from assay.entrypoints.console.page_templates import format_link, format_outside
from assay.entrypoints.console.safe_markdown import FindImage, get_safe_link, render_markdown

MOST_ROWS = 200  # of a list
MOST_COLUMNS = 8
MOST_IMAGES = 24
DEEPEST = 6
LONGEST_CELL = 200  # characters; tables are for short values
LONGEST_PROSE = 100_000  # characters of an answer that are rendered as markdown
RASTER = re.compile(r"\.(png|jpe?g|gif|webp|avif)(\?|$)", re.IGNORECASE)
IMAGE_NAMES = re.compile(r"(^|[a-z_])(image|thumbnail|logo|icon|favicon|screenshot)(url|link)?$", re.IGNORECASE)
PROSE = frozenset({"content", "markdown", "text", "answer", "body", "report", "abstract", "note", "summary"})
WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")


class AnswerView:
    """Renders one answer. It counts images, which this server fetches, and markdown, which takes time."""

    def __init__(self, find_image: FindImage) -> None:
        self._find_image, self._prose = find_image, 0
        self._images: set[str] = set()  # those that are shown, each once

    def render(self, value: Any, name: str = "", depth: int = 0) -> Markup:
        """The value of the field `name`."""
        if isinstance(value, Mapping):
            return self._render_object(value, depth)
        if isinstance(value, list):
            return self._render_list(value, name, depth)
        if isinstance(value, str):
            return self._render_text(value, name)
        return format_outside("" if value is None else str(value).lower() if isinstance(value, bool) else value)

    def _render_object(self, value: Mapping[str, Any], depth: int) -> Markup:
        if depth >= DEEPEST:
            return Markup("<small>… {} fields, see the JSON</small>").format(len(value))
        rows = [
            Markup("<dt><bdi>{}</bdi></dt><dd>{}</dd>").format(_format_label(name), self.render(inner, name, depth + 1))
            for name, inner in list(value.items())[:MOST_ROWS]
            if inner not in (None, "", [], {})
        ]
        return (
            Markup('<dl class="answer">{}</dl>').format(Markup("").join(rows))
            if rows
            else Markup("<small>none</small>")
        )

    def _render_list(self, items: Sequence[Any], name: str, depth: int) -> Markup:
        if depth >= DEEPEST:
            return Markup("<small>… {} entries, see the JSON</small>").format(len(items))
        shown = items[:MOST_ROWS]
        columns = _find_columns(shown)
        more = Markup("<p><small>… {} more, see the JSON</small></p>").format(len(items) - len(shown))
        listed = self._render_table(shown, columns, name, depth) if columns else self._render_items(shown, name, depth)
        return listed + (more if len(items) > len(shown) else Markup(""))

    def _render_items(self, items: Sequence[Any], name: str, depth: int) -> Markup:
        rows = [Markup("<li>{}</li>").format(self.render(item, name, depth + 1)) for item in items]
        return Markup("<ol>{}</ol>").format(Markup("").join(rows))

    def _render_table(self, rows: Sequence[Any], columns: Sequence[str], name: str, depth: int) -> Markup:
        head = Markup("").join(Markup('<th scope="col">{}</th>').format(_format_label(one)) for one in columns)
        body = [
            Markup("<tr>{}</tr>").format(
                Markup("").join(
                    Markup("<td>{}</td>").format(self.render(row.get(one), one, depth + 1)) for one in columns
                )
            )
            for row in rows
        ]
        label = _format_label(name) or "entries"
        return Markup(
            '<div class="wide" role="region" tabindex="0" aria-label="{}"><table class="striped"><thead><tr>{}</tr>'
            "</thead><tbody>{}</tbody></table></div>"
        ).format(label, head, Markup("").join(body))

    def _render_text(self, text: str, name: str) -> Markup:
        if get_safe_link(text) is not None:
            return self._render_image(text, name) or format_link(text)
        if name in PROSE and ("\n" in text or len(text) > LONGEST_CELL) and self._prose < LONGEST_PROSE:
            self._prose += len(text)
            return render_markdown(text, self._count_image)
        return format_outside(text)

    def _render_image(self, url: str, name: str) -> Markup | None:
        if url in self._images or not (RASTER.search(url) or IMAGE_NAMES.search(name)):
            return None
        address = self._count_image(url)
        if address is None:
            return None
        image = Markup('<img class="found" src="{}" alt="Image from {}" loading="lazy">').format(address, url[:200])
        return Markup("<figure>{}<figcaption>{}</figcaption></figure>").format(image, format_link(url))

    def _count_image(self, url: str) -> str | None:
        """The address of the image at the proxy; None after the last one that is shown."""
        if len(self._images | {url}) > MOST_IMAGES:
            return None
        address = self._find_image(url)
        if address is not None:
            self._images.add(url)
        return address


def _find_columns(items: Sequence[Any]) -> list[str]:
    """The columns of a table, if all items are objects with few and short values; else none."""
    if len(items) < 2 or not all(isinstance(item, Mapping) for item in items):
        return []
    names = list(dict.fromkeys(name for item in items for name in item))
    values = [value for item in items for value in item.values()]
    are_short = all(not isinstance(value, dict | list) and len(str(value)) <= LONGEST_CELL for value in values)
    return names if are_short and len(names) <= MOST_COLUMNS else []


def _format_label(name: str) -> str:
    """`publishedAt` as `published at`."""
    return " ".join(WORDS.split(name[:100])).lower()
