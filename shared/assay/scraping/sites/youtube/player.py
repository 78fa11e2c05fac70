"""YouTube player data (metadata, caption tracks), from the player API and from watch pages."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from assay.errors import ToolError
from assay.scraping.site_registry import SiteContext
from assay.scraping.untrusted_json import as_object, clean_line, clean_text, objects_in, parse_date

WWW, MOBILE = "https://www.youtube.com", "https://m.youtube.com"
SECONDS = 10.0
VERSION, SYSTEM = "1.65.10", "12L"
CLIENT = {
    "clientName": "ANDROID_VR",
    "clientVersion": VERSION,
    "deviceMake": "Oculus",
    "deviceModel": "Quest 3",
    "osName": "Android",
    "osVersion": SYSTEM,
    "androidSdkVersion": 32,
    "hl": "en",
    "gl": "US",
}
AGENT = f"com.google.android.apps.youtube.vr.oculus/{VERSION} (Linux; U; Android {SYSTEM}; eureka-user) gzip"
KIT = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0"
PHONE = f"Mozilla/5.0 (Linux; Android 14; Pixel 8) {KIT} Mobile Safari/537.36"
DESKTOP = f"Mozilla/5.0 (X11; Linux x86_64) {KIT} Safari/537.36"
CONSENT_COOKIE = "SOCS=CAI"  # skips the cookie consent page
KEY = re.compile(r"[A-Za-z0-9_-]{8,80}")
VISITOR = re.compile(r"[A-Za-z0-9_%=-]{8,400}")
RESPONSE = re.compile(r"ytInitialPlayerResponse[\"']?\]?\s{0,9}[=:]\s{0,9}")
DESCRIPTION = re.compile(r'"shortDescription"\s{0,9}:\s{0,9}')
ESCAPED = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))", re.DOTALL)
MAX_MATCHES = 5  # per page, against pages with excessive matches


@dataclass(frozen=True)
class Track:
    """A caption track. `url` is untrusted."""

    url: str
    language: str
    is_automatic: bool


@dataclass
class Video:
    """A video's metadata, from one or more player responses."""

    title: str = ""
    author: str = ""
    description: str = ""
    published: str = ""
    tracks: list[Track] = field(default_factory=list)
    is_gone: bool = False

    def merge(self, other: "Video") -> None:
        """Fill empty fields from another response."""
        self.title = self.title or other.title
        self.author = self.author or other.author
        self.description = self.description or other.description
        self.published = self.published or other.published
        self.tracks = self.tracks or other.tracks
        self.is_gone = self.is_gone and other.is_gone


def addresses(context: SiteContext) -> tuple[str, str]:
    """The base URLs of the desktop and mobile site; a configured base URL replaces both."""
    www = context.settings.base_url("youtube", WWW)
    return www, context.settings.base_url("youtube_mobile", MOBILE if www == WWW else www)


async def fetch_watch_page(base: str, video: str, agent: str, context: SiteContext) -> str:
    """Fetch the watch page of the video; "" on errors."""
    try:
        response = await context.http.request(
            "youtube",
            "GET",
            f"{base}/watch",
            params={"v": video, "hl": "en"},
            headers={"User-Agent": agent, "Accept-Language": "en", "Cookie": CONSENT_COOKIE},
            seconds=SECONDS,
            expect="text",
        )
    except ToolError:
        return ""
    return str(response.body)


async def fetch_player_response(video: str, page: str, context: SiteContext) -> Video | None:
    """Request the player API with the key and visitor id from the watch page; None on errors."""
    key, visitor = _find_config_text(page, "INNERTUBE_API_KEY", KEY), _find_config_text(page, "VISITOR_DATA", VISITOR)
    client = CLIENT | ({"visitorData": visitor} if visitor else {})
    www, _ = addresses(context)
    headers = {"User-Agent": AGENT, "X-YouTube-Client-Name": "28", "X-YouTube-Client-Version": VERSION, "Origin": WWW}
    try:
        response = await context.http.request(
            "youtube",
            "POST",
            f"{www}/youtubei/v1/player",
            params={"key": key or None, "prettyPrint": "false"},
            headers=headers | ({"X-Goog-Visitor-Id": visitor} if visitor else {}),
            json={"context": {"client": client}, "videoId": video, "contentCheckOk": True, "racyCheckOk": True},
            seconds=SECONDS,
        )
    except ToolError:
        return None
    return parse_player_response(response.body, context.clock())


def parse_watch_page(page: str, now: float) -> Video | None:
    """Parse the embedded player response of a watch page, or else its description; None if there is neither."""
    for data in _values(page, RESPONSE):
        known = parse_player_response(data, now)
        if known is not None:
            return known
    described = next((text for data in _values(page, DESCRIPTION) if (text := clean_text(data))), "")
    return Video(title=_title(page), description=described) if described else None


def parse_player_response(answer: Any, now: float) -> Video | None:
    """Parse a player response; None if it is not one."""
    data = as_object(answer)
    details, playable = as_object(data.get("videoDetails")), as_object(data.get("playabilityStatus"))
    if not (details or playable or data.get("captions")):
        return None
    microformat = as_object(as_object(data.get("microformat")).get("playerMicroformatRenderer"))
    return Video(
        title=clean_line(details.get("title")),
        author=clean_line(details.get("author") or microformat.get("ownerChannelName"), 100),
        description=clean_text(details.get("shortDescription")),
        published=parse_date(microformat.get("publishDate") or microformat.get("uploadDate"), now),
        tracks=_tracks(as_object(data.get("captions"))),
        is_gone=playable.get("status") == "ERROR" and not details.get("title"),
    )


def _tracks(captions: dict[str, Any]) -> list[Track]:
    listed = objects_in(as_object(captions.get("playerCaptionsTracklistRenderer")).get("captionTracks"))
    return [
        Track(url, clean_line(row.get("languageCode"), 20).lower(), row.get("kind") == "asr")
        for row in listed[:200]
        if isinstance(url := row.get("baseUrl"), str) and url
    ]


def _find_config_text(page: str, name: str, shape: re.Pattern[str]) -> str:
    """The text value of `name` in the page's configuration, if it matches `shape`."""
    found = re.search(rf'"{name}"\s{{0,9}}:\s{{0,9}}(?=")', page)
    value = _value(page, found.end()) if found else ""
    return value if isinstance(value, str) and shape.fullmatch(value) else ""


def _values(page: str, before: re.Pattern[str]) -> Iterator[Any]:
    """The JSON values after the first matches of `before`."""
    return (_value(page, found.end()) for found in islice(before.finditer(page), MAX_MATCHES))


def _value(page: str, start: int) -> Any:
    """The JSON value at `start`, either literal or in a JavaScript string; None if it is invalid."""
    if page.startswith("'", start):
        page, start = ESCAPED.sub(_unescape, page[start + 1 : page.find("'", start + 1)]), 0
    try:
        return json.JSONDecoder().raw_decode(page, start)[0]
    except (ValueError, RecursionError):
        return None


def _unescape(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    return chr(int(code, 16)) if code else found[3]


def _title(page: str) -> str:
    from assay.text.plain_text import to_plain_text

    found = re.search(r"<title[^<>]{0,200}>([^<]{1,500})", page)
    return to_plain_text(found[1], 300).removesuffix("- YouTube").strip() if found else ""
