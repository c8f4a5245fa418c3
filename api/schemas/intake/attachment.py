"""Query models for downloading and uploading attachments."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from domain.intake.attachment import MAX_NAME_CHARS


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


class UploadQuery(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[
        str,
        Field(max_length=MAX_NAME_CHARS, pattern=r"^[^\x00]*$", description="Name of the file."),
    ] = ""
