"""The environment that Lambda sets: region, credentials and endpoints of AWS services.

It is read here and not by `assay.settings`, whose import takes as long as a whole cold answer of the MCP function.
"""

import os
import re
from collections.abc import Callable, Mapping

from assay.aws.signature_v4 import Credentials, SigningScope
from assay.aws.signed_http import Endpoint

# Regions of other partitions have other domains; boto3 knows them.
REGION = re.compile(r"(?!cn-|us-iso|eu-isoe|eusc-)[a-z]{2}(-[a-z]+)+-\d+")
OTHER_ENDPOINTS = ("AWS_USE_FIPS_ENDPOINT", "AWS_USE_DUALSTACK_ENDPOINT")


def read_environment() -> Mapping[str, str]:
    return os.environ  # noqa: TID251  # see above


def find_endpoint(service: str, environ: Mapping[str, str]) -> Endpoint | None:
    """Where the service is and how its requests are signed, if the environment has all that; boto3 reads the rest:
    profiles, single sign-on, metadata services, endpoints of other partitions.
    """
    region = environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION", "")
    credentials = _find_credentials(environ)
    is_other = any(environ.get(name, "").lower() == "true" for name in OTHER_ENDPOINTS)
    if credentials is None or not REGION.fullmatch(region) or is_other:
        return None
    url = _find_url(service, environ) or f"https://{service}.{region}.amazonaws.com"
    certificates = environ.get("AWS_CA_BUNDLE", "")
    return Endpoint(url, SigningScope(region, service), credentials, certificates, lambda: _find_trace(environ))


def _find_credentials(environ: Mapping[str, str]) -> Callable[[], Credentials] | None:
    key, secret = environ.get("AWS_ACCESS_KEY_ID", ""), environ.get("AWS_SECRET_ACCESS_KEY", "")
    if key and secret:
        own = Credentials(key, secret, environ.get("AWS_SESSION_TOKEN", ""))
        return lambda: own
    from assay.aws import container_credentials  # imported where it is needed, for fast cold starts

    if container_credentials.has_container_credentials(environ):
        return container_credentials.ContainerCredentials(environ)
    return None


def _find_url(service: str, environ: Mapping[str, str]) -> str:
    if environ.get("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "").lower() == "true":
        return ""
    return environ.get(f"AWS_ENDPOINT_URL_{service.upper()}") or environ.get("AWS_ENDPOINT_URL", "")


def _find_trace(environ: Mapping[str, str]) -> str:
    """The trace of the current invocation, which Lambda also needs to recognize functions that call themselves."""
    return environ.get("_X_AMZN_TRACE_ID", "") if environ.get("AWS_LAMBDA_FUNCTION_NAME") else ""
