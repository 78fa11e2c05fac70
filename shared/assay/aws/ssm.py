"""Operator secrets in AWS Systems Manager Parameter Store."""

import json
import logging
import random
import time
from collections.abc import Callable
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

from assay.aws.service_calls import ServiceCalls
from assay.errors import DependencyUnavailable, Misconfigured, Network, ToolError

if TYPE_CHECKING:
    from mypy_boto3_ssm import SSMClient

log = logging.getLogger("assay")
MAX_AGE = 300.0  # seconds between two reads; a revoked key remains valid no longer while SSM answers
RETRY_AGE = 30.0  # seconds before the next read after one that failed or found no such parameter
# SSM answers 40 reads a second in an account and region; environments that start together wait for their turn.
PATIENCE, LONGEST_PAUSE = 25.0, 2.0  # seconds; infra/benchmarks/parameter_storm.py shows what they are worth
ATTEMPTS = 3  # requests without any answer


class ParameterCache:
    """The decrypted texts of SecureStrings by name; one request reads all of them.

    While SSM fails, the texts read before remain in force, and `on_stale` is called at each failed read. Powertools'
    parameters have no such behaviour and read one parameter per request.
    """

    def __init__(
        self,
        client: ServiceCalls["SSMClient"],
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        on_stale: Callable[[], None] = lambda: None,
    ) -> None:
        self._client, self._clock, self._sleep, self._on_stale = client, clock, sleep, on_stale
        self._lock = Lock()  # a thread reads at INIT
        self._variables: dict[str, str] = {}  # by the parameter's name, the setting that names it
        self._texts: dict[str, str] = {}
        self._due: dict[str, float] = {}

    def declare(self, variable: str, name: str) -> None:
        """Read the parameter with the next request: the setting `variable` names it."""
        self._variables[name] = variable

    def read(self, name: str) -> str:
        """Return the parameter's text, at most MAX_AGE old while SSM answers. Blocks.

        Raises Misconfigured if there is no such parameter or it may not be read, DependencyUnavailable if SSM fails.
        """
        with self._lock:
            if self._clock() >= self._due.get(name, 0.0):
                self._refresh(name)
            try:
                return self._texts[name]
            except KeyError:
                variable = self._variables[name]
                message = f"The parameter {name} that {variable} names cannot be read."
                raise Misconfigured(message, field=variable) from None

    def forget(self) -> None:
        """Drop all texts and the connection, after a read in progress; the next read asks SSM."""
        with self._lock:
            self._texts, self._due = {}, {}
            self._client.forget_client()

    def _refresh(self, name: str) -> None:
        try:
            texts = self._request()
        except ToolError:
            if name not in self._texts:
                raise
            log.warning("SSM cannot be read; the parameters read before remain in force")
            self._due = dict.fromkeys(self._variables, self._clock() + RETRY_AGE)
            self._on_stale()
            return
        now = self._clock()
        self._due = {one: now + (MAX_AGE if one in texts else RETRY_AGE) for one in self._variables}
        self._texts = texts

    def _request(self) -> dict[str, str]:
        """The texts of all declared parameters that exist. Waits while SSM refuses because of its rate limit."""
        until, pause, unanswered = self._clock() + PATIENCE, 0.2, 0
        names = sorted(self._variables)
        while True:
            try:
                answer = self._client.ask_now(lambda ssm: ssm.get_parameters(Names=names, WithDecryption=True))
                return {each["Name"]: each["Value"] for each in answer["Parameters"]}
            except Network as failure:
                unanswered += not isinstance(failure, DependencyUnavailable)
                if unanswered >= ATTEMPTS or self._clock() + pause > until:
                    raise DependencyUnavailable("SSM does not answer.", provider="ssm", retry_after=5) from failure
            except Misconfigured:
                raise
            except ToolError as refusal:
                raise Misconfigured(f"{refusal.message} Parameters: {', '.join(names)}", provider="ssm") from refusal
            self._sleep(random.uniform(0, pause))
            pause = min(2 * pause, LONGEST_PAUSE)


@cache
def parameters() -> ParameterCache:
    """The parameters of this process. A failed read is counted as the metric StaleParameters."""
    return ParameterCache(ServiceCalls("ssm", attempts=1), on_stale=_count_stale)


def _count_stale() -> None:
    from assay.aws.telemetry import count_stale_parameters

    count_stale_parameters()


def parse_settings(parameter: str, text: str) -> dict[str, str]:
    """Return further settings by name from the parameter's JSON object of strings. Raises Misconfigured."""
    try:
        values = json.loads(text)
    except ValueError:
        values = None
    if not isinstance(values, dict) or not all(isinstance(value, str) for value in values.values()):
        raise Misconfigured(
            f'The parameter {parameter} is not a JSON object with string values such as {{"BRAVE_API_KEY": "…"}}.',
            field="ASSAY_SETTINGS",
        )
    return values
