"""The templates of the pages. Every value is escaped; text from outside is cut, and isolated from what is around it."""

from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from assay import __version__
from assay.entrypoints.console.asset_files import get_asset_address
from assay.entrypoints.console.safe_markdown import get_safe_link, render_markdown
from assay.oauth.scopes import describe_scope
from assay.text.timestamps import format_utc

SHOWN = 300  # characters of a text from outside, before the rest is folded away
FOLDED = 20_000  # characters of the rest


@cache
def build_environment() -> Environment:
    """The environment of all templates."""
    environment = Environment(
        loader=PackageLoader("assay.entrypoints.console"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.globals |= {"asset": get_asset_address, "version": __version__}
    environment.filters |= {
        "outside": format_outside,
        "outside_link": format_link,
        "moment": format_moment,
        "markdown": render_markdown,
        "scope_words": describe_scope,
        "segment": lambda text: quote(str(text), safe=""),
    }
    return environment


def render_template(name: str, values: Mapping[str, Any]) -> str:
    return build_environment().get_template(name).render(values)


def format_outside(text: object, shown: int = SHOWN, folded: int = FOLDED) -> Markup:
    """Text from outside: isolated, since its direction may differ, and its end folded away where it is long."""
    whole = str(text)
    if len(whole) <= shown:
        return Markup("<bdi>{}</bdi>").format(whole)
    rest = whole[:folded]
    note = "" if len(whole) <= folded else f"… the first {folded:,} of {len(whole):,} characters"
    return Markup(
        '<details class="long"><summary><bdi>{}</bdi>…</summary><p dir="auto">{}</p><p><small>{}</small></p></details>'
    ).format(whole[:shown], rest, note)


def format_link(url: object, text: object = "", shown: int = SHOWN) -> Markup:
    """A link to an address from outside with its text; the text alone for other schemes than http, https and mailto."""
    address, label = str(url), str(text) or str(url)
    link = get_safe_link(address)
    label = label if len(label) <= shown else f"{label[:shown]}…"
    if link is None:
        return Markup("<bdi>{}</bdi>").format(label)
    return Markup('<a href="{}" rel="noopener noreferrer nofollow"><bdi>{}</bdi></a>').format(link, label)


def format_moment(value: object) -> Markup:
    """A time in seconds, or an RFC 3339 text, as an element that browsers and scripts understand."""
    text = format_utc(float(value)) if isinstance(value, int | float) else str(value)
    shown = text[:16].replace("T", " ") if text[10:11] == "T" else text
    return Markup('<time datetime="{}">{}</time>').format(text, escape(shown))
