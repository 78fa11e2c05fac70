"""What sites answer about themselves, read so that nothing odd in it can do harm."""

import asyncio
import re
from collections.abc import Awaitable, Iterable
from typing import Any
from urllib.parse import parse_qsl, unquote

from assay.scraping.page import Page
from assay.text.url_parts import split_url

CAP = 100 * 1024  # bytes of a page that is made of answers
LINE, PROSE = 300, 50_000  # characters
TICKS = re.compile(r"`{3,}")


def rows(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; [] where it is none."""
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def record(value: Any) -> dict[str, Any]:
    """The object, an empty one where it is none."""
    return value if isinstance(value, dict) else {}


def prose(value: Any, limit: int = PROSE) -> str:
    """Text of several lines, without what nobody sees; "" where it is none."""
    return code(value, limit).strip()


def code(value: Any, limit: int = PROSE) -> str:
    """Text whose first indent means something, without what nobody sees; "" where it is none."""
    from assay.text.sanitize import sanitise

    return sanitise(value[:limit]).strip("\n") if isinstance(value, str) else ""


def line(value: Any, limit: int = LINE) -> str:
    """Text on one line, cut with an ellipsis; "" where it is none."""
    text = " ".join(prose(value, limit * 8).split())
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def markup(value: Any, url: str) -> str:
    """A fragment of HTML as markdown, all of what a reader would see of it."""
    if not isinstance(value, str) or not value.strip():
        return ""
    from assay.html.parser.html_tree import parse
    from assay.html.reader.main_content import collect_blocks
    from assay.html.reader.markdown_renderer import MarkdownRenderer

    page = collect_blocks(parse(value[:PROSE]))
    return prose(MarkdownRenderer(page, url).render(page.blocks))


def number(value: Any) -> int | None:
    """A count; None where it is none. A number written as text counts."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
        return int(value)
    from assay.provider_base.results import as_count

    return as_count(value)


def moment(value: Any, now: float) -> str:
    """When, in RFC 3339; "" where that is not said."""
    from assay.text.dates import rfc3339

    return rfc3339(value, now) or ""


def address(value: Any) -> str:
    """An http(s) address in normal form; "" where it is none."""
    from assay.text.url_text import place

    found = place(value)
    return found.href if found else ""


def tally(**counts: Any) -> str:
    """`Likes: 5 · Views: 70`; what is no count is left out."""
    known = [(name.replace("_", " ").capitalize(), number(value)) for name, value in counts.items()]
    return " · ".join(f"{name}: {value}" for name, value in known if value is not None)


def quote_markdown(text: str) -> str:
    """The text as a markdown quote."""
    return "\n".join(f"> {each}".rstrip() for each in text.splitlines())


def fence_code(text: str, language: str = "") -> str:
    """The text as a block of code that nothing in it can end."""
    longest = max((len(found) for found in TICKS.findall(text)), default=2)
    mark = "`" * (longest + 1)
    body = text.rstrip("\n")
    return f"{mark}{language}\n{body}\n{mark}"


def join_blocks(*blocks: str) -> str:
    """The blocks that hold anything, with an empty line between."""
    return "\n\n".join(block for block in blocks if block)


def steps(url: str) -> list[str]:
    """The parts of the path, decoded; empty ones are left out."""
    return [unquote(step) for step in split_url(url).path.split("/") if step]


def query_value(url: str, name: str) -> str:
    """The first value that the query gives `name`; "" where it gives none."""
    return next((value for key, value in parse_qsl(split_url(url).query) if key == name), "")


async def side_by_side(*questions: Awaitable[Any]) -> list[Any]:
    """All answers once all are there; the first failure where one failed, and nothing left running behind it."""
    answers = await asyncio.gather(*questions, return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return answers


def page(url: str, kind: str, blocks: Iterable[str], *, cap: int = CAP, **facts: Any) -> Page | None:
    """The blocks as a page; None where they hold nothing."""
    from assay.text.truncate import cut

    content, truncated, _ = cut(join_blocks(*blocks), cap)
    if not content.strip():
        return None
    return Page(url=url, content=content, content_type=kind, truncated=truncated, **facts)
