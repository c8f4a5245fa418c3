"""The query of an attachment."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class AttachmentQuery(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    inline: Annotated[
        bool, Field(description="Show an image in the browser. A PDF is downloaded in any case.")
    ] = False
