"""Files of GitHub: a repository's README with what speaks for it, one file, a gist."""

import base64
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from assay.errors import NotFound, ToolError
from assay.scraping.outside import code, fenced, line, moment, number, page, prose, record, rows, side_by_side
from assay.scraping.page import Page
from assay.scraping.sites import Means
from assay.scraping.sites.github.api import SITE, are_names, ask, raw

CAP = 2 * 1024 * 1024
GIST = re.compile(r"[0-9a-fA-F]{5,40}")
GIST_FILES = 30
MARKDOWN = ("md", "markdown", "mdown", "mkd", "mdx")
LANGUAGES = {
    "py": "python", "pyi": "python", "js": "javascript", "mjs": "javascript", "cjs": "javascript", "ts": "typescript",
    "tsx": "tsx", "jsx": "jsx", "rb": "ruby", "rs": "rust", "go": "go", "java": "java", "kt": "kotlin", "kts": "kotlin",
    "c": "c", "h": "c", "cc": "cpp", "cpp": "cpp", "hpp": "cpp", "cs": "csharp", "swift": "swift", "php": "php",
    "sh": "bash", "bash": "bash", "zsh": "bash", "ps1": "powershell", "sql": "sql", "html": "html", "css": "css",
    "scss": "scss", "json": "json", "yml": "yaml", "yaml": "yaml", "toml": "toml", "xml": "xml", "r": "r",
    "jl": "julia", "scala": "scala", "ex": "elixir", "exs": "elixir", "erl": "erlang", "hs": "haskell", "lua": "lua",
    "pl": "perl", "dart": "dart", "clj": "clojure", "tf": "hcl", "proto": "protobuf", "graphql": "graphql",
    "vue": "vue", "tex": "latex", "ini": "ini", "diff": "diff", "patch": "diff", "rst": "rst", "ipynb": "json",
}  # fmt: skip
NAMED = {"dockerfile": "dockerfile", "makefile": "makefile", "cmakelists.txt": "cmake"}
RELATIVE = re.compile(
    r"(!?)(\[[^\[\]\n]{0,300}\])\((?!#|[a-zA-Z][a-zA-Z0-9+.-]{0,20}:|//)([^()\s]{1,500})(\s[^()\n]{0,200})?\)"
)


async def readme(url: str, owner: str, name: str, means: Means) -> Page | None:
    """The README with the repository's signals beside it; None where there is none to be had."""
    if not are_names(owner, name):
        return None
    (text, path, way), repository = await side_by_side(_readme(owner, name, means), _repository(owner, name, means))
    if not text.strip():
        return None
    base = f"https://github.com/{owner}/{name}/"
    shown = _shown(text, path, base) if _ending(path) in MARKDOWN else text
    signals = trust_signals(repository, means.clock())
    return page(
        url,
        "github",
        [shown],
        cap=CAP,
        tier=way,
        title=f"{owner}/{name}",
        authors=[owner],
        site=SITE,
        modified=moment(repository.get("pushed_at"), means.clock()),
        description=line(repository.get("description")),
        canonical=base.rstrip("/"),
        extras={"githubTrustSignals": signals} if signals else {},
    )


async def _readme(owner: str, name: str, means: Means) -> tuple[str, str, str]:
    """Text, path and way of the README: by its usual name, else by whatever name the API finds it."""
    try:
        return _text(await raw(f"/{owner}/{name}/HEAD/README.md", means)) or "", "README.md", "github:raw"
    except NotFound:
        pass
    try:
        found = record(await ask(f"/repos/{owner}/{name}/readme", means))
    except NotFound:  # no README, no repository, or a place of the site that is no repository
        return "", "", ""
    try:
        body = base64.b64decode(str(found.get("content") or ""))
    except ValueError:
        return "", "", ""
    return _text(body) or "", line(found.get("path")) or "README", "github:contents-api"


async def _repository(owner: str, name: str, means: Means) -> dict[str, Any]:
    """What the API says of the repository; nothing where it does not answer, for the README stands without it."""
    try:
        return record(await ask(f"/repos/{owner}/{name}", means))
    except ToolError:
        return {}


