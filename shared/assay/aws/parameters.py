"""Secrets of the operator, in SSM."""

from functools import cache
from typing import TYPE_CHECKING

from assay.aws.remote import made_client
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
    from aws_lambda_powertools.utilities.parameters.exceptions import GetParameterError

    try:
        return str((provider or ssm()).get(parameter, max_age=MAX_AGE, decrypt=True))
    except GetParameterError as failure:
        raise ConfigError(
            f"The parameter {parameter} that ASSAY_API_KEYS names cannot be read.", field="ASSAY_API_KEYS"
        ) from failure
