"""What YouTube's player knows of a video, asked as the player does and found in its pages."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from assay.errors import ToolError
from assay.scraping.site_registry import Means
from assay.scraping.untrusted_json import line, moment, prose, record, rows

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
AGREED = "SOCS=CAI"  # no page that first asks for consent to cookies
KEY = re.compile(r"[A-Za-z0-9_-]{8,80}")
VISITOR = re.compile(r"[A-Za-z0-9_%=-]{8,400}")
RESPONSE = re.compile(r"ytInitialPlayerResponse[\"']?\]?\s{0,9}[=:]\s{0,9}")
DESCRIPTION = re.compile(r'"shortDescription"\s{0,9}:\s{0,9}')
ESCAPED = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))", re.DOTALL)
LOOKED_AT = 5  # places in a page; more are there only to keep us busy


@dataclass(frozen=True)
class Track:
    """Captions in one language. `url` is outside data."""

    url: str
    language: str
    is_automatic: bool


@dataclass
class Video:
    """What is known of a video, from one answer of the player or from several."""

    title: str = ""
    author: str = ""
    description: str = ""
    published: str = ""
    tracks: list[Track] = field(default_factory=list)
    is_gone: bool = False

    def learn(self, other: "Video") -> None:
        """Take over what was not known yet."""
        self.title = self.title or other.title
        self.author = self.author or other.author
        self.description = self.description or other.description
        self.published = self.published or other.published
        self.tracks = self.tracks or other.tracks
        self.is_gone = self.is_gone and other.is_gone


def addresses(means: Means) -> tuple[str, str]:
    """The site's address and its mobile form's; an operator's own address stands for both."""
    www = means.settings.base_url("youtube", WWW)
    return www, means.settings.base_url("youtube_mobile", MOBILE if www == WWW else www)


async def page_of(base: str, video: str, agent: str, means: Means) -> str:
    """The page on which the video plays; "" where it cannot be had."""
    try:
        got = await means.http.request(
            "youtube",
            "GET",
            f"{base}/watch",
            params={"v": video, "hl": "en"},
            headers={"User-Agent": agent, "Accept-Language": "en", "Cookie": AGREED},
            seconds=SECONDS,
            expect="text",
        )
    except ToolError:
        return ""
    return str(got.body)


async def asked_as_player(video: str, page: str, means: Means) -> Video | None:
    """The player's own question, with the key and the visitor that the page names. None where it is not answered."""
    key, visitor = _find_config_text(page, "INNERTUBE_API_KEY", KEY), _find_config_text(page, "VISITOR_DATA", VISITOR)
    client = CLIENT | ({"visitorData": visitor} if visitor else {})
    www, _ = addresses(means)
    headers = {"User-Agent": AGENT, "X-YouTube-Client-Name": "28", "X-YouTube-Client-Version": VERSION, "Origin": WWW}
    try:
        got = await means.http.request(
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
    return video_in(got.body, means.clock())


def video_in_page(page: str, now: float) -> Video | None:
    """What the page says to its player; else the description that it holds. None where it says nothing."""
    for said in _values(page, RESPONSE):
        known = video_in(said, now)
        if known is not None:
            return known
    described = next((text for said in _values(page, DESCRIPTION) if (text := prose(said))), "")
    return Video(title=_title(page), description=described) if described else None


def video_in(answer: Any, now: float) -> Video | None:
    """The player's answer as we know it; None where it is none."""
    said = record(answer)
    details, playable = record(said.get("videoDetails")), record(said.get("playabilityStatus"))
    if not (details or playable or said.get("captions")):
        return None
    form = record(record(said.get("microformat")).get("playerMicroformatRenderer"))
    return Video(
        title=line(details.get("title")),
        author=line(details.get("author") or form.get("ownerChannelName"), 100),
        description=prose(details.get("shortDescription")),
        published=moment(form.get("publishDate") or form.get("uploadDate"), now),
        tracks=_tracks(record(said.get("captions"))),
        is_gone=playable.get("status") == "ERROR" and not details.get("title"),
    )


def _tracks(captions: dict[str, Any]) -> list[Track]:
    listed = rows(record(captions.get("playerCaptionsTracklistRenderer")).get("captionTracks"))
    return [
        Track(url, line(row.get("languageCode"), 20).lower(), row.get("kind") == "asr")
        for row in listed[:200]
        if isinstance(url := row.get("baseUrl"), str) and url
    ]


def _find_config_text(page: str, name: str, shape: re.Pattern[str]) -> str:
    """The text that the page's configuration gives `name`, if it has the shape of one."""
    found = re.search(rf'"{name}"\s{{0,9}}:\s{{0,9}}(?=")', page)
    value = _value(page, found.end()) if found else ""
    return value if isinstance(value, str) and shape.fullmatch(value) else ""


def _values(page: str, before: re.Pattern[str]) -> Iterator[Any]:
    """The values that stand behind the first places where `before` is found."""
    return (_value(page, found.end()) for found in islice(before.finditer(page), LOOKED_AT))


def _value(page: str, start: int) -> Any:
    """The JSON that begins at `start`, or that is written there as the text of a script; None where neither is."""
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
    from assay.text.plain_text import plain

    found = re.search(r"<title[^<>]{0,200}>([^<]{1,500})", page)
    return plain(found[1], 300).removesuffix("- YouTube").strip() if found else ""
