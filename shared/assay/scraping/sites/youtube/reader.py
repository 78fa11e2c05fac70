"""Entry point for YouTube URLs."""

import re

from assay.scraping.page import Page
from assay.scraping.site_registry import SiteContext, is_within
from assay.scraping.untrusted_json import path_segments, query_value

HOSTS = ("youtube.com", "youtube-nocookie.com")
SHORT = "youtu.be"
VIDEO = re.compile(r"[A-Za-z0-9_-]{11}")


def matches(url: str) -> bool:
    """Whether the URL is on YouTube."""
    return is_within(url, *HOSTS, SHORT)


async def read(url: str, context: SiteContext) -> Page | None:
    """Read a video's transcript, or else its description; None for any other page of the site."""
    video = video_id(url)
    if video is None:
        return None
    from assay.scraping.sites.youtube.transcript import read_video

    return await read_video(url, video, context)


def video_id(url: str) -> str | None:
    """The eleven-character video id in any form of URL; None if there is none."""
    match [SHORT, *path_segments(url)] if is_within(url, SHORT) else path_segments(url):
        case ["youtu.be" | "embed" | "shorts" | "live" | "v" | "e", video, *_]:
            pass
        case ["watch"] | ["watch_popup"]:
            video = query_value(url, "v")
        case _:
            return None
    return video if VIDEO.fullmatch(video) else None
