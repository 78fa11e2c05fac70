"""The context object that Lambda passes to a handler."""


class FakeLambdaContext:
    """Reports `seconds` as the remaining time of the function."""

    def __init__(self, seconds: float = 170.0) -> None:
        self._seconds = seconds

    def get_remaining_time_in_millis(self) -> int:
        return int(self._seconds * 1000)
