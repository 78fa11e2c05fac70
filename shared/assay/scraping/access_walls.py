"""Detection of access walls: bot checks, login pages, paywalls, and empty shells that JavaScript would fill.

Access walls are short and address the visitor; articles about them are long. Length is therefore checked first.
"""

import re
from collections.abc import Mapping
from typing import Literal

from assay.scraping.access_wall_patterns import BOT, BOT_TITLE, LOGIN, LOGIN_TITLE, PAYWALL, SHELL, fold_text

BOT_BYTES = 2048  # maximum text size of a bot check
SHELL_BYTES, SHELL_RATIO, SHELL_WORDS = 2048, 20, 30
WALL_WORDS, LOGIN_WORDS = 60, 80
LOGIN_BYTES = 1200
PAYWALL_BYTES = 6_000  # maximum text size of an excerpt with a subscription offer
EXAMINED_CHARS = 400_000
GUARDS = ("cf-mitigated", "x-amzn-waf-action", "x-vercel-mitigated", "x-datadome-response")

type Wall = Literal["bot", "shell", "login", "paywall"]

PROSE = re.compile(r"\w+(?:[^\w\n.!?]+\w+){5,60}[.!?…]|[\u3040-\u9fff\uac00-\ud7a3，、]{8,}[。！？]")
WIDE = re.compile("[\u2e80-\U0003ffff]")  # scripts without spaces between words
PASSWORD = re.compile("password|passwort|mot de passe|contraseña|senha", re.IGNORECASE)
TO_VISITOR = re.compile(
    r"\b(?:you|your|browser|please|javascript|cookies|ray id|reference|incident|ip)\b", re.IGNORECASE
)
UNREAD = re.compile(
    r"<(script|style|noscript|template|svg)\b(?:[^<]++|<(?!/\1\s*>))*+(?:</\1\s*>|\Z)"
    r"|<!--(?:[^-]++|-(?!->))*+(?:-->|\Z)",
    re.IGNORECASE,
)
TAG = re.compile(r"<[^<>]*>")
TITLE = re.compile(r"<title[^<>]*>([^<]*)", re.IGNORECASE)
MARKUP = re.compile(r"^\s*<(?:!doctype|html|head|body|meta|title)\b", re.IGNORECASE)


def detect_wall(
    text: str, *, html_size: int = 0, status: int = 200, headers: Mapping[str, str] | None = None, title: str = ""
) -> Wall | None:
    """Return the kind of access wall, or None if this is the page itself.

    `text` is the extracted text or the HTML; `html_size` is the size of the HTML in bytes, 0 if there was none.
    """
    if _has_challenge_header(headers or {}):
        return "bot"
    if MARKUP.match(text):
        found = TITLE.search(text[:EXAMINED_CHARS])
        title = title or (found[1] if found else "")
        text = TAG.sub(" ", UNREAD.sub(" ", text[:EXAMINED_CHARS]))
    text = text.strip()
    size = len(text.encode("utf-8", "replace"))
    if size < BOT_BYTES and _is_bot(text, title, status):
        return "bot"
    if size <= LOGIN_BYTES and _is_login(text, title, status):
        return "login"
    if _is_shell(text, size, html_size):
        return "shell"
    return "paywall" if size <= PAYWALL_BYTES and PAYWALL.search(fold_text(text)) else None


def _has_challenge_header(headers: Mapping[str, str]) -> bool:
    """Whether a response header of a bot management service marks a challenge."""
    lower_headers = {name.lower(): value.lower() for name, value in headers.items()}
    return any(lower_headers.get(name) in ("challenge", "captcha") for name in GUARDS)


def _is_bot(text: str, title: str, status: int) -> bool:
    marks = {found.group() for found in BOT.finditer(fold_text(text))}
    refused = status in (401, 403, 429, 503)
    words = len(text.split())
    if BOT_TITLE.search(fold_text(title)):
        return bool(marks) or refused or words < SHELL_WORDS
    if not marks or not TO_VISITOR.search(text):
        return False
    return len(marks) > 1 or refused or words <= WALL_WORDS  # articles on captchas are longer


def _is_login(text: str, title: str, status: int) -> bool:
    has_prompt = bool(LOGIN.search(fold_text(text)))
    if LOGIN_TITLE.search(fold_text(title)):
        return has_prompt or status == 401 or bool(PASSWORD.search(text))
    return has_prompt and (status == 401 or len(text.split()) <= LOGIN_WORDS)


def _is_shell(text: str, size: int, html_size: int) -> bool:
    words = len(text.split(None, SHELL_WORDS))  # stops splitting once the limit is reached
    few = words < SHELL_WORDS and len(WIDE.findall(text)) <= SHELL_WORDS
    if (few and SHELL.search(fold_text(text))) or html_size <= 0:
        return few
    if size > SHELL_BYTES or html_size < size * SHELL_RATIO:
        return False
    return len(PROSE.findall(text)) < 2  # a shell has menus and labels, but no sentences
