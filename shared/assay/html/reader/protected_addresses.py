"""E-mail addresses that Cloudflare writes as hexadecimal numbers, which a script of the page decodes.

The first byte is the key; each other one is a character of the address, xor the key.
"""

PROTECTED_CLASS = "__cf_email__"
PROTECTED_LINK = "/cdn-cgi/l/email-protection"
MAX_DIGITS = 600


def decode_address(digits: str) -> str:
    """Return the address; "" where the digits hold none."""
    try:
        key, *characters = bytes.fromhex(digits[:MAX_DIGITS])
        address = bytes(character ^ key for character in characters).decode()
    except ValueError:
        return ""
    return address if "@" in address and address.isprintable() else ""
