"""Makes the copies of a function that Lambda starts from one snapshot (SnapStart) different from each other.

The snapshot is taken after INIT. Before it, everything is closed that the copies must not share, or that may have
expired when they start: connections, credentials, the stored settings and keys, caches with a time limit, and names of
this process, such as that of its stream of audit events. After a restore it is opened and read again; the modules are
in the snapshot. Identifiers and secrets come from the system's random numbers, which differ in each copy.
"""

import gc
import os
import random
from collections.abc import Callable

from assay.entrypoints import runtime
from assay.settings.variables import environment

SNAPSHOT = "snap-start"


def is_for_snapshot() -> bool:
    """Whether this INIT ends in a snapshot."""
    return environment().get("AWS_LAMBDA_INITIALIZATION_TYPE") == SNAPSHOT


def register_hooks(prepare: Callable[[], None]) -> None:
    """Let the runtime of Lambda call `forget_process` before the snapshot, and the others after a restore."""
    from snapshot_restore_py import register_after_restore, register_before_snapshot  # part of Lambda's runtime

    register_before_snapshot(forget_process)
    register_after_restore(renew_randomness)
    register_after_restore(prepare)


def forget_process() -> None:
    """Close and drop everything that belongs to this process alone."""
    from assay.aws.ssm import parameters
    from assay.state.audit import name_instance

    runtime.close()
    parameters().forget()
    name_instance.cache_clear()
    gc.collect()  # clients that nobody closes, close themselves


def renew_randomness() -> None:
    """Seed the generators whose state is in the snapshot."""
    import ssl

    random.seed()
    ssl.RAND_add(os.urandom(32), 32)
