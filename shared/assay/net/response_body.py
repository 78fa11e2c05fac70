"""A response body, decoded while it arrives, limited in size."""

from assay.net.content_encoding import LAYERS, TRIAL_IN, Corrupt, OutputLimitReached, Sink, TentativeLayer
from assay.net.exceptions import BadCoding

ACCEPTED = "gzip, deflate, br, zstd"
MAX_CODINGS = 3  # nested codings; normal servers use one
UNSUPPORTED = {"compress", "x-compress", "dcb", "dcz", "exi", "pack200-gzip"}


def parse_codings(header: str) -> list[str]:
    """The codings of a Content-Encoding header, in order of application. Unknown words are ignored, as in browsers."""
    if not header:
        return []
    words = [word.strip().lower() for word in header.split(",")]
    words = [word.removeprefix("x-") if word == "x-gzip" else word for word in words]
    if unsupported := UNSUPPORTED.intersection(words):
        raise BadCoding(f"The Content-Encoding {min(unsupported)} is not supported.", "protocol")
    known = [word for word in words if word in LAYERS]
    if len(known) > MAX_CODINGS:
        raise BadCoding(f"The body has more than {MAX_CODINGS} content codings.", "protocol")
    return known


class Body:
    """Receives coded bytes by `write`; `content` has the decoded ones, at most `cap` bytes."""

    def __init__(self, coding: str, cap: int) -> None:
        self.content = bytearray()
        self.full = False
        self.cut = False
        self._cap = cap
        self._layers: list[TentativeLayer] = []
        # A layer with output within the cap needs hardly more input than that; more is an attack.
        self._max_input = cap + cap // 8 + TRIAL_IN
        self._write_coded: Sink = self._append
        for name in parse_codings(coding):
            layer = TentativeLayer(LAYERS[name], self._write_coded)
            self._layers.append(layer)
            self._write_coded = _Meter(layer.write, self._max_input)

    @property
    def truncated(self) -> bool:
        return self.full or self.cut

    def write(self, piece: bytes) -> bool:
        """Receive a coded piece; returns whether to read more. Raises BadCoding if nothing can be decoded."""
        try:
            self._write_coded(piece)
        except OutputLimitReached:
            self.full = True
        except Corrupt:
            self._stop()
        return not self.truncated

    def end(self, complete: bool) -> None:
        """End the body; `complete` is false if the connection broke before its end."""
        if not complete:
            self.cut = True
        for layer in reversed(self._layers):
            if self.full:
                return
            try:
                is_complete = layer.end()
            except OutputLimitReached:
                self.full = True
            except Corrupt:
                self._stop()
            else:
                self.cut = self.cut or not is_complete

    def _append(self, piece: bytes) -> None:
        remaining = self._cap - len(self.content)
        self.content += piece[:remaining]
        if len(piece) > remaining:
            raise OutputLimitReached

    def _stop(self) -> None:
        self.cut = True
        if not self.content:
            raise BadCoding("The body does not match its Content-Encoding and cannot be decoded.", "protocol")


class _Meter:
    """A sink with a limit on its input."""

    def __init__(self, sink: Sink, limit: int) -> None:
        self._sink = sink
        self._left = limit

    def __call__(self, piece: bytes) -> None:
        self._left -= len(piece)
        if self._left < 0:
            raise OutputLimitReached
        self._sink(piece)
