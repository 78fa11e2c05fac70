"""Time limits of a job, in one class so that tests can shorten them."""

from dataclasses import dataclass

from assay.providers.wayback import SAVE_INTERVAL, SAVE_INTERVAL_SIGNED

MINUTE, HOUR, DAY = 60.0, 3_600.0, 86_400.0


@dataclass(frozen=True)
class JobTiming:
    """Durations in seconds unless noted otherwise."""

    lease: float = 3 * MINUTE  # without an update for this long, another worker may take the task
    grace: float = MINUTE  # how long an index row may exist without its task: its writer may still be writing
    pauses: tuple[float, ...] = (
        15 * MINUTE,
        HOUR,
        4 * HOUR,
        12 * HOUR,
        DAY,
        2 * DAY,
        4 * DAY,
    )  # retry pauses; after the last one the task is parked
    busy: float = 2 * MINUTE  # until a task is tried again whose host was busy
    patience: float = 10.0  # wait for a slot of a host
    asked_to_wait: float = 30.0  # how long a host is left idle after it asked for fewer requests
    saving: float = SAVE_INTERVAL
    saving_signed: float = SAVE_INTERVAL_SIGNED
    saving_patience: float = 30.0  # wait for a slot at the archive
    max_crashes: int = 5  # worker crashes on one task, after which it is parked
    sessions: float = 10 * MINUTE  # between two reads of a session's sources
    retention: float = 90 * DAY  # retention of reports and ended tasks
    spare: float = 10.0  # reserved in a run for writing reports


DEFAULT_TIMING = JobTiming()
DEFAULT_INTERVAL = DAY  # between two checks of a link
MIN_INTERVAL = 5 * MINUTE
