"""The icons that clients show beside the server and its tools: small drawings, carried in the lists themselves."""

import base64
from collections.abc import Sequence
from functools import cache
from typing import Any

GREY = "#78716c"  # visible on light and dark backgrounds
SVG = (
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16' fill='none' stroke='{color}'><path d='{path}'/></svg>"
)
SERVER = "M2 14L8 2l6 12M5 9h6"
DRAWINGS = {  # by toolset, the most specific first
    "crawl": "M8 8L3 3M8 8l5-5M8 8L3 13M8 8l5 5M6 6h4v4H6z",
    "json": "M6 2H4v4L2 8l2 2v4h2M10 2h2v4l2 2-2 2v4h-2",
    "records": "M2 14h12M3 12V6m3 6V6m4 6V6m3 6V6M2 6l6-4 6 4z",
    "scholar": "M1 6l7-3 7 3-7 3zM4 8v4c2 1 6 1 8 0V8",
    "research": "M7 2a5 5 0 100 10A5 5 0 107 2M11 11l4 4",
}


@cache
def draw_icon(path: str) -> list[dict[str, Any]]:
    """The `icons` of an object with this drawing. The list is shared: callers must not modify it."""
    svg = base64.b64encode(SVG.format(color=GREY, path=path).encode()).decode()
    return [{"src": f"data:image/svg+xml;base64,{svg}", "mimeType": "image/svg+xml", "sizes": ["any"]}]


def list_tool_icons(toolsets: Sequence[str]) -> list[dict[str, Any]]:
    """The icons of a tool in these toolsets."""
    return draw_icon(next((path for name, path in DRAWINGS.items() if name in toolsets), DRAWINGS["research"]))


def list_server_icons() -> list[dict[str, Any]]:
    return draw_icon(SERVER)