def trust_signals(repository: Mapping[str, Any], now: float) -> dict[str, Any]:
    """`{stars, forks, openIssues, archived, isFork, license?, lastPush?, createdAt?, ownerType?}`; {} if unknown."""
    stars = number(repository.get("stargazers_count"))
    if stars is None:
        return {}
    told = {
        "stars": stars,
        "forks": number(repository.get("forks_count")),
        "openIssues": number(repository.get("open_issues_count")),
        "archived": repository.get("archived") is True,
        "isFork": repository.get("fork") is True,
        "license": line(record(repository.get("license")).get("spdx_id"), 60),
        "lastPush": moment(repository.get("pushed_at"), now),
        "createdAt": moment(repository.get("created_at"), now),
        "ownerType": line(record(repository.get("owner")).get("type"), 30),
    }
    return {name: value for name, value in told.items() if value is not None and value != ""}


async def blob(url: str, owner: str, name: str, means: Means) -> Page | None:
    """One file: markdown as it is, code in a fence. None for what is no text, and for what raw does not have."""
    if not are_names(owner, name):
        return None
    _, _, _, place = urlsplit(url).path.removeprefix("/").split("/", 3)  # ref and path, encoded as they came
    try:
        text = _text(await raw(f"/{owner}/{name}/{place}", means))
    except NotFound:  # it may have moved with its repository, which the site itself follows
        return None
    if not text:
        return None
    ref, _, path = place.partition("/")
    base = f"https://github.com/{owner}/{name}/"
    is_markdown = _ending(path) in MARKDOWN
    content = _shown(text, path, base, ref) if is_markdown else fenced(code(text, CAP), language(path))
    return page(
        url,
        "github",
        [content],
        cap=CAP,
        tier="github:raw",
        title=f"{line(unquote(path))} in {owner}/{name}",
        authors=[owner],
        site=SITE,
        canonical=url,
    )


def language(path: str) -> str:
    """How a fence names the language of a file; "" where its name does not say."""
    file = path.rpartition("/")[2].lower()
    return NAMED.get(file) or LANGUAGES.get(_ending(path), "")


def _ending(path: str) -> str:
    return path.rpartition("/")[2].lower().rpartition(".")[2]


def _text(body: bytes) -> str | None:
    """The file as text; None where it is none."""
    if b"\x00" in body[:8_000]:
        return None
    from assay.text.decode import decode

    return decode(body, None)


def _shown(text: str, path: str, base: str, ref: str = "HEAD") -> str:
    """Markdown as its reader sees it, with links that lead somewhere from here too."""
    from assay.text.comments import without_comments

    def led(found: re.Match[str]) -> str:
        kind = "raw" if found[1] else "blob"
        start = f"{base}{kind}/{ref}/" + ("" if found[3].startswith("/") else path)
        try:
            there = urljoin(start, found[3].lstrip("/"))
        except ValueError:
            return found[0]
        return f"{found[1]}{found[2]}({there}{found[4] or ''})" if there.startswith(base) else found[0]

    return RELATIVE.sub(led, without_comments(prose(text, CAP)))


async def gist(url: str, identifier: str, means: Means) -> Page | None:
    """A gist's files, each under its name."""
    if not GIST.fullmatch(identifier):
        return None
    try:
        found = record(await ask(f"/gists/{identifier}", means))
    except NotFound as gone:
        raise NotFound("Not found: GitHub has no such gist, or no longer. Check the URL.") from gone
    files = rows(list(record(found.get("files")).values()))[:GIST_FILES]
    told = [block for file in files if prose(file.get("content")) for block in _file(file)]
    if not told:
        return None
    owner, now = line(record(found.get("owner")).get("login"), 60), means.clock()
    described = line(found.get("description"))
    made = page(
        url,
        "github",
        [f"# {described}" if described else "", *told],
        cap=CAP,
        title=described or next((line(file.get("filename")) for file in files), "Gist"),
        authors=[owner] if owner else [],
        site="GitHub Gist",
        published=moment(found.get("created_at"), now),
        modified=moment(found.get("updated_at"), now),
        description=described,
    )
    if made is not None and any(file.get("truncated") is True for file in files):
        made.truncated = True
    return made


def _file(file: dict[str, Any]) -> list[str]:
    from assay.text.comments import without_comments

    name, text = line(file.get("filename")) or "file", code(file.get("content"), CAP)
    is_markdown = _ending(name) in MARKDOWN
    return [f"## {name}", without_comments(text) if is_markdown else fenced(text, language(name))]
