"""A video as a page: the ways to its transcript, tried in order, and what is left where there is none."""

import asyncio
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlencode

from assay.errors import InvalidInput, NotFound, ToolError
from assay.scraping import untrusted_json
from assay.scraping.page import Page
from assay.scraping.site_registry import Means, within
from assay.scraping.sites.youtube import player
from assay.scraping.sites.youtube.player import Track, Video
from assay.text import captions
from assay.text.captions import Chapter, Cue, Paragraph
from assay.text.url_parts import join_url, split_url

LEAST = 100  # characters of a transcript worth having
ALL_SECONDS = 30.0
SECONDS = 8.0
CAP = 4 * 1024 * 1024
ENGLISH = ("en", "en-US", "en-GB")
TRIED = 3  # tracks
SITE = "YouTube"
UNSPOKEN = "No transcript could be had; this is the video's own description."


async def read_video(url: str, video: str, means: Means) -> Page | None:
    """The page of the video. NotFound where YouTube says that there is none; None where it says nothing."""
    known = Video(is_gone=True)
    try:
        async with asyncio.timeout(ALL_SECONDS):
            said = await _fetch_captions(video, known, means)
    except TimeoutError:
        said = []
    if said:
        return _page(url, video, known, said)
    if known.description:
        title = known.title or video
        blocks = [f"[Video: {title}]", known.description]
        return untrusted_json.page(
            url, "youtube", blocks, quality="partial", access_note=UNSPOKEN, **_facts(video, known)
        )
    return None


async def _fetch_captions(video: str, known: Video, means: Means) -> list[Cue]:
    """The captions by the first way that gives one; what is learnt on the way goes into `known`."""
    www, mobile = player.addresses(means)
    page = await player.page_of(mobile, video, player.PHONE, means)
    answered = await player.asked_as_player(video, page, means)
    if answered is not None:
        known.learn(answered)
        if said := await _of_tracks(answered.tracks, means):
            known.learn(player.video_in_page(page, means.clock()) or Video())
            return said
    shown = player.video_in_page(page, means.clock())
    if shown is None or not (shown.tracks or shown.published):
        desktop = await player.page_of(www, video, player.DESKTOP, means)
        shown = player.video_in_page(desktop, means.clock()) or shown
    if shown is not None:
        known.learn(shown)
        if said := await _of_tracks(shown.tracks, means):
            return said
    if known.is_gone and (answered or shown):
        raise NotFound(f"Not found: YouTube has no video {video}, or no longer. Check the URL.")
    return await _in_english(video, www, means)


async def _of_tracks(tracks: list[Track], means: Means) -> list[Cue]:
    """The captions of the best track that can be had."""
    for track in _best_first(tracks)[:TRIED]:
        address = _as_webvtt(track.url, means)
        if address is not None and (said := await _transcript(address, means)):
            return said
    return []


def _best_first(tracks: list[Track]) -> list[Track]:
    """English, then what is spoken in the video, then the rest; what people wrote before what machines heard."""
    spoken = next((track.language for track in tracks if track.is_automatic), "")

    def rank(track: Track) -> tuple[int, bool]:
        language = track.language.partition("-")[0]
        place = 0 if language == "en" else 1 if language == spoken.partition("-")[0] else 2
        return place, track.is_automatic

    return sorted(tracks, key=rank)


def _as_webvtt(given: str, means: Means) -> str | None:
    """The captions' address, asking for WebVTT; None where it leads away from YouTube."""
    www, _ = player.addresses(means)
    try:
        address = join_url(www + "/", given)
        is_ours = within(address, "youtube.com") if www == player.WWW else address.startswith(www + "/")
        parts = split_url(address)
    except (InvalidInput, ValueError):
        return None
    query = [(name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if name != "fmt"]
    return parts._replace(query=urlencode([*query, ("fmt", "vtt")])).geturl() if is_ours else None


async def _transcript(address: str, means: Means) -> list[Cue]:
    """The captions at an address that YouTube named; [] where there are none worth having."""
    try:
        fetched = await means.web.fetch(address, cap=CAP, seconds=SECONDS, max_redirects=0)
    except ToolError:
        return []
    return _worth(captions.parse_cues(fetched.body.decode("utf-8", "replace"))) if fetched.status == 200 else []


async def _in_english(video: str, www: str, means: Means) -> list[Cue]:
    """What the captions' own interface has in English, side by side."""

    async def one(language: str) -> list[Cue]:
        params = {"v": video, "lang": language, "fmt": "vtt"}
        try:
            got = await means.http.request(
                "youtube", "GET", f"{www}/api/timedtext", params=params, seconds=SECONDS, cap=CAP, expect="text"
            )
        except ToolError:
            return []
        return _worth(captions.parse_cues(got.body))

    return next((said for said in await asyncio.gather(*map(one, ENGLISH)) if said), [])


def _worth(cues: list[Cue]) -> list[Cue]:
    return cues if sum(len(one.text) for one in captions.build_paragraphs(cues)) > LEAST else []


def _facts(video: str, known: Video) -> dict[str, Any]:
    return {
        "title": known.title,
        "authors": [known.author] if known.author else [],
        "site": SITE,
        "published": known.published,
        "description": untrusted_json.line(known.description, 500),
        "canonical": f"{player.WWW}/watch?v={video}",
    }


def _page(url: str, video: str, known: Video, cues: list[Cue]) -> Page | None:
    parts = captions.parse_chapters(known.description)
    said = captions.build_paragraphs(cues, parts)
    best = [{"text": one.text, "score": one.score, "startTime": one.start} for one in captions.select_highlights(said)]
    blocks = [f"# {known.title}" if known.title else "", *_under_headings(said, parts)]
    extras = {"highlights": best} if best else {}
    return untrusted_json.page(url, "youtube", blocks, extras=extras, **_facts(video, known))


def _under_headings(said: list[Paragraph], parts: list[Chapter]) -> Iterator[str]:
    """Each paragraph with its time, a chapter's first below its title."""
    told = 0
    for one in said:
        begun = sum(part.start <= one.start for part in parts)
        if begun > told:
            yield f"## {parts[begun - 1].title}"
            told = begun
        yield f"[{captions.format_clock(one.start)}] {one.text}"
