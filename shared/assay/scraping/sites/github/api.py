"""Requests to GitHub: REST API and raw file contents. https://docs.github.com/rest"""

import re
from typing import Any

from assay.scraping.site_registry import SiteContext
from assay.scraping.untrusted_json import clean_text

API, RAW = "https://api.github.com", "https://raw.githubusercontent.com"
SITE = "GitHub"
SECONDS, FILE_SECONDS = 10.0, 20.0
NAME = re.compile(r"(?!\.{1,2}$)[A-Za-z0-9_.-]{1,100}")


async def ask(path: str, context: SiteContext, **params: Any) -> Any:
    """Request a path of the REST API, with the configured token if there is one; return the JSON."""
    token = context.settings.key("GITHUB_TOKEN")
    headers = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    url = context.settings.base_url("github", API) + path
    return (await context.http.request("github", "GET", url, params=params, headers=headers, seconds=SECONDS)).body


async def raw(path: str, context: SiteContext, cap: int) -> bytes:
    """Fetch a raw file of at most `cap` bytes, without a token."""
    url = context.settings.base_url("github_raw", RAW) + path
    got = await context.http.request("github", "GET", url, seconds=FILE_SECONDS, cap=cap, expect="bytes")
    return bytes(got.body)


def are_names(*names: str) -> bool:
    """Whether all are valid owner or repository names."""
    return all(NAME.fullmatch(name) for name in names)


def clean_markdown(markdown: Any) -> str:
    """User-written Markdown without comments, sanitised."""
    from assay.text.markdown_comments import without_comments

    return without_comments(clean_text(markdown)).strip()
