"""Errors of files below ASSAY_HOME: a full disk or missing permissions, which the operator has to repair."""

import sqlite3

from assay.errors import ToolError

DISK = frozenset(
    {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY}
)


def to_state_error(what: str, failure: Exception) -> ToolError:
    """The error for callers, without the path, which is the operator's alone."""
    reason = getattr(failure, "strerror", None) or failure
    if isinstance(failure, OSError) or getattr(failure, "sqlite_errorcode", 0) & 0xFF in DISK:
        return ToolError(
            f"{what} cannot be used: {reason}. Check that ASSAY_HOME is writable and its disk has free space.",
            field="ASSAY_HOME",
            action="inform_user",
        )
    return ToolError(f"{what} cannot be used: {reason}.")
