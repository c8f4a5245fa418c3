"""The JSON messages between the API and its parsing processes."""

from pydantic import BaseModel, ConfigDict, JsonValue

from domain.core.document import Document


class DocumentRequest(BaseModel):
    model_config = ConfigDict(frozen=True)

    document: Document


class DocumentAnswer(BaseModel):
    """The response from a parsing process. `refused`: the problems found in an invalid document.
    `failed`: the type of an unexpected error. The error message stays in the process, because it
    may quote the document."""

    model_config = ConfigDict(frozen=True)

    value: JsonValue = None
    refused: tuple[str, ...] | None = None
    failed: str = ""
