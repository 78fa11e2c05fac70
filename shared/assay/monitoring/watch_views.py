"""Input fields and output models of the tools of watches."""

from typing import Annotated, Literal

from pydantic import Field

from assay.models.common import Cleared, JsonObject, Output, Pattern
from assay.monitoring.watch_records import FoundItem, Watch, WatchKind
from assay.text.timestamps import format_utc

HOUR = 3_600
MAX_QUERY = 500

Kind = Annotated[
    WatchKind,
    Field(description="What to watch: a search of this kind, the new works of an author, or a page by its URL."),
]
WatchQuery = Annotated[
    str, Field(min_length=1, max_length=MAX_QUERY, description="Search words, the author's name, or the page's URL.")
]
Provider = Annotated[
    Cleared[Annotated[str, Field(max_length=60)]], Field(description="One provider to use; otherwise configured order.")
]
Filters = Annotated[
    Annotated[dict[str, str | int | bool], Field(max_length=20)] | None,
    JsonObject(),
    Field(description='Further arguments of the search tool as JSON, such as {"language": "de"}.'),
]
type WatchId = Annotated[str, Pattern(r"[0-9a-f]{32}", "the id of a watch")]
type WatchStatus = Annotated[
    Literal["ok", "not_found", "limit_reached", "no_consent", "unavailable"],
    Field(
        description="ok; not_found: no such watch; limit_reached; no_consent: nothing is stored without consent; "
        "unavailable: unknown user."
    ),
]
Reason = Annotated[str | None, Field(description="Why it was refused, and what to do.")]
NO_WATCH = "You have no watch with this id or of this query. monitor_list shows your watches."


class NewResult(Output):
    url: Annotated[str, Field(description="Address of the result; of a page the one it was read at, after redirects.")]
    title: str = ""
    snippet: Annotated[str | None, Field(description="Short text of the result.")] = None
    author: Annotated[str | None, Field(description="Authors, inventor, court or sponsor.")] = None
    date: Annotated[str | None, Field(description="Date that the result states.")] = None
    found_at: Annotated[str, Field(description="When a check first found it; RFC 3339, UTC.")]
    diff: Annotated[str | None, Field(description="Unified diff of the passages of a page.")] = None
    change: Annotated[
        Literal["missing", "back"] | None,
        Field(description="missing: two checks did not find the page; back: it can be read again."),
    ] = None


class FeedAddresses(Output):
    atom: Annotated[str, Field(description="Atom; a path of this server where its public address is not set.")]
    json_feed: Annotated[str, Field(alias="json", description="JSON Feed.")]


class WatchEntry(Output):
    id: str
    kind: Annotated[str, Field(description="What is watched.")]
    query: Annotated[str, Field(description="Search words, author or URL.")]
    provider: Annotated[str | None, Field(description="The one provider that is used.")] = None
    saved_at: Annotated[str, Field(description="RFC 3339, UTC.")]
    expires_at: Annotated[str, Field(description="When it ends unless it is saved again.")]
    every_hours: Annotated[int, Field(description="Hours between two checks.")]
    state: Annotated[
        Literal["due", "parked", "stopped"],
        Field(
            description="due: it is checked; parked: checks failed too often; stopped: not scheduled. Save it again."
        ),
    ]
    last_run_at: Annotated[str | None, Field(description="End of the last check that succeeded.")] = None
    next_run_at: Annotated[str | None, Field(description="When the next check is due.")] = None
    failure: Annotated[str | None, Field(description="Why the last scheduled check failed.")] = None
    missing_since: Annotated[str | None, Field(description="Since when checks do not find the page.")] = None
    unread_count: Annotated[int, Field(description="New results that were not returned yet.")] = 0
    has_feed: Annotated[bool, Field(description="Whether it has a secret feed address.")] = False
    has_webhook: Annotated[bool, Field(description="Whether a webhook receives new results.")] = False
    session_id: Annotated[str | None, Field(description="Research session that receives new results.")] = None


def build_new_result(item: FoundItem) -> NewResult:
    return NewResult(
        url=item.url,
        title=item.title,
        snippet=item.snippet or None,
        author=item.author or None,
        date=item.date or None,
        found_at=format_utc(item.found),
        diff=item.diff or None,
        change=item.change or None,
    )


def build_feed_addresses(base: str, token: str) -> FeedAddresses:
    address = f"{base.rstrip('/')}/feeds/{token}"
    return FeedAddresses(atom=f"{address}.atom", json_feed=f"{address}.json")


def count_hours(watch: Watch) -> int:
    return round(watch.every / HOUR)
