"""The pages of the app views: one HTML document each, whose policy admits only the script and style inside it.

A page has no data: its host sends it the answer of the tool, and everything in an answer becomes text.
"""

import base64
import hashlib
from functools import cache
from pathlib import Path

from assay.context import Context
from assay.entrypoints.mcp.app_negotiation import SCHEME

FOLDER = Path(__file__).with_name("app_views")
SHARED = ("host.js", "elements.js", "following.js")
OWN = {"audit": ("evidence.js", "audit.js"), "session": ("graph.js", "session.js"), "crawl": ("crawl.js",)}
TITLES = {"audit": "Audit of references", "session": "Research session", "crawl": "Crawl"}


async def read_page(uri: str, _: Context) -> str:
    """Read the page of a view."""
    return build_page(uri.removeprefix(SCHEME))


@cache
def build_page(view: str) -> str:
    """Build the HTML document of a view."""
    script = "".join(_read_asset(name) for name in (*SHARED, *OWN[view]))
    style = _read_asset("style.css")
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; base-uri 'none'; form-action 'none'"
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="referrer" content="no-referrer">'
        f"<title>{TITLES[view]}</title><style>{style}</style></head>"
        f'<body><h1 id="title">{TITLES[view]}</h1><p id="state" role="status">Waiting for the answer.</p>'
        f'<main id="view"></main><script type="module">{script}</script></body></html>\n'
    )


def _read_asset(name: str) -> str:
    return FOLDER.joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """The source expression of Content Security Policy for this inline script or style."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
