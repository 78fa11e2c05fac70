"""How long things last in a crawl: a seam, so that tests need not wait."""

from dataclasses import dataclass

DAY = 86_400.0


@dataclass(frozen=True)
class CrawlTiming:
    """All in seconds, where nothing else is said."""

    kept: float = 7 * DAY  # a job, its pages and their content, from its beginning
    job: float = DAY  # after which a job is ended with what it has
    slice: float = 60.0  # of work before others get their turn
    lease: float = 30.0  # after the last sign of life of a worker its job is another's to take
    beat: float = 8.0  # between two signs of life
    slot: float = 45.0  # after which a request to a host counts as over, whatever became of its worker
    delay: float = 10.0  # the longest pause between two pages that a worker waits out itself
    longest_delay: float = 60.0  # the longest pause that a crawl bears
    busy: float = 5.0  # before the next turn, where others kept the host busy
    pauses: tuple[float, ...] = (1.0, 4.0)  # before a page that failed for now is tried again
    longest_pause: float = 30.0  # that a server may ask for before such a try
    stuck: float = 120.0  # without a sign of life, after which a job is called again
    calls: int = 8  # in vain, after which it is given up: so a job ends some 18 minutes after its last worker
    deaths: int = 3  # of workers over one page, after which it is left out
    sweep: float = 60.0  # between two looks for stuck jobs
    idle: float = 60.0  # without work, after which a laptop's worker goes home


TERMS = CrawlTiming()
HERE = CrawlTiming(lease=8.0, beat=2.0)  # on one machine whose clock is one, a dead worker is missed sooner
