"""How long things last in a job: a seam, so that tests need not wait."""

from dataclasses import dataclass

from assay.providers.wayback import SAVE_INTERVAL, SAVE_INTERVAL_SIGNED

MINUTE, HOUR, DAY = 60.0, 3_600.0, 86_400.0


@dataclass(frozen=True)
class JobTiming:
    """All in seconds, where nothing else is said."""

    lease: float = 3 * MINUTE  # after which an errand whose worker said no more is another's to take
    grace: float = MINUTE  # in which a row may stand alone: who wrote it may be about to write the other
    pauses: tuple[float, ...] = (15 * MINUTE, HOUR, 4 * HOUR, 12 * HOUR, DAY, 2 * DAY, 4 * DAY)  # then it is parked
    busy: float = 2 * MINUTE  # until an errand comes again whose host others kept busy
    patience: float = 10.0  # for a turn at a host
    asked_to_wait: float = 30.0  # that a host is left alone after it asked for fewer requests
    saving: float = SAVE_INTERVAL
    saving_signed: float = SAVE_INTERVAL_SIGNED
    saving_patience: float = 30.0  # for a turn at the archive
    deaths: int = 5  # of workers over one errand, after which it is parked
    sessions: float = 10 * MINUTE  # between two looks at the sources of a session
    kept: float = 90 * DAY  # reports, and errands that are over
    canary_hosts: tuple[str, ...] = ("archive.org", "wikipedia.org", "iana.org")  # names that are there, if any is
    spare: float = 10.0  # of a pass, to write its reports


TERMS = JobTiming()
EVERY = DAY  # between two looks at a link
LEAST_EVERY = 5 * MINUTE
