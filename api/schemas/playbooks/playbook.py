"""Request and response models for the dashboard's playbook routes."""

from datetime import datetime
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, JsonValue, WithJsonSchema

from api.openapi import named
from api.schemas.core.client_query import ClientQuery
from api.schemas.core.strict_body import StrictBody
from domain.playbooks.file import written
from domain.playbooks.merge import ImportOutcome, PlaybookChange
from domain.playbooks.playbook import MAX_OVERRIDE, OVERRIDE_PATTERN, PlaybookEntry
from domain.playbooks.shape import MAX_NOTE, PlaybookShape
from store.playbooks.versions import VersionEntry

MAX_VERSION: Final = 2**31 - 1
_CURSOR: Final = "^[1-9][0-9]{0,8}$"
_SHAPE: Final = named(PlaybookShape)
Document = Annotated[
    dict[str, JsonValue],
    WithJsonSchema(_SHAPE),
    Field(
        description=(
            "Playbook in the format of a playbook file, as described in docs/playbooks.md. Omitted "
            "fields use their default values."
        )
    ),
]


class VersionQuery(ClientQuery):
    limit: Annotated[int, Field(ge=1, le=100)] = 50
    cursor: Annotated[
        Annotated[
            int, Field(ge=1, le=MAX_VERSION), WithJsonSchema({"type": "string", "pattern": _CURSOR})
        ]
        | None,
        Field(description="Value of `next_cursor` from the previous page."),
    ] = None


class DiffQuery(ClientQuery):
    """Query parameters for a comparison of two versions. `to` defaults to the current version, and
    `from` to the version before `to`."""

    before: Annotated[
        int | None,
        Field(
            alias="from",
            ge=1,
            le=MAX_VERSION,
            description="Earlier version; defaults to the version before `to`.",
        ),
    ] = None
    after: Annotated[
        int | None,
        Field(
            alias="to",
            ge=1,
            le=MAX_VERSION,
            description="Later version; defaults to the current version.",
        ),
    ] = None


Override = Annotated[
    str,
    Field(
        pattern=OVERRIDE_PATTERN,
        max_length=MAX_OVERRIDE,
        description=(
            "Reason for going live even though not all cases have passed. Only owners may set this "
            "field."
        ),
    ),
]


class ImportQuery(ClientQuery):
    dry_run: Annotated[
        bool, Field(description="If true, report the changes without applying them.")
    ] = False
    override: Override | None = None


class RestoreBody(StrictBody):
    model_config = ConfigDict(json_schema_extra={"examples": [{"note": "Trop prudent."}]})

    note: Annotated[
        str | None,
        Field(
            max_length=MAX_NOTE,
            description="Reason for the change, stored in the version history.",
        ),
    ] = None
    override: Override | None = None


class ActivateBody(StrictBody):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"override": "Validé par téléphone par la direction."}]}
    )

    override: Override | None = None


class DeactivateBody(StrictBody):
    pass


class PlaybookOut(BaseModel):
    id: str
    version: int
    is_active: bool
    playbook: Document

    @staticmethod
    def of(entry: PlaybookEntry) -> "PlaybookOut":
        return PlaybookOut(
            id=entry.playbook.id,
            version=entry.playbook.version,
            is_active=entry.is_active,
            playbook=written(entry.spec),
        )


class ListedPlaybook(BaseModel):
    id: str
    version: int
    name: str
    event_type: str
    threshold: float
    is_active: bool

    @staticmethod
    def of(entry: PlaybookEntry) -> "ListedPlaybook":
        one = entry.playbook
        return ListedPlaybook(
            id=one.id,
            version=one.version,
            name=one.name,
            event_type=one.event_type,
            threshold=one.threshold,
            is_active=entry.is_active,
        )


class PlaybookList(BaseModel):
    playbooks: tuple[ListedPlaybook, ...] = Field(
        description=(
            "All of the client's playbooks. The first active playbook that matches an event "
            "handles it."
        )
    )


class ChangedPlaybook(PlaybookOut):
    outcome: ImportOutcome = Field(
        description=(
            "`changed`: the playbook has a new version. `switched`: the version is the same, but "
            "the playbook was activated or deactivated."
        )
    )
    changed: tuple[str, ...] = Field(
        description="Names of the fields that differ, such as `actions.refund`."
    )

    @staticmethod
    def after(change: PlaybookChange) -> "ChangedPlaybook":
        now = PlaybookOut.of(change.entry)
        return ChangedPlaybook(**now.model_dump(), outcome=change.outcome, changed=change.fields)


class ImportedPlaybook(BaseModel):
    name: str
    outcome: ImportOutcome
    id: str | None = Field(description="Id of the playbook; null if a dry run would create it.")
    version: int
    is_active: bool
    changed: tuple[str, ...]


class ImportAnswer(BaseModel):
    dry_run: bool
    playbooks: tuple[ImportedPlaybook, ...] = Field(
        description="Change made to each playbook, in the order of the file."
    )


class Version(BaseModel):
    version: int
    created_at: datetime
    author: str | None = Field(
        description="User or operator who created the version; null if unknown."
    )
    note: str | None
    playbook: Document

    @staticmethod
    def of(entry: VersionEntry) -> "Version":
        document = written(entry.spec)
        del document["active"]  # The field belongs to the playbook, not to a version.
        return Version(
            version=entry.version,
            created_at=entry.created_at,
            author=entry.author,
            note=entry.note,
            playbook=document,
        )


class ListedVersion(BaseModel):
    version: int
    created_at: datetime
    author: str | None = Field(
        description="User or operator who created the version; null if unknown."
    )
    note: str | None
    name: str
    event_type: str


class VersionPage(BaseModel):
    versions: tuple[ListedVersion, ...] = Field(
        description="The playbook's versions, newest first."
    )
    next_cursor: str | None = Field(description="Cursor for the next page; null on the last page.")


class VersionDiff(BaseModel):
    model_config = ConfigDict(populate_by_name=True)

    before: int = Field(alias="from")
    after: int = Field(alias="to")
    changed: tuple[str, ...] = Field(
        description="Names of the fields that differ, such as `actions.refund`."
    )
    diff: str = Field(
        description="Differing lines of the playbook file, in unified diff format (`diff -u`)."
    )
