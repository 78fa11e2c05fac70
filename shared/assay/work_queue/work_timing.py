"""Time limits of jobs, in one class so that tests can shorten them."""

from dataclasses import dataclass

DAY = 86_400.0


@dataclass(frozen=True)
class WorkTiming:
    """Durations in seconds unless noted otherwise."""

    retention: float = 7 * DAY  # retention of a job, its pages and their content, from its start
    job: float = DAY  # after this time a job ends with the pages it has
    max_turns: int = 50_000  # time slices, after which it ends likewise: more than a day of the shortest has
    slice: float = 60.0  # length of a time slice
    lease: float = 30.0  # without a heartbeat for this long, another worker may take the job
    beat: float = 8.0  # between two heartbeats
    slot: float = 45.0  # after this time a request to a host counts as finished, whatever happened to its worker
    delay: float = 2.0  # the longest crawl delay that a worker waits out itself; others wait in the queue, unpaid
    longest_delay: float = 60.0  # the longest crawl delay that is accepted
    busy: float = 5.0  # before the next time slice if other crawls keep the host busy
    pauses: tuple[float, ...] = (1.0, 4.0)  # before a retry of a page that failed temporarily
    longest_pause: float = 30.0  # the longest Retry-After that is honoured
    stuck: float = 120.0  # without a heartbeat, after which the job is queued again
    max_requeues: int = 8  # unsuccessful re-queues, after which the job fails: about 18 minutes after its last worker
    delivery_pauses: tuple[float, ...] = (5, 60, 300, 1_800, 7_200, 18_000, 36_000)  # between attempts of a webhook
    max_crashes: int = 3  # worker crashes on one page, after which it is skipped
    sweep: float = 60.0  # between two searches for stuck jobs
    idle: float = 60.0  # without work, after which a local worker stops


DEFAULT_TIMING = WorkTiming()
# On one machine with one clock, a dead worker is detected sooner; and waiting in the process costs nothing.
LOCAL_TIMING = WorkTiming(lease=8.0, beat=2.0, delay=10.0)
