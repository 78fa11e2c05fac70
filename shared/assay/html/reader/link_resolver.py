"""Targets of links in markdown: absolute addresses that a link may carry."""

import re
from urllib.parse import quote

from assay.html.reader.protected_addresses import PROTECTED_LINK, decode_address
from assay.html.reader.redirect_links import find_target
from assay.text.url_parts import join_url, split_url
from assay.text.user_info import remove_url_user_info

SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
ALLOWED_SCHEMES = ("http:", "https:", "mailto:", "tel:", "ftp:")
UNPRINTED = re.compile(r"^[\x00-\x20]+|[\x00-\x1f\x7f]+|[\x00-\x20]+$")
UNSAFE = re.compile('[\\s()<>\\\\"`|\\[\\]\x00-\x1f\U00010000-\U0010ffff]')
SAFE = re.compile(r"[\w!#$%&'*+,./:;=?@~-]+", re.ASCII)  # needs no trimming or quoting
MAX_URL = 2000
MAX_TARGET_CHARACTERS = 2_000_000  # characters of URLs per document


class LinkResolver:
    """Resolves link targets against `base`, the page's base URL, up to a total length."""

    def __init__(self, base: str) -> None:
        self.base = remove_url_user_info(base)
        parts = split_url(self.base)
        self.scheme = parts.scheme or "https"
        self.origin = f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
        self.seen: dict[str, str] = {}
        self.left = MAX_TARGET_CHARACTERS

    def absolute(self, href: str) -> str:
        """Return an absolute URL that a link may carry; "" for scripts, data URLs and malformed URLs.

        User names and passwords are left out, and services that count or check clicks.
        """
        target = self.seen.get(href)
        if target is None:
            target = self.seen[href] = _decode_link(href) if PROTECTED_LINK in href else self._absolute(href)
        self.left -= len(target)
        return target if self.left > 0 else ""

    def _absolute(self, href: str) -> str:
        href = find_target(href[: MAX_URL + 1])
        is_clean = SAFE.fullmatch(href) or not UNPRINTED.search(href)
        target = href if is_clean else UNPRINTED.sub("", href[: MAX_URL + 1])
        if not target or len(target) > MAX_URL:
            return ""
        if target.startswith("//"):
            target = f"{self.scheme}:{target}"
        elif target[0] == "/" and self.origin:
            target = self.origin + target
        elif SCHEME.match(target):
            if not target.lower().startswith(ALLOWED_SCHEMES):
                return ""
        else:
            try:
                target = join_url(self.base, target)
            except ValueError:
                return ""
            if not target.lower().startswith(ALLOWED_SCHEMES):
                return ""
        target = remove_url_user_info(target)
        return target if SAFE.fullmatch(target) else UNSAFE.sub(lambda found: quote(found.group()), target)


def _decode_link(href: str) -> str:
    address = decode_address(href.partition("#")[2])
    return f"mailto:{quote(address, safe='@?=&')}" if address else ""


def take_begun_link(runs: list[tuple[str, int]], target: str, styles: int) -> str:
    """Take the last of the runs of text away if it is a link to the target, in the styles, that ends with a letter, and
    return it without its end; "" if not. Editors write a link in two that end and begin within a word.
    """
    before = runs[-1][0] if runs and runs[-1][1] == styles else ""
    begun = before.removesuffix(f"]({target})")
    if begun == before or begun[0] != "[" or not begun[-1].isalnum():
        return ""
    runs.pop()
    return begun
