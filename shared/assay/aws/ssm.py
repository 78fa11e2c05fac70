"""Secrets of the operator, in SSM."""

import json
from functools import cache
from typing import TYPE_CHECKING

from assay.aws.boto_client import made_client
from assay.errors import ConfigError

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.parameters import SSMProvider

MAX_AGE = 300  # seconds a revoked key may live on


@cache
def ssm() -> "SSMProvider":
    from aws_lambda_powertools.utilities.parameters import SSMProvider

    return SSMProvider(boto3_client=made_client("ssm"))


def api_keys(parameter: str, provider: "SSMProvider | None" = None) -> str:
    """The text of the SSM parameter, decrypted, no older than MAX_AGE seconds. Blocks. Raises ConfigError."""
    return _text(parameter, "ASSAY_API_KEYS", provider or ssm())


def settings(parameter: str, provider: "SSMProvider | None" = None) -> dict[str, str]:
    """Further settings by name, from the SSM parameter's JSON object of texts. Blocks. Raises ConfigError."""
    try:
        found = json.loads(_text(parameter, "ASSAY_SETTINGS", provider or ssm()))
    except ValueError:
        found = None
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise ConfigError(
            f'The parameter {parameter} is no JSON object of texts such as {{"BRAVE_API_KEY": "…"}}.',
            field="ASSAY_SETTINGS",
            action="inform_user",
        )
    return found


def _text(parameter: str, variable: str, provider: "SSMProvider") -> str:
    from aws_lambda_powertools.utilities.parameters.exceptions import GetParameterError

    try:
        return str(provider.get(parameter, max_age=MAX_AGE, decrypt=True))
    except GetParameterError as failure:
        raise ConfigError(
            f"The parameter {parameter} that {variable} names cannot be read.", field=variable
        ) from failure
