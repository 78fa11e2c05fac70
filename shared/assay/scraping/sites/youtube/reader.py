"""Videos of YouTube, read by what is said in them."""

import re

from assay.scraping.page import Page
from assay.scraping.site_registry import Means, within
from assay.scraping.untrusted_json import query_value, steps

HOSTS = ("youtube.com", "youtube-nocookie.com")
SHORT = "youtu.be"
VIDEO = re.compile(r"[A-Za-z0-9_-]{11}")


def matches(url: str) -> bool:
    return within(url, *HOSTS, SHORT)


async def read(url: str, means: Means) -> Page | None:
    """A video's transcript, else its description; None for any other page of the site."""
    video = video_of(url)
    if video is None:
        return None
    from assay.scraping.sites.youtube.transcript import read_video

    return await read_video(url, video, means)


def video_of(url: str) -> str | None:
    """The eleven characters that name the video in any of the forms of its address."""
    match [SHORT, *steps(url)] if within(url, SHORT) else steps(url):
        case ["youtu.be" | "embed" | "shorts" | "live" | "v" | "e", video, *_]:
            pass
        case ["watch"] | ["watch_popup"]:
            video = query_value(url, "v")
        case _:
            return None
    return video if VIDEO.fullmatch(video) else None
