"""JSON Web Tokens of others: signature and claims. joserfc is imported on first use, for fast cold starts."""

import json
import math
import warnings
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from joserfc.jwk import Key

ALGORITHMS = ("RS256", "ES256", "EdDSA", "Ed25519")  # asymmetric only: a public key never serves as a shared secret
KEY_TYPES = {"RS256": "RSA", "ES256": "EC", "EdDSA": "OKP", "Ed25519": "OKP"}
PLAIN_TYPES = frozenset({"", "jwt"})
ACCESS_TYPES = PLAIN_TYPES | {"at+jwt"}
LONGEST = 8_000
LEEWAY = 60  # seconds that clocks may disagree
MOST_KEYS = 40


class InvalidToken(Exception):
    """The token is not accepted; the message says why, and has nothing of the token in it."""


class UnknownKey(InvalidToken):
    """No key has the identifier that the token names; a newer key set may."""


def is_signed_token(sent: str) -> bool:
    """Whether the credential has the form of a JSON Web Token."""
    return sent.startswith("ey") and sent.count(".") == 2


def read_unverified(sent: str) -> Mapping[str, Any]:
    """The claims of a token whose signature nobody has checked yet; {} if it is malformed."""
    from joserfc import jws
    from joserfc.errors import JoseError

    try:
        claims = json.loads(jws.extract_compact(sent.encode()).payload) if len(sent) <= LONGEST else {}
    except (JoseError, ValueError, RecursionError):
        return {}
    return claims if isinstance(claims, dict) else {}


def verify_token(sent: str, key_set: Mapping[str, Any], types: Collection[str] = PLAIN_TYPES) -> dict[str, Any]:
    """The claims of the token, if a key of the set signed it and it is of one of these types. Raises InvalidToken.

    Types keep a token that was made for one purpose from serving another (RFC 8725, section 3.11).
    """
    from joserfc import jws, jwt
    from joserfc.errors import JoseError, SecurityWarning

    if len(sent) > LONGEST:
        raise InvalidToken("it is too long")
    try:
        header = jws.extract_compact(sent.encode()).headers()
        algorithm, kid, kind = header.get("alg"), header.get("kid"), str(header.get("typ", "")).lower()
    except (JoseError, ValueError, AttributeError):
        raise InvalidToken("it is not a JSON Web Token") from None
    if algorithm not in ALGORITHMS:
        raise InvalidToken(f"its algorithm is not one of {', '.join(ALGORITHMS)}")
    if kind.removeprefix("application/") not in types:
        raise InvalidToken("it is a token of another type")
    candidates = _choose_keys(key_set, str(algorithm), kid)
    with warnings.catch_warnings():
        warnings.simplefilter("error", SecurityWarning)  # short keys
        warnings.filterwarnings("ignore", "EdDSA is deprecated", SecurityWarning)  # most issuers still name it so
        for key in candidates:
            try:
                return dict(jwt.decode(sent, key, algorithms=list(ALGORITHMS)).claims)
            except (JoseError, SecurityWarning, ValueError, TypeError, RecursionError):
                continue
    raise InvalidToken("its signature does not verify")


def _choose_keys(key_set: Mapping[str, Any], algorithm: str, kid: object) -> list["Key"]:
    """The keys that may have signed: the one with this identifier, or those of the right type. Raises UnknownKey."""
    from joserfc.errors import JoseError, SecurityWarning
    from joserfc.jwk import import_key

    listed = key_set.get("keys")
    rows = [row for row in listed if isinstance(row, Mapping)] if isinstance(listed, list) else []
    chosen = []
    for row in rows[:MOST_KEYS]:
        fits = row.get("kty") == KEY_TYPES[algorithm] and row.get("use", "sig") == "sig"
        if fits and (kid is None or row.get("kid") == kid):
            try:
                chosen.append(import_key(dict(row)))
            except (JoseError, SecurityWarning, ValueError, TypeError):
                continue
    if not chosen:
        raise UnknownKey("no key of its issuer signed it")
    return chosen


def check_claims(claims: Mapping[str, Any], *, issuer: str, audiences: Collection[str], now: float) -> None:
    """Raises InvalidToken unless issuer and audience are the expected ones and the token is valid now."""
    if claims.get("iss") != issuer:
        raise InvalidToken("another issuer signed it")
    sent = claims.get("aud")
    named: Sequence[Any] = sent if isinstance(sent, list) else [sent]
    if not any(isinstance(one, str) and one in audiences for one in named):
        raise InvalidToken("it is meant for another audience")
    times = {name: claims.get(name) for name in ("exp", "nbf", "iat")}
    if any(time is not None and not _is_time(time) for time in times.values()):
        raise InvalidToken("its times are not numbers")
    if times["exp"] is None or times["exp"] <= now - LEEWAY:
        raise InvalidToken("it has expired")
    if any(times[name] is not None and times[name] > now + LEEWAY for name in ("nbf", "iat")):  # type: ignore[operator]
        raise InvalidToken("it is not valid yet")


def _is_time(value: object) -> bool:
    """Whether it is a number that can be compared: JSON parsers accept NaN, which is neither before nor after now."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
