"""Query model for the download of an attachment."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class AttachmentQuery(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    inline: Annotated[
        bool,
        Field(
            description=(
                "If true, the browser displays an image instead of downloading it. PDF files "
                "are always downloaded."
            )
        ),
    ] = False
