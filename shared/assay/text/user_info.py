"""User names and passwords in addresses (`https://user:secret@host/`), which are secrets of whoever wrote them."""

import html
import re
from collections.abc import Callable
from itertools import accumulate
from typing import Any

# As browsers find it (URL Standard, section 4.4): any number of slashes, a backslash is one, the last "@" counts.
# Schemes may be nested (`feed:https://`). The numbers bound the attempts at one place.
START = (
    r"[\s\x00-\x20\u200b-\u200f\u2060\ufeff]*+((?:(?!mailto:)[a-z][a-z0-9+.-]{0,40}+:){0,4})"
    r"(?:[/\\]{2,}+|(?:(?<=http:)|(?<=https:)|(?<=ftp:)|(?<=wss:)|(?<=ws:))[/\\]?)"
)
LINK_USER = re.compile(rf"({START})[^/\\?#]+@", re.IGNORECASE)
UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\uffef"  # scripts whose prose has no spaces
TEXT_USER = re.compile(rf"({START})[^\s/\\?#{UNSPACED}]+@", re.IGNORECASE)
PROSE_USER = re.compile(rf"([a-z][a-z0-9+.-]{{0,40}}://)[^\s/\\?#<>\"{UNSPACED}]+@", re.IGNORECASE)
LOGINS = {"ssh", "sftp", "scp"}  # schemes whose addresses do not work without the user name, which is seldom a secret
BREAKS = re.compile(r"[\t\n\r]+")  # browsers drop them
GAPS = re.compile(r"([\s,]+)")
DESCRIPTOR = re.compile(r"[\d.]{1,9}[wxh],?")  # in a srcset
LINK_NAME = re.compile(r"(?:url|image|video|audio|src|player|stream|logo|sameas|@id)$", re.IGNORECASE)

PART = r"[^\s()\\]|\\\S?"
TARGET = re.compile(  # in markdown: of a link, of a reference, or in angle brackets
    r"(\](?:\(|:)[ \t]*+(?:\r?\n[ \t]*+)?+(?:<(?=[^<>\n]*+>))?)((?<=<)[^<>\n]*+"
    rf"|(?:{PART}|\((?:{PART}|\((?:{PART})*+\))*+\))*+)"
    r"|(<)([a-z][a-z0-9+.-]{1,40}+:[^<>\s]*+)(?=>)",
    re.IGNORECASE,
)
ATTRIBUTE = re.compile(
    r"(\b(?:href|src|srcset|poster|action|cite|data)\s*+=\s*+)"
    r"""("[^"<>]*+"|'[^'<>]*+'|[^\s"'<>]++)""",
    re.IGNORECASE,
)
TOKEN = re.compile(r"&#?\w{1,31};|\\[!-/:-@\[-`{-~]|.", re.DOTALL)


def remove_user_info(text: str) -> str:
    """Return an address, or a list of them, without user names and passwords; other texts unchanged.

    Since the text may be prose, nothing with white space, or of a script without it, is taken for a user
    name.
    """
    if "@" not in text:
        return text
    text = _remove(TEXT_USER, text)
    if GAPS.search(text) and all("/" in word or DESCRIPTOR.fullmatch(word) for word in text.split()):
        return "".join(_remove(TEXT_USER, piece) for piece in GAPS.split(text))
    return text


def remove_url_user_info(address: str) -> str:
    """Return the address of a link without user name and password; it is read as leniently as browsers do."""
    return _without_breaks(lambda bare: _remove(LINK_USER, bare), address) if "@" in address else address


def remove_prose_user_info(text: str) -> str:
    """Return prose, such as a printed reference, with its addresses without user names and passwords."""
    return PROSE_USER.sub(r"\1", text) if "@" in text else text


def remove_named_user_info(name: str, text: str) -> str:
    """Return a value of metadata without user names and passwords; line breaks do not hide those of links."""
    if "@" in text and LINK_NAME.search(name) and BREAKS.search(text):
        return _without_breaks(remove_user_info, text)
    return remove_user_info(text)


def remove_all_user_info(value: Any) -> Any:
    """Return a JSON value with its addresses, at any depth, without user names and passwords."""
    return map_texts(value, remove_named_user_info)


def map_texts(value: Any, change: Callable[[str, str], str], name: str = "") -> Any:
    """Return a JSON value with its texts and names, at any depth, as `change(name of the value, text)` gives them."""
    if isinstance(value, str):
        return change(name, value)
    if isinstance(value, list):
        return [map_texts(inner, change, name) for inner in value]
    if isinstance(value, dict):
        return {change("", key): map_texts(inner, change, key) for key, inner in value.items()}
    return value


def remove_link_user_info(markdown: str) -> str:
    """Return markdown of others with the addresses of its links and images without user names and passwords."""
    if "@" not in markdown and "&" not in markdown:
        return markdown
    markdown = TARGET.sub(_rewrite_target, markdown)
    return ATTRIBUTE.sub(_rewrite_attribute, markdown) if "<" in markdown else markdown


def _without_breaks(remove: Callable[[str], str], text: str) -> str:
    """Return what `remove` makes of the text without line breaks; the text as it is where that finds nothing."""
    bare = BREAKS.sub("", text)
    shown = remove(bare)
    return text if shown == bare else shown


def _remove(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.match(text)
    return f"{found[1]}{_keep_login(found)}{text[found.end() :]}" if found else text


def _keep_login(found: re.Match[str]) -> str:
    """Return what stays of the user information: the user name for SSH."""
    if LOGINS.isdisjoint(re.split("[:+]", found[2].lower())):
        return ""
    user = found[0][found.end(1) : -1].partition(":")[0]
    return f"{user}@" if user else ""


def _rewrite_target(found: re.Match[str]) -> str:
    lead, target = (found[1], found[2]) if found[3] is None else (found[3], found[4])
    return lead + _remove_escaped(target)


def _rewrite_attribute(found: re.Match[str]) -> str:
    value = found[2]
    mark = value[0] if value[0] in "\"'" else ""
    inner = value[1:-1] if mark else value
    return f"{found[1]}{mark}{remove_user_info(_remove_escaped(inner))}{mark}"


def _remove_escaped(target: str) -> str:
    """Remove user information from an address with entities and backslashes; the rest stays as it is written."""
    if "@" not in target and "&" not in target:
        return target
    tokens = TOKEN.findall(target)
    plain = [BREAKS.sub("", _unescape(token)) for token in tokens]
    found = LINK_USER.match("".join(plain))
    if not found:
        return target
    ends = list(accumulate(map(len, plain)))
    start, end = (
        next(at for at, length in enumerate(ends) if length >= stop) + 1 for stop in (found.end(1), found.end())
    )
    return "".join([*tokens[:start], _keep_login(found), *tokens[end:]])


def _unescape(token: str) -> str:
    if len(token) == 1:
        return token
    return token[1] if token[0] == "\\" else html.unescape(token)
