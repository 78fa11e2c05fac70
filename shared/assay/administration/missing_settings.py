"""Settings that are not set, and what each of them would enable."""

from typing import Annotated, Literal

from pydantic import Field

from assay.administration.admin_call import AdminCall
from assay.administration.server_state import NoInput
from assay.models.common import Output
from assay.provider_base.provider_manifest import describe_providers
from assay.settings import Settings
from assay.settings.declaration import list_settings
from assay.settings.parsers import parse_flag
from assay.toolkit.tool import tool

COMPONENTS = {  # beside flags and providers, whose settings describe themselves
    "LLM_MODEL": "Answers, extraction by description and the last tier of claim verification, by a language model.",
    "EMBEDDING_MODEL": "Search for memories by meaning.",
    "NLI_MODEL_PATH": "Comparison of claims with their sources by a model of natural-language inference.",
    "ASSAY_OIDC_ISSUER": "Signing in with an account of the organization instead of a key.",
    "AUDIT_WEBHOOK_URL": "Delivery of audit events to an endpoint of the operator.",
    "ASSAY_DAILY_BUDGET_USD": "A limit of what a tenant spends a day.",
    "RATE_LIMIT_PER_TENANT": "A limit of a tenant's calls a minute.",
}


class MissingSetting(Output):
    kind: Literal["provider", "feature"]
    variables: Annotated[list[str], Field(description="What to set; all of them.")]
    enables: str


class MissingSettings(Output):
    missing: list[MissingSetting]


@tool()
async def list_missing_settings(ask: NoInput, call: AdminCall) -> MissingSettings:  # noqa: ARG001  tools have both
    """List settings that are not set, with what each would enable."""
    settings = call.services.settings
    return MissingSettings(missing=[*_list_providers(settings), *_list_flags(settings), *_list_components(settings)])


def _list_providers(settings: Settings) -> list[MissingSetting]:
    return [
        MissingSetting(
            kind="provider",
            variables=[name for name in min(info.requirements, key=len) if not settings.key(name)] or [info.key_name],
            enables=f"{info.name}: {', '.join(sorted(info.supported_filters)) or 'used by tools'}",
        )
        for info in describe_providers()
        if info.requirements and not info.is_configured(settings)
    ]


def _list_flags(settings: Settings) -> list[MissingSetting]:
    return [
        MissingSetting(kind="feature", variables=[one.metadata["variable"]], enables=str(one.metadata["description"]))
        for one in list_settings(Settings)
        if one.metadata["parse"] is parse_flag and getattr(settings, one.name) is False
    ]


def _list_components(settings: Settings) -> list[MissingSetting]:
    parsed = {one.metadata["variable"] for one in list_settings(Settings)}
    return [
        MissingSetting(kind="feature", variables=[variable], enables=enables)
        for variable, enables in COMPONENTS.items()
        if not (settings.environ.get(variable) if variable in parsed else settings.key(variable))
    ]
