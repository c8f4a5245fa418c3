"""Requests and responses of the dashboard about saved cases and their runs."""

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, JsonValue, WithJsonSchema

from api.openapi import in_one_piece
from api.schemas.core.client_query import ClientQuery
from api.schemas.core.strict_body import StrictBody, Whole
from domain.cases.case import MAX_CASE_NAME, SavedCase
from domain.cases.case_documents import CaseImportOutcome
from domain.cases.case_run import CaseResult, CaseRun
from domain.core.ids import ULID
from domain.playbooks.file import draft_in
from domain.playbooks.shape import PlaybookShape
from domain.simulation.variant import Variant

_MAX_VERSION: Final = 2**31 - 1


class CasePage(BaseModel):
    cases: tuple[SavedCase, ...] = Field(description="The oldest first.")
    next_cursor: str | None = Field(description="Null: these are the last.")


class CaseOfRunBody(StrictBody):
    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "Colis perdu"}]})

    name: Annotated[
        str | None,
        Field(max_length=MAX_CASE_NAME, description="Absent: how the message begins."),
    ] = None


class CaseRunBody(StrictBody):
    """The variant to run the cases on. Without fields, the live content is used."""

    model_config = ConfigDict(json_schema_extra={"examples": [{}, {"threshold": 0.9}]})

    playbook_id: Annotated[
        str | None,
        Field(pattern=ULID, description="Every case by this one; with `playbook`, in its place."),
    ] = None
    version: Annotated[
        Whole | None,
        Field(ge=1, le=_MAX_VERSION, description="Of `playbook_id`; absent: the current one."),
    ] = None
    playbook: Annotated[
        dict[str, JsonValue] | None,
        WithJsonSchema(in_one_piece(PlaybookShape)),
        Field(description="A playbook that is not saved, as a file has it."),
    ] = None
    threshold: Annotated[
        float | None, Field(strict=False, ge=0, le=1, description="In place of the playbook's.")
    ] = None
    embedded_brain: Annotated[
        bool, Field(description="Think with the embedded brain though a model is configured.")
    ] = False

    @property
    def variant(self) -> Variant:
        """The variant as the domain has it. Raises InvalidPlaybook."""
        return Variant(
            playbook_id=self.playbook_id,
            version=self.version,
            draft=None if self.playbook is None else draft_in(self.playbook).spec,
            threshold=self.threshold,
            embedded_brain=self.embedded_brain,
        )


class CaseRunPage(BaseModel):
    runs: tuple[CaseRun, ...] = Field(description="The latest first.")
    next_cursor: str | None = Field(description="Null: these are the last.")


class CaseResults(BaseModel):
    run: CaseRun
    results: tuple[CaseResult, ...] = Field(
        description="So far, of the cases that are still there, in their order."
    )


class CaseImportQuery(ClientQuery):
    dry_run: Annotated[bool, Field(description="True: only say what would change.")] = False


class ImportedCase(BaseModel):
    name: str
    outcome: CaseImportOutcome
    id: str | None = Field(description="Null of one that a dry run would make.")


class CaseImportAnswer(BaseModel):
    dry_run: bool
    cases: tuple[ImportedCase, ...] = Field(description="In the order of the file.")
