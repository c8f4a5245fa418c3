"""The query of an attachment."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class AttachmentQuery(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    inline: Annotated[
        bool, Field(description="Show an image in the browser; a PDF is saved all the same.")
    ] = False
