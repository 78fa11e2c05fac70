"""One attempt to deliver a signed message: a POST through the guarded client, without redirects."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.errors import InvalidInput, Network, mask_credentials
from assay.net.agents import PROGRAM
from assay.services import Services
from assay.webhooks.webhook_signature import build_signed_headers

SECONDS = 15.0
RESPONSE_BYTES = 4_096  # read of a response
EXCERPT = 200  # characters of it that are kept
GONE = 410  # the receiver asks for no more messages
LONGEST_WAIT = 3_600.0  # the longest Retry-After that is honoured


@dataclass(frozen=True)
class PostResult:
    """The result of an attempt. `is_final`: another attempt would fail, too. `excerpt` is untrusted text."""

    status: int | None = None  # of the HTTP response
    reason: str = ""  # a sentence, "" after a success
    excerpt: str = ""
    is_final: bool = False
    wait: float = 0.0  # seconds that the receiver asks to wait

    @property
    def is_delivered(self) -> bool:
        return not self.reason


async def post_signed(services: Services, url: str, keys: Sequence[str], message: str, body: bytes) -> PostResult:
    """Post the body once, signed with each of the secrets. A failure is a result, not an exception."""
    headers = build_signed_headers(keys, message, services.clock(), body)
    headers |= {"content-type": "application/json", "user-agent": PROGRAM}
    try:
        answer = await services.web.fetch(
            url, method="POST", headers=headers, content=body, cap=RESPONSE_BYTES, seconds=SECONDS, max_redirects=0
        )
    except Network as failure:
        return PostResult(reason=failure.sentence())
    except InvalidInput as forbidden:  # its name leads to a forbidden address now
        return PostResult(reason=forbidden.sentence(), is_final=True)
    if 200 <= answer.status < 300:
        return PostResult(answer.status)
    return PostResult(
        answer.status,
        f"The receiver answered {answer.status}.",
        _cut_excerpt(answer.body),
        answer.status == GONE,
        _parse_wait(answer.headers.get("retry-after", "")),
    )


def _cut_excerpt(body: bytes) -> str:
    """Return the beginning of the response as one line of printable text without credentials."""
    text = "".join(char if char.isprintable() else " " for char in body.decode(errors="replace"))
    return mask_credentials(" ".join(text.split()))[:EXCERPT]


def _parse_wait(value: str) -> float:
    """Return the seconds of Retry-After, 0.0 if it has none; dates are not honoured."""
    return min(float(value), LONGEST_WAIT) if value.isascii() and value.isdigit() else 0.0
