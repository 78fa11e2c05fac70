"""Metadata documents: of the protected resources (RFC 9728) and of the authorization server (RFC 8414)."""

from typing import Any

from assay.oauth.client_metadata import AUTHENTICATION_METHODS, GRANT_TYPES
from assay.oauth.scopes import SUPPORTED
from assay.oauth.server_addresses import RESOURCE_PATHS
from assay.oauth.signed_tokens import ALGORITHMS
from assay.settings import Settings

ASSERTION_PROFILE = "urn:ietf:params:oauth:grant-profile:id-jag"


def describe_resource(path: str, base: str, settings: Settings, *, has_sign_in: bool) -> dict[str, Any] | None:
    """The metadata of the resource at `path`; None for a path that is no resource.

    The operator's issuer comes first, unless people sign in here through their identity provider.
    """
    if path not in RESOURCE_PATHS:
        return None
    own = [base] if has_sign_in else []
    others = [settings.issuer_url] if settings.issuer_url else []
    servers = own + others if settings.key("ASSAY_OIDC_ISSUER") else others + own
    return {
        "resource": base + path,
        "authorization_servers": servers,
        "scopes_supported": sorted({*SUPPORTED, *settings.required_scopes}),
        "bearer_methods_supported": ["header"],
        "resource_name": "Assay",
    }


def describe_server(base: str, settings: Settings) -> dict[str, Any]:
    """The metadata of the authorization server. Identity assertions are for servers with an identity provider."""
    has_provider = bool(settings.key("ASSAY_OIDC_ISSUER"))
    profiles = {"authorization_grant_profiles_supported": [ASSERTION_PROFILE]} if has_provider else {}
    return profiles | {
        "issuer": base,
        "authorization_endpoint": f"{base}/oauth/authorize",
        "token_endpoint": f"{base}/oauth/token",
        "registration_endpoint": f"{base}/oauth/register",
        "revocation_endpoint": f"{base}/oauth/revoke",
        "device_authorization_endpoint": f"{base}/oauth/device_authorization",
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": list(GRANT_TYPES if has_provider else GRANT_TYPES[:3]),
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": list(AUTHENTICATION_METHODS),
        "token_endpoint_auth_signing_alg_values_supported": list(ALGORITHMS),
        "revocation_endpoint_auth_methods_supported": list(AUTHENTICATION_METHODS),
        "revocation_endpoint_auth_signing_alg_values_supported": list(ALGORITHMS),
        "scopes_supported": list(SUPPORTED),
        "client_id_metadata_document_supported": True,
        "authorization_response_iss_parameter_supported": True,
    }
