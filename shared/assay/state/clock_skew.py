"""Stored times that a clock ahead of the present has left, such as that of a laptop that was set right afterwards."""

MAX_SKEW = 300.0  # seconds by which the clocks of machines that share a store may differ


def is_ahead(moment: float, now: float, longest: float = 0.0) -> bool:
    """Whether the time is so much later than `longest` seconds from now that no clock that is right has stored it."""
    return moment > now + longest + MAX_SKEW
