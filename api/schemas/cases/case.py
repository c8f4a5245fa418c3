"""Request and response models for the dashboard's case and case run routes."""

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, JsonValue, WithJsonSchema

from api.openapi import named
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
    cases: tuple[SavedCase, ...] = Field(description="The client's saved cases, oldest first.")
    next_cursor: str | None = Field(description="Cursor for the next page; null on the last page.")


class CaseOfRunBody(StrictBody):
    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "Colis perdu"}]})

    name: Annotated[
        str | None,
        Field(
            max_length=MAX_CASE_NAME,
            description="Name of the case; defaults to the start of the message.",
        ),
    ] = None


class CaseRunBody(StrictBody):
    """The variant on which to run the cases. If all fields are omitted, the live content is
    used."""

    model_config = ConfigDict(json_schema_extra={"examples": [{}, {"threshold": 0.9}]})

    playbook_id: Annotated[
        str | None,
        Field(
            pattern=ULID,
            description=(
                "Id of the playbook to use for every case. If `playbook` is also given, the "
                "unsaved playbook replaces this one."
            ),
        ),
    ] = None
    version: Annotated[
        Whole | None,
        Field(
            ge=1,
            le=_MAX_VERSION,
            description="Version of `playbook_id`; defaults to the current version.",
        ),
    ] = None
    playbook: Annotated[
        dict[str, JsonValue] | None,
        WithJsonSchema(named(PlaybookShape)),
        Field(description="Unsaved playbook, in the format of a playbook file."),
    ] = None
    threshold: Annotated[
        float | None,
        Field(
            strict=False,
            ge=0,
            le=1,
            description=(
                "Confidence threshold to use instead of the playbook's threshold, from 0 to 1."
            ),
        ),
    ] = None
    embedded_brain: Annotated[
        bool, Field(description="Use the embedded brain, even if a language model is configured.")
    ] = False

    @property
    def variant(self) -> Variant:
        """Return the variant as a domain object. Raises InvalidPlaybook."""
        return Variant(
            playbook_id=self.playbook_id,
            version=self.version,
            draft=None if self.playbook is None else draft_in(self.playbook).spec,
            threshold=self.threshold,
            embedded_brain=self.embedded_brain,
        )


class CaseRunPage(BaseModel):
    runs: tuple[CaseRun, ...] = Field(description="Case runs, newest first.")
    next_cursor: str | None = Field(description="Cursor for the next page; null on the last page.")


class CaseResults(BaseModel):
    run: CaseRun
    results: tuple[CaseResult, ...] = Field(
        description=(
            "Results available so far, in the order of the cases. Results of deleted cases "
            "are omitted."
        )
    )


class CaseImportQuery(ClientQuery):
    dry_run: Annotated[
        bool, Field(description="If true, report the changes without applying them.")
    ] = False


class ImportedCase(BaseModel):
    name: str
    outcome: CaseImportOutcome
    id: str | None = Field(description="Id of the case; null if a dry run would create it.")


class CaseImportAnswer(BaseModel):
    dry_run: bool
    cases: tuple[ImportedCase, ...] = Field(
        description=("Change made to each case, in the order of the file.")
    )
