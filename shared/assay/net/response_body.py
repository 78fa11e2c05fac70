"""The body of one answer: decoded as it comes, and never larger than its cap."""

from assay.net.content_encoding import LAYERS, TRIAL_IN, Corrupt, OutputLimitReached, Sink, TentativeLayer
from assay.net.exceptions import BadCoding

ACCEPTED = "gzip, deflate, br, zstd"
DEEPEST = 3  # codings on top of each other; honest servers use one
REFUSED = {"compress", "x-compress", "dcb", "dcz", "exi", "pack200-gzip"}


def codings(header: str) -> list[str]:
    """The codings to undo, innermost first. Words that name no coding are passed over, as browsers do."""
    named = [word.strip().lower() for word in header.split(",")]
    named = [word.removeprefix("x-") if word == "x-gzip" else word for word in named]
    if unread := REFUSED.intersection(named):
        raise BadCoding(f"The body is coded as {min(unread)}, which is not read here.", "protocol")
    known = [word for word in named if word in LAYERS]
    if len(known) > DEEPEST:
        raise BadCoding(f"The body is wrapped in more than {DEEPEST} content codings.", "protocol")
    return known


class Body:
    """Write what comes over the wire, read `content`: at most `cap` bytes, decoded."""

    def __init__(self, coding: str, cap: int) -> None:
        self.content = bytearray()
        self.full = False
        self.cut = False
        self._cap = cap
        self._trials: list[TentativeLayer] = []
        # A layer whose output stays within the cap needs little more input than that: the rest is a trick.
        self._most = cap + cap // 8 + TRIAL_IN
        self._into: Sink = self._keep
        for name in codings(coding):
            trial = TentativeLayer(LAYERS[name], self._into)
            self._trials.append(trial)
            self._into = _Meter(trial.write, self._most)

    @property
    def truncated(self) -> bool:
        return self.full or self.cut

    def write(self, piece: bytes) -> bool:
        """Take a piece off the wire; whether more is wanted. Raises BadCoding if nothing can be read of it."""
        try:
            self._into(piece)
        except OutputLimitReached:
            self.full = True
        except Corrupt:
            self._stop()
        return not self.truncated

    def end(self, complete: bool) -> None:
        """Say that no more comes; `complete` is false where the connection broke before the end."""
        if not complete:
            self.cut = True
        for trial in reversed(self._trials):
            if self.full:
                return
            try:
                whole = trial.end()
            except OutputLimitReached:
                self.full = True
            except Corrupt:
                self._stop()
            else:
                self.cut = self.cut or not whole

    def _keep(self, piece: bytes) -> None:
        room = self._cap - len(self.content)
        self.content += piece[:room]
        if len(piece) > room:
            raise OutputLimitReached

    def _stop(self) -> None:
        self.cut = True
        if not self.content:
            raise BadCoding("The body is not what its Content-Encoding says and cannot be read.", "protocol")


class _Meter:
    """A sink that takes so much and no more."""

    def __init__(self, sink: Sink, most: int) -> None:
        self._sink = sink
        self._left = most

    def __call__(self, piece: bytes) -> None:
        self._left -= len(piece)
        if self._left < 0:
            raise OutputLimitReached
        self._sink(piece)
