"""Transcript of a YouTube video, from several sources in order, with the description as fallback."""

import asyncio
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlencode

from assay.errors import InvalidInput, NotFound, ToolError
from assay.scraping import untrusted_json
from assay.scraping.page import Page
from assay.scraping.site_registry import SiteContext, is_within
from assay.scraping.sites.youtube import player
from assay.scraping.sites.youtube.player import Track, Video
from assay.state.concurrent_map import map_concurrently
from assay.text import captions
from assay.text.captions import CaptionParagraph, Chapter, Cue
from assay.text.url_parts import join_url, split_url

MIN_LENGTH = 100  # minimum length of a transcript in characters
ALL_SECONDS = 30.0
SECONDS = 8.0
CAP = 4 * 1024 * 1024
ENGLISH = ("en", "en-US", "en-GB")
MAX_TRACKS = 3  # caption tracks tried
SITE = "YouTube"
NO_TRANSCRIPT = "No transcript is available; this is the video's description."


async def read_video(url: str, video: str, context: SiteContext) -> Page | None:
    """Read the video. Raises NotFound if YouTube reports that it does not exist; None if nothing is available."""
    known = Video(is_gone=True)
    try:
        async with asyncio.timeout(ALL_SECONDS):
            cues = await _fetch_captions(video, known, context)
    except TimeoutError:
        cues = []
    if cues:
        return _page(url, video, known, cues)
    if known.description:
        title = known.title or video
        blocks = [f"[Video: {title}]", known.description]
        return untrusted_json.build_page(
            url, "youtube", blocks, quality="partial", access_note=NO_TRANSCRIPT, **_facts(video, known)
        )
    return None


async def _fetch_captions(video: str, known: Video, context: SiteContext) -> list[Cue]:
    """Captions from the first source that has them; metadata found on the way is merged into `known`."""
    www, mobile = player.addresses(context)
    page = await player.fetch_watch_page(mobile, video, player.PHONE, context)
    answered = await player.fetch_player_response(video, page, context)
    if answered is not None:
        known.merge(answered)
        if cues := await _of_tracks(answered.tracks, context):
            known.merge(player.parse_watch_page(page, context.clock()) or Video())
            return cues
    shown = player.parse_watch_page(page, context.clock())
    if shown is None or not (shown.tracks or shown.published):
        desktop = await player.fetch_watch_page(www, video, player.DESKTOP, context)
        shown = player.parse_watch_page(desktop, context.clock()) or shown
    if shown is not None:
        known.merge(shown)
        if cues := await _of_tracks(shown.tracks, context):
            return cues
    if known.is_gone and (answered or shown):
        raise NotFound(f"Not found: YouTube has no video {video}, or no longer. Check the URL.")
    return await _in_english(video, www, context)


async def _of_tracks(tracks: list[Track], context: SiteContext) -> list[Cue]:
    """The captions of the best available track."""
    for track in _best_first(tracks)[:MAX_TRACKS]:
        address = _as_webvtt(track.url, context)
        if address is not None and (cues := await _transcript(address, context)):
            return cues
    return []


def _best_first(tracks: list[Track]) -> list[Track]:
    """Sort tracks: English, the spoken language, others; manual before automatic captions."""
    spoken = next((track.language for track in tracks if track.is_automatic), "")

    def rank(track: Track) -> tuple[int, bool]:
        language = track.language.partition("-")[0]
        place = 0 if language == "en" else 1 if language == spoken.partition("-")[0] else 2
        return place, track.is_automatic

    return sorted(tracks, key=rank)


def _as_webvtt(url: str, context: SiteContext) -> str | None:
    """The captions URL with the format WebVTT; None if it is not on YouTube."""
    www, _ = player.addresses(context)
    try:
        address = join_url(www + "/", url)
        is_ours = is_within(address, "youtube.com") if www == player.WWW else address.startswith(www + "/")
        parts = split_url(address)
    except (InvalidInput, ValueError):
        return None
    query = [(name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if name != "fmt"]
    return parts._replace(query=urlencode([*query, ("fmt", "vtt")])).geturl() if is_ours else None


async def _transcript(address: str, context: SiteContext) -> list[Cue]:
    """Fetch and parse captions; [] on errors or if they are too short."""
    try:
        fetched = await context.web.fetch(address, cap=CAP, seconds=SECONDS, max_redirects=0)
    except ToolError:
        return []
    return _long_enough(captions.parse_cues(fetched.body.decode("utf-8", "replace"))) if fetched.status == 200 else []


async def _in_english(video: str, www: str, context: SiteContext) -> list[Cue]:
    """English captions from the timedtext API, requested concurrently for each variant."""

    async def one(language: str) -> list[Cue]:
        params = {"v": video, "lang": language, "fmt": "vtt"}
        try:
            response = await context.http.request(
                "youtube", "GET", f"{www}/api/timedtext", params=params, seconds=SECONDS, cap=CAP, expect="text"
            )
        except ToolError:
            return []
        return _long_enough(captions.parse_cues(response.body))

    return next((cues for cues in await map_concurrently(one, ENGLISH) if cues), [])


def _long_enough(cues: list[Cue]) -> list[Cue]:
    return cues if sum(len(one.text) for one in captions.build_paragraphs(cues)) > MIN_LENGTH else []


def _facts(video: str, known: Video) -> dict[str, Any]:
    return {
        "title": known.title,
        "authors": [known.author] if known.author else [],
        "site": SITE,
        "published": known.published,
        "description": untrusted_json.clean_line(known.description, 500),
        "canonical": f"{player.WWW}/watch?v={video}",
    }


def _page(url: str, video: str, known: Video, cues: list[Cue]) -> Page | None:
    parts = captions.parse_chapters(known.description)
    paragraphs = captions.build_paragraphs(cues, parts)
    best = [
        {"text": one.text, "score": one.score, "startTime": one.start} for one in captions.select_highlights(paragraphs)
    ]
    blocks = [f"# {known.title}" if known.title else "", *_under_headings(paragraphs, parts)]
    extras = {"highlights": best} if best else {}
    return untrusted_json.build_page(url, "youtube", blocks, extras=extras, **_facts(video, known))


def _under_headings(paragraphs: list[CaptionParagraph], parts: list[Chapter]) -> Iterator[str]:
    """The paragraphs with time stamps, with chapter titles as headings."""
    chapter_count = 0
    for one in paragraphs:
        begun = sum(part.start <= one.start for part in parts)
        if begun > chapter_count:
            yield f"## {parts[begun - 1].title}"
            chapter_count = begun
        yield captions.format_paragraph(one)
