"""What a page embeds, such as videos, charts and cards of other pages: titles, and addresses that a reader can open."""

import re
from collections.abc import Callable, Container, Iterator
from itertools import islice

from assay.html.parser.html_element import HtmlElement
from assay.html.reader.page_images import has_no_size
from assay.html.reader.text_blocks import Mark
from assay.text.word_lists import parse_words

SCHEME = re.compile(r"\s*(?:https?:)?//")
YOUTUBE = r"(?:www\.|m\.)?youtube(?:-nocookie)?\.com"
# Players by their address without scheme, and the address of the page that shows the same.
PAGES = [
    (re.compile(pattern), page)
    for pattern, page in (
        (rf"{YOUTUBE}/embed/videoseries\?(?:.*&)?list=([\w-]+)", "www.youtube.com/playlist?list="),
        (rf"(?:{YOUTUBE}/embed|youtu\.be)/([\w-]{{11}})(?![\w-])", "www.youtube.com/watch?v="),
        (r"player\.vimeo\.com/video/(\d+)", "vimeo.com/"),
        (r"(?:www\.)?dailymotion\.com/embed/video/(\w+)", "www.dailymotion.com/video/"),
        (r"geo\.dailymotion\.com/player(?:/\w+)?\.html\?(?:.*&)?video=(\w+)", "www.dailymotion.com/video/"),
        (r"embed\.ted\.com/(talks/[\w/-]+)", "www.ted.com/"),
        (r"open\.spotify\.com/embed(?:-podcast)?/(\w+/\w+)", "open.spotify.com/"),
        (r"embed\.podcasts\.apple\.com/([^?#]+)", "podcasts.apple.com/"),
        (r"www\.loom\.com/embed/(\w+)", "www.loom.com/share/"),
        (r"archive\.org/embed/([^/?#]+)", "archive.org/details/"),
    )
]  # fmt: skip
# Hosts whose players, charts and documents have no other address.
KEPT_HOSTS = parse_words(
    "bandcamp.com content.jwplatform.com datawrapper.dwcdn.net e.infogram.com embed.acast.com embed.documentcloud.org "
    "fast.wistia.com fast.wistia.net flo.uri.sh omny.fm ourworldindata.org player.bilibili.com player.captivate.fm "
    "player.simplecast.com player.twitch.tv playlist.megaphone.fm players.brightcove.net public.flourish.studio "
    "public.tableau.com rutube.ru speakerdeck.com streamable.com videopress.com w.soundcloud.com www.documentcloud.org "
    "www.podbean.com www.scribd.com www.slideshare.net"
)
# Elements that load a player when a reader clicks: the attribute with the name of the video, and the address before it.
PLAYER_TAGS = {
    "lite-youtube": ("videoid", "www.youtube.com/watch?v="),
    "amp-youtube": ("data-videoid", "www.youtube.com/watch?v="),
    "lite-vimeo": ("videoid", "vimeo.com/"),
    "amp-vimeo": ("data-videoid", "vimeo.com/"),
}
MEDIA_TAGS = frozenset(("video", "audio"))
EMBEDDING_TAGS = MEDIA_TAGS | frozenset(("iframe", *PLAYER_TAGS))
# Cards of linked pages that forums make of an address in a post: their class, and the attribute with the address.
CARD_ADDRESSES = {"onebox": "data-onebox-src", "bbCodeBlock--unfurl": "data-url"}
HEADING_TAGS = frozenset(("h2", "h3", "h4"))
MAX_CARD_ELEMENTS = 60
VIDEO_NAME = re.compile(r"[\w-]{6,20}")
TITLES = ("title", "aria-label", "videotitle", "playlabel")
GENERIC_WORDS = parse_words(
    "a an the of audio by chart click content document embed embedded embeds episode external frame from iframe "
    "interactive lite media on player play podcast podcasts spotify soundcloud ted this to video videos vimeo watch "
    "wistia youtube"
)
WORD = re.compile(r"\w+")
MAX_TITLE = 200  # characters


def read_embedded(element: HtmlElement, tag: str) -> Mark | None:
    """Return the mark of a video, recording, chart or document; None for other frames, and for moving backgrounds."""
    if has_no_size(element):
        return None
    if tag == "iframe":
        address = _find_page(element)
    elif tag in MEDIA_TAGS:
        address = _find_source(element)
    else:
        address = _find_video(element, *PLAYER_TAGS[tag])
    return ("img", _find_title(element), address, "link") if address else None


def read_card(card: HtmlElement, names: Container[str], is_shown: Callable[[HtmlElement], bool]) -> Mark | None:
    """Return the mark of the page that a card in a post links; None for other elements, and cards without a heading.

    `is_shown` tells whether the style of an element shows it, if the elements around it are shown.
    """
    address = next((card.get(attribute) or "" for name, attribute in CARD_ADDRESSES.items() if name in names), "")
    if not address.startswith(("https://", "http://")):
        return None
    shown = islice(_iter_shown(card, is_shown), MAX_CARD_ELEMENTS)
    heading = next((element for element in shown if element.tag in HEADING_TAGS), None)
    if heading is None:
        return None
    title = " ".join("".join(islice(_iter_texts(heading, is_shown), MAX_CARD_ELEMENTS)).split())
    return ("img", title[:MAX_TITLE], address, "link") if title else None


def _iter_shown(element: HtmlElement, is_shown: Callable[[HtmlElement], bool]) -> Iterator[HtmlElement]:
    yield element
    for child in element:
        if is_shown(child):
            yield from _iter_shown(child, is_shown)


def _iter_texts(element: HtmlElement, is_shown: Callable[[HtmlElement], bool]) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if is_shown(child):
            yield from _iter_texts(child, is_shown)
        yield child.tail or ""


def _find_page(frame: HtmlElement) -> str:
    """Return the address of what a frame embeds: of its `src`, or of an attribute from which a script takes it."""
    for name, value in frame.attributes.items():
        if "src" not in name or not (scheme := SCHEME.match(value)):
            continue
        rest = value[scheme.end() :].strip()
        for pattern, page in PAGES:
            if found := pattern.match(rest):
                return f"https://{page}{found[1]}"
        if rest.partition("/")[0] in KEPT_HOSTS:
            return f"https://{rest}"
    return ""


def _find_source(media: HtmlElement) -> str:
    """Return the address of a video or recording that a reader starts."""
    if "controls" not in media.attributes or "autoplay" in media.attributes:
        return ""
    sources = (media, *(child for child in media if child.tag == "source"))
    return next((address for source in sources if (address := source.get("src") or "")), "")


def _find_video(player: HtmlElement, name: str, page: str) -> str:
    video = player.get(name) or ""
    return f"https://{page}{video}" if VIDEO_NAME.fullmatch(video) else ""


def _find_title(element: HtmlElement) -> str:
    """Return the title that names what is embedded; "" for one that says only what kind of player it is."""
    for name in TITLES:
        title = " ".join((element.get(name) or "").split())[:MAX_TITLE]
        if any(word not in GENERIC_WORDS and not word.isdigit() for word in WORD.findall(title.lower())):
            return title
    return ""
