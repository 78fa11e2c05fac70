"""An issuer of signed tokens on loopback."""

import json
import time
import warnings

from joserfc import jwt
from joserfc.errors import SecurityWarning
from joserfc.jwk import ECKey, OKPKey, RSAKey

KEYS = {
    "RS256": RSAKey.generate_key(2048, {"kid": "rsa"}),
    "ES256": ECKey.generate_key("P-256", {"kid": "ec"}),
    "EdDSA": OKPKey.generate_key("Ed25519", {"kid": "ed"}),
}


class Issuer:
    """Publishes its metadata and keys at a site, and signs tokens."""

    def __init__(self, site):
        self.site, self.url = site, site.url + "/issuer"
        self.publish(KEYS.values())

    def publish(self, keys, **metadata):
        document = {"issuer": self.url, "jwks_uri": self.url + "/keys"} | metadata
        self.site.says("/issuer/.well-known/openid-configuration", json.dumps(document), kind="application/json")
        public = {"keys": [key.as_dict(private=False) for key in keys]}
        self.site.says("/issuer/keys", json.dumps(public), kind="application/json")

    def claims(self, **changes):
        now = int(time.time())
        claims = {"iss": self.url, "aud": "assay", "sub": "ada", "tenant_id": "acme", "iat": now, "exp": now + 600}
        return {name: value for name, value in (claims | changes).items() if value is not None}

    def sign(self, algorithm="RS256", key=None, header=None, **changes):
        key = key or KEYS[algorithm]
        head = {"alg": algorithm} | ({"kid": key.kid} if key.kid else {}) | (header or {})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SecurityWarning)
            return jwt.encode(head, self.claims(**changes), key, algorithms=[head["alg"]])
