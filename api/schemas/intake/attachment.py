"""Query model of an attachment's download."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class AttachmentQuery(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    inline: Annotated[
        bool,
        Field(
            description=(
                "If true, the browser shows an image instead of downloading it. A PDF is always "
                "downloaded."
            )
        ),
    ] = False
