"""Issues and pull requests of GitHub with their comments."""

from typing import Any

from assay.errors import NotFound, ToolError
from assay.scraping.page import Page
from assay.scraping.site_registry import SiteContext
from assay.scraping.sites.github.api import SITE, are_names, ask, clean_markdown
from assay.scraping.untrusted_json import (
    as_object,
    build_page,
    clean_line,
    describe_left_out,
    join_blocks,
    objects_in,
    parse_count,
    parse_date,
    quote_markdown,
)
from assay.state.concurrent_map import gather_all

COMMENTS = 50
CAP = 500 * 1024
WITHOUT = "The comments could not be read; this is the opening post only."


async def read_thread(url: str, owner: str, name: str, identifier: str, context: SiteContext) -> Page | None:
    """Read an issue or a pull request with its first fifty comments."""
    if not are_names(owner, name) or not (identifier.isascii() and identifier.isdigit() and len(identifier) < 12):
        return None
    path = f"/repos/{owner}/{name}/issues/{identifier}"
    try:
        issue, comments = await gather_all(ask(path, context), _comments(path, context))
    except NotFound as gone:
        raise NotFound(f"Not found: GitHub shows no item {identifier} in {owner}/{name}. Check the URL.") from gone
    return _page(url, f"{owner}/{name}", as_object(issue), comments, context.clock())


async def _comments(path: str, context: SiteContext) -> list[dict[str, Any]] | None:
    try:
        return objects_in(await ask(f"{path}/comments", context, per_page=COMMENTS))
    except ToolError:
        return None


def _page(
    url: str, repository: str, issue: dict[str, Any], comments: list[dict[str, Any]] | None, now: float
) -> Page | None:
    title = clean_line(issue.get("title"))
    if not title:
        return None
    identifier, author = parse_count(issue.get("number")), _author(issue)
    comment_blocks = [_comment(comment, now) for comment in comments or [] if clean_markdown(comment.get("body"))]
    comment_count = parse_count(issue.get("comments")) or 0
    further = comment_count - COMMENTS
    return build_page(
        url,
        "github",
        [
            f"# {title}" + (f" #{identifier}" if identifier else ""),
            _facts(issue, author, now),
            clean_markdown(issue.get("body")),
            "## Comments" if comment_blocks else "",
            *comment_blocks,
            f"({further} further comments are on the page.)" if comment_blocks and further > 0 else "",
        ],
        cap=CAP,
        title=f"{title} · {repository}" + (f" #{identifier}" if identifier else ""),
        authors=[author] if author else [],
        site=SITE,
        published=parse_date(issue.get("created_at"), now),
        modified=parse_date(issue.get("updated_at"), now),
        quality="partial" if comments is None and comment_count else "complete",
        access_note=WITHOUT if comments is None and comment_count else None,
        left_out=describe_left_out(comment_count, COMMENTS, "comments") if comment_blocks else "",
    )


def _author(row: dict[str, Any]) -> str:
    return clean_line(as_object(row.get("user")).get("login"), 60)


def _facts(issue: dict[str, Any], author: str, now: float) -> str:
    request = issue.get("pull_request")
    merged = parse_date(as_object(request).get("merged_at"), now)
    state = f"merged {merged}" if merged else clean_line(issue.get("state"), 20)
    reason = clean_line(issue.get("state_reason"), 30).replace("_", " ")
    labels = ", ".join(
        name for row in objects_in(issue.get("labels"))[:30] if (name := clean_line(row.get("name"), 60))
    )
    opened = parse_date(issue.get("created_at"), now)
    known = [
        f"- Kind: {'pull request' if isinstance(request, dict) else 'issue'}",
        f"- State: {state}" + (f" ({reason})" if reason and not merged else "") if state else "",
        f"- By: {author}" if author else "",
        f"- Opened: {opened}" if opened else "",
        f"- Labels: {labels}" if labels else "",
    ]
    return "\n".join(fact for fact in known if fact)


def _comment(comment: dict[str, Any], now: float) -> str:
    author, when = _author(comment) or "someone", parse_date(comment.get("created_at"), now)
    return join_blocks(
        f"**{author}**" + (f", {when}:" if when else ":"), quote_markdown(clean_markdown(comment.get("body")))
    )
