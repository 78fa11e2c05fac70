"""Restore the table of a stack into a new table, as it was at a moment or in a backup.

    python infra/scripts/restore.py assay-Table-1ABC assay-restored --at 2026-11-22T10:00:00Z
    python infra/scripts/restore.py assay-Table-1ABC assay-restored --backup arn:aws:dynamodb:…:backup/…
    python infra/scripts/restore.py assay-Table-1ABC --list

DynamoDB restores rows, keys and encryption, but neither the expiry of rows nor further backups: this switches both on.
The restored table is then deployed by the parameter `ExistingTable`. docs/deployment.md has the whole procedure.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import boto3

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

EXPIRY = "until"  # the attribute of DynamoTable
PAUSE_SECONDS = 5.0


def list_backups(dynamodb: "DynamoDBClient", table: str) -> list[str]:
    """The moments to which the table can be restored, and its backups."""
    described = dynamodb.describe_continuous_backups(TableName=table)["ContinuousBackupsDescription"]
    recovery: Any = described.get("PointInTimeRecoveryDescription", {})
    lines = []
    if recovery.get("PointInTimeRecoveryStatus") == "ENABLED":
        moments = (recovery.get(f"{name}RestorableDateTime", "?") for name in ("Earliest", "Latest"))
        lines.append("any moment from {} to {}".format(*moments))
    backups = dynamodb.list_backups(TableName=table)["BackupSummaries"]
    return lines + [f"{each['BackupCreationDateTime']} {each['BackupArn']}" for each in backups]


def restore_table(dynamodb: "DynamoDBClient", table: str, target: str, *, at: datetime | None, backup: str) -> None:
    """Restore the table, wait until it is complete, and switch on what DynamoDB does not restore."""
    if backup:
        dynamodb.restore_table_from_backup(TargetTableName=target, BackupArn=backup)
    else:
        moment: Any = {"UseLatestRestorableTime": True} if at is None else {"RestoreDateTime": at}
        dynamodb.restore_table_to_point_in_time(SourceTableName=table, TargetTableName=target, **moment)
    while dynamodb.describe_table(TableName=target)["Table"]["TableStatus"] != "ACTIVE":
        time.sleep(PAUSE_SECONDS)
    dynamodb.update_time_to_live(TableName=target, TimeToLiveSpecification={"Enabled": True, "AttributeName": EXPIRY})
    dynamodb.update_continuous_backups(
        TableName=target, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Restore the table of a stack into a new table.")
    parser.add_argument("table", help="the table of the stack (output TableName)")
    parser.add_argument("target", nargs="?", default="", help="name of the new table")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--at", type=datetime.fromisoformat, help="moment in ISO 8601; default: the latest possible")
    source.add_argument("--backup", default="", help="ARN of a backup")
    source.add_argument("--list", action="store_true", help="list what can be restored")
    given = parser.parse_args(arguments)
    dynamodb = boto3.client("dynamodb")
    try:
        if given.list:
            print(*list_backups(dynamodb, given.table), sep="\n")
            return 0
        if not given.target:
            parser.error("name the new table")
        moment = given.at if given.at is None or given.at.tzinfo else given.at.replace(tzinfo=UTC)
        restore_table(dynamodb, given.table, given.target, at=moment, backup=given.backup)
        rows = dynamodb.describe_table(TableName=given.target)["Table"].get("ItemCount", 0)
        print(f"{given.target} is restored, with about {rows} rows. Deploy with ExistingTable={given.target}")
        return 0
    finally:
        dynamodb.close()


if __name__ == "__main__":
    sys.exit(main())
