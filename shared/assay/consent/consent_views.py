"""Output models of consent: what a client needs to send a person to the page where they decide."""

from typing import Annotated

from pydantic import Field

from assay.models.common import Output


class ConsentRequest(Output):
    purpose: Annotated[str, Field(description="What the person is asked to consent to.")]
    terms_version: Annotated[str | None, Field(description="Version of the operator's terms that applies.")] = None
    url: Annotated[
        str | None, Field(description="Page of this server where the person decides; for a URL elicitation.")
    ] = None


type ConsentNeeded = Annotated[
    ConsentRequest | None, Field(description="With no_consent: what the person must consent to, and where.")
]
