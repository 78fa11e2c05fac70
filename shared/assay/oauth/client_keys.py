"""Key sets of clients (private_key_jwt), from their registration or from the address that they registered."""

import json
import re
from collections.abc import Callable, Mapping, MutableMapping
from typing import TYPE_CHECKING

from assay.errors import UpstreamFailed
from assay.oauth.client_metadata import OAuthClient
from assay.oauth.key_sets import KeySet, KeySetCache

if TYPE_CHECKING:  # imported by the requests that need it, for fast cold starts
    from assay.net.guarded_client import GuardedClient

KEYS_BYTES = 64 * 1024
MOST_SETS = 200  # in this process; clients register themselves, so their number has no other limit
DEFAULT_SECONDS, SHORTEST_SECONDS, LONGEST_SECONDS = 300.0, 60.0, 3600.0  # how long a fetched set is used
MAX_AGE = re.compile(r"(?:^|[,\s])max-age=\"?(\d{1,9})")


class ClientKeySets:
    """The key sets of clients. A fetched one is used as long as its server allows, within bounds."""

    def __init__(self, web: "GuardedClient", clock: Callable[[], float]) -> None:
        from cachetools import LRUCache

        self._web, self._clock = web, clock
        self._sets: MutableMapping[str, KeySetCache] = LRUCache(MOST_SETS)

    async def read(self, client: OAuthClient, *, renew: bool = False) -> KeySet:
        """The client's key set; with `renew` a fresh one, at most once a minute. Raises ToolError without one."""
        if client.keys:
            keys: KeySet = json.loads(client.keys)
            return keys
        known = self._sets.get(client.keys_uri)
        if known is None:
            known = self._sets[client.keys_uri] = self._create(client.keys_uri)
        return await known.get(renew=renew)

    def _create(self, address: str) -> KeySetCache:
        async def fetch() -> KeySet:
            keys, cache.seconds = await self._fetch(address)
            return keys

        # No stale sets: a client that withdraws its address withdraws its keys.
        cache = KeySetCache(fetch, DEFAULT_SECONDS, self._clock, stale_seconds=0.0)
        return cache

    async def _fetch(self, address: str) -> tuple[KeySet, float]:
        """The key set and its life in seconds. The address comes from the client, hence the guarded client."""
        fetched = await self._web.fetch(
            address, accept="application/json", cap=KEYS_BYTES, over_cap="refuse", seconds=5.0, max_redirects=0
        )
        try:
            keys = json.loads(fetched.body)
        except (ValueError, RecursionError):
            keys = None
        if fetched.status != 200 or not isinstance(keys, dict):
            raise UpstreamFailed("The client's jwks_uri does not return a key set.", provider="client-keys")
        return keys, read_lifetime(fetched.headers)


def read_lifetime(headers: Mapping[str, str]) -> float:
    """How long a response may be used, within bounds: what Cache-Control says, else five minutes."""
    control = headers.get("cache-control", "").lower()
    if "no-store" in control or "no-cache" in control:
        return SHORTEST_SECONDS
    found = MAX_AGE.search(control)
    return min(max(float(found[1]), SHORTEST_SECONDS), LONGEST_SECONDS) if found else DEFAULT_SECONDS
