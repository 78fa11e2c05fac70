"""The Wayback Machine of the Internet Archive. https://archive.org/help/wayback_api.php"""

from typing import Any, NamedTuple
from urllib.parse import quote

from assay.net.retry import Tries
from assay.providers import Provider, dug

ARCHIVE, MACHINE = "https://archive.org", "https://web.archive.org"
LOOK_SECONDS, SAVE_SECONDS = 3.0, 20.0  # a save waits until the page has been fetched there
IN_A_PATH = ":/?&=%+@,;~!$'()*"


class Snapshot(NamedTuple):
    """A kept copy; `timestamp` is YYYYMMDDhhmmss in UTC."""

    url: str
    timestamp: str


class Wayback(Provider):
    """The archive answers look-ups at one host and saves at another; a base of the operator's own has both."""

    name = "wayback"

    def __init__(self, *given: Any, **seams: Any) -> None:
        super().__init__(*given, **seams)
        own = self.base_url if self.base_url not in (ARCHIVE, MACHINE) else ""
        self.base_url = ""  # each question names its host
        self.available = f"{own}/available" if own else f"{ARCHIVE}/wayback/available"
        self.saving = f"{own}/save/" if own else ""

    async def closest(self, url: str, seconds: float = LOOK_SECONDS) -> Snapshot | None:
        """The snapshot closest to now; None where the archive says that it has none."""
        given: dict[str, Any] = {"seconds": 2 * seconds + 1, "tries": Tries(2, each=seconds), "redirects": 5}
        got = await self.exchange("GET", self.available, params={"url": url}, **given)
        found = dug(got.body, "archived_snapshots", "closest")
        if not isinstance(got.body, dict):
            raise TypeError("the answer is no object")
        at, moment = dug(found, "url"), dug(found, "timestamp")
        if dug(found, "available") is not True or not isinstance(at, str):
            return None
        return Snapshot(at, moment if isinstance(moment, str) else "")

    async def save(self, url: str, seconds: float = SAVE_SECONDS) -> None:
        """Have the archive fetch `url` now. Raises where it did not."""
        given: dict[str, Any] = {"seconds": seconds, "tries": Tries(2), "redirects": 5, "expect": "nothing"}
        if self.saving:
            await self.exchange("GET", self.saving, params={"url": url}, **given)
        else:
            await self.exchange("GET", f"{MACHINE}/save/{quote(url, safe=IN_A_PATH)}", **given)
