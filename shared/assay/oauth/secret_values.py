"""Random secrets that are shown once: the table holds their SHA-256 digests only."""

import hashlib
import secrets

ACCESS, REFRESH, CODE, DEVICE, COOKIE = "assayat_", "assayrt_", "assayac_", "assaydc_", "assaybs_"
LONGEST = 200  # characters; limits the work of hashing


def create_secret(prefix: str) -> str:
    """A new secret with 256 random bits. The prefix tells its kind, and lets scanners recognize it."""
    return prefix + secrets.token_urlsafe(32)


def digest(secret: str) -> str:
    """The SHA-256 of a secret; that of its beginning if it is longer than any that was issued, which matches none."""
    return hashlib.sha256(secret[:LONGEST].encode(errors="replace")).hexdigest()
