"""Defensive access to JSON from sites: type checks, sanitised and length-limited text."""

import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qsl, unquote

from assay.net.guarded_client import Fetched
from assay.scraping.page import Page
from assay.text.url_parts import split_url

CAP = 100 * 1024  # maximum size of a page in bytes
LINE, PROSE = 300, 50_000  # characters


def read_response(fetched: Fetched) -> Any:
    """The JSON of a response; None if it has another status than 200, is cut, or is no JSON."""
    if fetched.status != 200 or fetched.truncated:
        return None
    try:
        return json.loads(fetched.body)
    except (ValueError, RecursionError):
        return None


def objects_in(value: Any) -> list[dict[str, Any]]:
    """The objects in a list; [] if the value is not a list."""
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


def as_object(value: Any) -> dict[str, Any]:
    """The value if it is an object, otherwise {}."""
    return value if isinstance(value, dict) else {}


def clean_text(value: Any, limit: int = PROSE) -> str:
    """Sanitised multi-line text of at most `limit` characters; "" if the value is not text."""
    return clean_code(value, limit).strip()


def clean_code(value: Any, limit: int = PROSE) -> str:
    """Sanitised text with leading indentation; "" if the value is not text."""
    from assay.text.sanitize import sanitise

    return sanitise(value[:limit]).strip("\n") if isinstance(value, str) else ""


def clean_line(value: Any, limit: int = LINE) -> str:
    """Text on one line, truncated with an ellipsis; "" if the value is not text."""
    text = " ".join(clean_text(value, limit * 8).split())
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def html_to_markdown(value: Any, url: str) -> str:
    """Convert an HTML fragment to Markdown, without hidden text."""
    if not isinstance(value, str) or not value.strip():
        return ""
    from assay.documents.html_markdown import render_html

    return clean_text(render_html(value[:PROSE], url)[0])


def parse_count(value: Any) -> int | None:
    """A count, also from a decimal string; None if the value is not a count."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
        return int(value)
    from assay.provider_base.results import as_count

    return as_count(value)


def parse_date(value: Any, now: float) -> str:
    """Convert a date to RFC 3339; "" if the value is not a date."""
    from assay.text.dates import rfc3339

    return rfc3339(value, now) or ""


def parse_url(value: Any) -> str:
    """The normalised http(s) URL; "" if the value is not one."""
    from assay.text.url_text import parse_http_url

    found = parse_http_url(value)
    return found.href if found else ""


def format_counts(**counts: Any) -> str:
    """Format counts as `Likes: 5 · Views: 70`; values that are not counts are omitted."""
    known = [(name.replace("_", " ").capitalize(), parse_count(value)) for name, value in counts.items()]
    return " · ".join(f"{name}: {value}" for name, value in known if value is not None)


def format_link(address: Any, title: Any, description: Any) -> str:
    """Format the card of a link as `Link: [title](address) — description`; "" without an address."""
    link, name, more = parse_url(address), clean_line(title), clean_line(description, 500)
    return f"Link: [{name or link}]({link})" + (f" — {more}" if more else "") if link else ""


def quote_markdown(text: str) -> str:
    """Format the text as a Markdown block quote."""
    return "\n".join(f"> {each}".rstrip() for each in text.splitlines())


def join_blocks(*blocks: str) -> str:
    """Join the non-empty blocks with blank lines."""
    return "\n\n".join(block for block in blocks if block)


def path_segments(url: str) -> list[str]:
    """The decoded, non-empty segments of the URL's path."""
    return [unquote(step) for step in split_url(url).path.split("/") if step]


def query_value(url: str, name: str) -> str:
    """The first value of the query parameter `name`; "" if missing."""
    return next((value for key, value in parse_qsl(split_url(url).query) if key == name), "")


def build_page(
    url: str, kind: str, blocks: Iterable[str], *, cap: int = CAP, left_out: str = "", **facts: Any
) -> Page | None:
    """Build a page from the blocks, truncated to `cap` bytes; None if they are empty.

    `left_out` is a sentence on what else the page has, "" for nothing.
    """
    from assay.text.truncate import cut

    content, truncated, _ = cut(join_blocks(*blocks), cap)
    if not content.strip():
        return None
    note = " ".join(filter(None, (facts.pop("access_note", None), left_out))) or None
    is_cut = truncated or left_out != ""
    return Page(url=url, content=content, content_type=kind, truncated=is_cut, access_note=note, **facts)


def describe_left_out(total: int, shown: int, what: str) -> str:
    """Return the sentence for `build_page` on a page with `total` comments or the like of which `shown` were read."""
    return f"The page has {total} {what}, of which {shown} were read." if total > shown else ""
