"""The JSON messages between the API and its parsing processes."""

from pydantic import BaseModel, ConfigDict, JsonValue

from domain.core.document import Document


class DocumentRequest(BaseModel):
    model_config = ConfigDict(frozen=True)

    document: Document


class DocumentAnswer(BaseModel):
    """The response from a parsing process. `refused` are the problems of an invalid document.
    `failed` is the type of an unexpected error, whose message may quote the document and is
    dropped."""

    model_config = ConfigDict(frozen=True)

    value: JsonValue = None
    refused: tuple[str, ...] | None = None
    failed: str = ""
