"""Key-value table in Amazon DynamoDB."""

import asyncio
import math
import random
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from assay.aws.service_calls import ServiceCalls, was_retried
from assay.errors import Network
from assay.state.ports import COUNTER_MARK, Conflict, TableItem, TablePage, check_row

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

LIVE = "(attribute_not_exists(#until) OR #until > :now)"
ABSENT = "(attribute_not_exists(#key) OR #until <= :now)"
ADD_TRIES = 20
GROWTH, MOST_ROWS = 4, 1_000  # of the rows that one request of a query looks at, which has 1 MB at most
BATCH, BATCH_TRIES = 100, 10  # rows of one BatchGetItem; requests until all rows have come

type Row = dict[str, Any]


class DynamoTable:
    """ports.Table over the DynamoDB table `name` with the attributes `key` and `sort` (S),
    `value` (B), `version` (N) and `until` (N, the TTL attribute).

    DynamoDB may delete expired rows days late, so every read and every condition compares `until` with the clock.
    """

    def __init__(
        self, name: str, client: "DynamoDBClient | None" = None, *, clock: Callable[[], float] = time.time
    ) -> None:
        self._name, self._clock = name, clock
        self._remote: ServiceCalls[DynamoDBClient] = ServiceCalls("dynamodb", client)

    def prepare(self) -> None:
        """Create the client, which the first request otherwise does."""
        self._remote.prepare()

    async def get(self, key: str, sort: str = "-") -> TableItem | None:
        check_row(key, sort)
        row = await self._row(key, sort)
        return None if row is None or self._is_past(row) else _item(row)

    async def get_many(self, key: str, sorts: Sequence[str]) -> list[TableItem | None]:
        for sort in sorts:
            check_row(key, sort)
        batches = [sorts[at : at + BATCH] for at in range(0, len(sorts), BATCH)]
        found = {row["sort"]["S"]: row for rows in [await self._batch(key, batch) for batch in batches] for row in rows}
        return [_item(found[sort]) if sort in found and not self._is_past(found[sort]) else None for sort in sorts]

    async def put(
        self, key: str, sort: str, value: bytes, *, until: float | None = None, expect: int | None = None
    ) -> int:
        check_row(key, sort, value)
        # A version is the nanosecond of its write: a row that is deleted and created again never reuses one.
        version = max(time.time_ns(), (expect or 0) + 1)
        row = _names(key, sort) | {"value": {"B": value}, "version": {"N": str(version)}} | _expiry(until)
        try:
            await self._put(row, **self._condition(expect))
        except Conflict as conflict:
            if not (was_retried(conflict) and await self._is_at(key, sort, version)):
                raise
        return version

    async def delete(self, key: str, sort: str = "-", *, expect: int | None = None) -> None:
        check_row(key, sort)
        request: Row = {"TableName": self._name, "Key": _names(key, sort)} | self._condition(expect)
        try:
            await self._remote.ask(lambda dynamodb: dynamodb.delete_item(**request))
        except Conflict as conflict:
            if not (was_retried(conflict) and await self.get(key, sort) is None):
                raise

    async def query(
        self, key: str, prefix: str = "", *, after: str | None = None, limit: int = 100, descending: bool = False
    ) -> TablePage:
        check_row(key, after or prefix or "-")
        start = None
        if after is not None and not after.startswith(prefix):  # DynamoDB rejects a start key outside the range
            if (after.encode() > prefix.encode()) != descending:
                return TablePage([], None)
        elif after is not None:
            start = _names(key, after)
        rows = await self._rows(key, prefix, start, limit + 1, descending)
        items = [_item(row) for row in rows[:limit]]
        return TablePage(items, items[-1].sort if len(rows) > limit else None)

    async def add(self, key: str, sort: str, amount: int = 1, *, until: float | None = None) -> int:
        check_row(key, sort)
        # No row's key starts with the mark, so counters and rows have different keys. IAM can match it in a policy.
        names = _names(f"{COUNTER_MARK}{key}", sort)
        for _ in range(ADD_TRIES):
            try:
                return await self._add(names, amount, until)
            except Conflict:
                pass  # the counter has expired: replace it, unless another caller already has
            try:
                await self._put(
                    names | {"count": {"N": str(amount)}} | _expiry(until),
                    ConditionExpression="#until <= :now",
                    ExpressionAttributeNames={"#until": "until"},
                    ExpressionAttributeValues={":now": self._now()},
                )
            except Conflict:
                continue
            return amount
        raise Network(
            f"Too many callers update the counter {key}/{sort} at once; call again.", provider="dynamodb", retry_after=1
        )

    async def close(self) -> None:
        await self._remote.close()

    async def _row(self, key: str, sort: str) -> Row | None:
        request: Row = {"TableName": self._name, "Key": _names(key, sort), "ConsistentRead": True}
        answer = await self._remote.ask(lambda dynamodb: dynamodb.get_item(**request))
        return answer.get("Item")

    async def _batch(self, key: str, sorts: Sequence[str]) -> list[Row]:
        """The rows of one batch that exist. DynamoDB leaves some out of an answer that is too large, or under load."""
        wanted = [_names(key, sort) for sort in sorts]
        rows: list[Row] = []
        for attempt in range(BATCH_TRIES):
            if not wanted:
                return rows
            if attempt:
                await asyncio.sleep(random.uniform(0, min(1.0, 0.02 * 2**attempt)))
            request: Row = {"RequestItems": {self._name: {"Keys": wanted, "ConsistentRead": True}}}
            answer = await self._remote.ask(lambda dynamodb, request=request: dynamodb.batch_get_item(**request))  # type: ignore[misc]
            rows += answer["Responses"].get(self._name, [])
            wanted = answer.get("UnprocessedKeys", {}).get(self._name, {}).get("Keys", [])
        raise Network("DynamoDB has no capacity to read the rows; call again.", provider="dynamodb", retry_after=1)

    async def _put(self, row: Row, **condition: Any) -> None:
        await self._remote.ask(lambda dynamodb: dynamodb.put_item(TableName=self._name, Item=row, **condition))

    async def _add(self, names: Row, amount: int, until: float | None) -> int:
        set_expiry = "" if until is None else "SET #until = if_not_exists(#until, :until) "
        request: Row = {
            "TableName": self._name,
            "Key": names,
            "UpdateExpression": f"{set_expiry}ADD #count :amount",
            "ConditionExpression": LIVE,
            "ExpressionAttributeNames": {"#until": "until", "#count": "count"},
            "ExpressionAttributeValues": {":amount": {"N": str(amount)}, ":now": self._now()}
            | ({} if until is None else {":until": _expiry(until)["until"]}),
            "ReturnValues": "UPDATED_NEW",
        }
        answer = await self._remote.ask(lambda dynamodb: dynamodb.update_item(**request))
        return int(answer["Attributes"]["count"]["N"])

    async def _rows(self, key: str, prefix: str, start: Row | None, count: int, descending: bool) -> list[Row]:
        request: Row = {
            "TableName": self._name,
            "ConsistentRead": True,
            "ScanIndexForward": not descending,
            "KeyConditionExpression": "#key = :key" + (" AND begins_with(#sort, :prefix)" if prefix else ""),
            "FilterExpression": LIVE,
            "ExpressionAttributeNames": {"#key": "key", "#until": "until"} | ({"#sort": "sort"} if prefix else {}),
            "ExpressionAttributeValues": {":key": {"S": key}, ":now": self._now()}
            | ({":prefix": {"S": prefix}} if prefix else {}),
        }
        rows: list[Row] = []
        limit = count
        while True:
            step = request | {"Limit": limit} | ({"ExclusiveStartKey": start} if start else {})
            answer = await self._remote.ask(lambda dynamodb, step=step: dynamodb.query(**step))  # type: ignore[misc]
            rows += answer["Items"]
            start = answer.get("LastEvaluatedKey")
            if not start or len(rows) >= count:
                return rows
            # DynamoDB counts expired rows that it has not deleted yet; there may be many in a row.
            limit = max(limit, min(limit * GROWTH, MOST_ROWS))

    async def _is_at(self, key: str, sort: str, version: int) -> bool:
        row = await self._row(key, sort)
        return row is not None and int(row["version"]["N"]) == version

    def _condition(self, expect: int | None) -> Row:
        if expect is None:
            return {}
        condition: Row = {
            "ConditionExpression": f"#version = :version AND {LIVE}" if expect else ABSENT,
            "ExpressionAttributeNames": {"#until": "until"} | ({"#version": "version"} if expect else {"#key": "key"}),
            "ExpressionAttributeValues": {":now": self._now()} | ({":version": {"N": str(expect)}} if expect else {}),
        }
        return condition

    def _is_past(self, row: Row) -> bool:
        return "until" in row and float(row["until"]["N"]) <= self._clock()

    def _now(self) -> Row:
        return {"N": f"{self._clock():.6f}"}


def _names(key: str, sort: str) -> Row:
    return {"key": {"S": key}, "sort": {"S": sort}}


def _expiry(until: float | None) -> Row:
    return {} if until is None else {"until": {"N": str(math.ceil(until))}}  # TTL attributes hold whole seconds


def _item(row: Row) -> TableItem:
    return TableItem(row["sort"]["S"], row["value"]["B"], int(row["version"]["N"]))
