"""The two interfaces of GitHub: its REST API, and the files themselves."""

import re
from typing import Any

from assay.scraping.site_registry import Means
from assay.scraping.untrusted_json import prose

API, RAW = "https://api.github.com", "https://raw.githubusercontent.com"
SITE = "GitHub"
SECONDS, FILE_SECONDS = 10.0, 20.0
NAME = re.compile(r"(?!\.{1,2}$)[A-Za-z0-9_.-]{1,100}")


async def ask(path: str, means: Means, **params: Any) -> Any:
    """The JSON at a path of the API; with the operator's token, if there is one, else as anybody."""
    token = means.settings.key("GITHUB_TOKEN")
    headers = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    url = means.settings.base_url("github", API) + path
    return (await means.http.request("github", "GET", url, params=params, headers=headers, seconds=SECONDS)).body


async def raw(path: str, means: Means, cap: int) -> bytes:
    """A file as it is kept. No token goes there."""
    url = means.settings.base_url("github_raw", RAW) + path
    got = await means.http.request("github", "GET", url, seconds=FILE_SECONDS, cap=cap, expect="bytes")
    return bytes(got.body)


def are_names(*names: str) -> bool:
    return all(NAME.fullmatch(name) for name in names)


def clean_markdown(markdown: Any) -> str:
    """What people wrote in markdown, as its reader sees it."""
    from assay.text.markdown_comments import without_comments

    return without_comments(prose(markdown)).strip()
