"""Operator secrets in AWS Systems Manager Parameter Store."""

import json
from functools import cache
from typing import TYPE_CHECKING

from assay.aws.boto_client import create_client
from assay.errors import ConfigError

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.parameters import SSMProvider

MAX_AGE = 300  # seconds; a revoked key remains valid no longer


@cache
def ssm() -> "SSMProvider":
    from aws_lambda_powertools.utilities.parameters import SSMProvider

    return SSMProvider(boto3_client=create_client("ssm"))


def api_keys(parameter: str, provider: "SSMProvider | None" = None) -> str:
    """Return the decrypted text of the parameter, cached for MAX_AGE seconds. Blocks. Raises ConfigError."""
    return _text(parameter, "ASSAY_API_KEYS", provider or ssm())


def settings(parameter: str, provider: "SSMProvider | None" = None) -> dict[str, str]:
    """Return further settings by name from the parameter's JSON object of strings. Blocks. Raises ConfigError."""
    try:
        values = json.loads(_text(parameter, "ASSAY_SETTINGS", provider or ssm()))
    except ValueError:
        values = None
    if not isinstance(values, dict) or not all(isinstance(value, str) for value in values.values()):
        raise ConfigError(
            f'The parameter {parameter} is not a JSON object with string values such as {{"BRAVE_API_KEY": "…"}}.',
            field="ASSAY_SETTINGS",
            action="inform_user",
        )
    return values


def _text(parameter: str, variable: str, provider: "SSMProvider") -> str:
    from aws_lambda_powertools.utilities.parameters.exceptions import GetParameterError

    try:
        return str(provider.get(parameter, max_age=MAX_AGE, decrypt=True))
    except GetParameterError as failure:
        raise ConfigError(
            f"The parameter {parameter} that {variable} names cannot be read.", field=variable
        ) from failure
