"""The records of a client and its settings: client, settings, integrations, templates,
knowledge."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from domain.agent.brain import Category, Language
from domain.agent.intent import Intent
from domain.agent.rulebook import Rulebook
from domain.core.errors import InvalidInput
from domain.exports.record import Count, Id, Record, Share, Time
from domain.integrations.integration import IntegrationStatus
from domain.integrations.providers import Provider
from domain.privacy.retention import check_retention
from domain.tenants.client import Plan
from domain.tenants.client_settings import (
    WIDGET_KEY,
    Branding,
    check_acknowledgement,
    check_authserv_ids,
    check_branding,
    check_sensitive_words,
)
from domain.tenants.frame_settings import check_frame


class ClientRecord(Record):
    """The client itself, one record. Written when the client is created and when its plan
    changes."""

    id: Annotated[Id, Field(description="ULID of the client, `client_id` in all other places.")]
    brand_name: Annotated[str, Field(description="Name of the merchant.")]
    plan: Annotated[Plan, Field(description="Plan that the client pays for.")]
    trial_ends_at: Annotated[
        Time | None,
        Field(
            description="End of the trial, until which all features of plan pro are free; null if "
            "not in trial."
        ),
    ]
    next_plan: Annotated[
        Plan | None,
        Field(description="Plan after a scheduled downgrade; null if none is scheduled."),
    ]
    next_plan_from: Annotated[Time | None, Field(description="Time when `next_plan` takes effect.")]
    created_at: Annotated[Time, Field(description="Time when the client was created.")]


class PlaybookVersionRecord(Record):
    """One version of a playbook. A version never changes: runs refer to theirs."""

    version: Annotated[Count, Field(description="Version number, starting at 1.")]
    name: Annotated[str, Field(description="Name of the playbook.")]
    event_type: Annotated[
        str,
        Field(
            description="Event types that the playbook handles: a type, a prefix like `a.*`, or "
            "`*`."
        ),
    ]
    threshold: Annotated[
        Share, Field(description="Confidence below which a human decides, 0 to 1.")
    ]
    rulebook: Annotated[
        Rulebook,
        Field(description="Rules for the agent's actions and style; see docs/playbooks.md."),
    ]
    created_at: Annotated[Time, Field(description="Time when this version was created.")]
    author: Annotated[
        str | None,
        Field(description="Author of the version, as named in the audit log."),
    ] = None
    note: Annotated[
        str | None, Field(description="Reason for the change, as given by the author.")
    ] = None
    live_at: Annotated[
        Time | None,
        Field(description="Time when this version first went live; null if it never did."),
    ] = None


class PlaybookRecord(Record):
    """The events that the agent answers, and what it may do. Written by the client's members."""

    id: Annotated[Id, Field(description="ULID of the playbook.")]
    version: Annotated[Count, Field(description="Version in force.")]
    is_active: Annotated[bool, Field(description="Whether the playbook handles events.")]
    created_at: Annotated[Time, Field(description="Time when the playbook was created.")]
    versions: Annotated[
        tuple[PlaybookVersionRecord, ...], Field(description="All versions, oldest first.")
    ]

    @model_validator(mode="after")
    def _in_force(self) -> Self:
        if self.version not in {version.version for version in self.versions}:
            raise ValueError("the version in force is not among its versions")
        return self


class SettingsRecord(Record):
    """The client's settings, one record. Written by its members, on the dashboard."""

    system_prompt: Annotated[
        str | None, Field(description="Merchant's instructions to the language model.")
    ]
    branding: Annotated[
        Branding, Field(description="Branding shown to customers; empty if nothing is set.")
    ]
    widget_key: Annotated[
        Annotated[str, Field(pattern=WIDGET_KEY)] | None,
        Field(description="Public key of the chat widget, which is visible in web pages."),
    ]
    retention: Annotated[
        dict[str, int | None],
        Field(
            description="Retention in days, by record class, for the classes that the client set; "
            "null: for ever."
        ),
    ]
    sensitive_words: Annotated[
        tuple[str, ...],
        Field(default=(), description="Words and phrases that always send a message to a human."),
    ]
    acknowledgement: Annotated[
        dict[str, str],
        Field(
            default={},
            description="Text sent to a customer whose message went straight to a human, by "
            "language.",
        ),
    ]
    frame: Annotated[
        dict[str, dict[str, str]],
        Field(
            default={},
            description="Texts `named_greeting`, `greeting` and `sign_off` of answers, by "
            "language, where the client set them.",
        ),
    ]
    authserv_ids: Annotated[
        tuple[str, ...],
        Field(description="Mail servers whose `Authentication-Results` headers are trusted."),
    ] = ()
    ask_rating: Annotated[
        bool,
        Field(
            default=False,
            description="Whether customers are asked to rate an answer.",
        ),
    ]
    holds_loosening: Annotated[
        bool,
        Field(
            default=True,
            description="Whether a change that loosens rules waits for a second manager's "
            "approval, or a day.",
        ),
    ]
    answers_from_knowledge: Annotated[
        bool,
        Field(
            default=False,
            description="Whether the embedded brain's answers from knowledge are sent without "
            "review by a person.",
        ),
    ]
    playbooks: Annotated[
        tuple[PlaybookRecord, ...], Field(description="All playbooks, sorted by id.")
    ]
    updated_at: Annotated[
        Time | None,
        Field(
            description="Time of the latest change, not counting playbooks; null if there is none."
        ),
    ]

    @model_validator(mode="after")
    def _as_they_are_kept(self) -> Self:
        """Apply the checks of the settings, so that a file cannot import a value that the dashboard
        refuses. A name is used in headers, and an address in pages."""
        try:
            kept = {
                "branding": check_branding(self.branding),
                "authserv_ids": check_authserv_ids(self.authserv_ids),
                "sensitive_words": check_sensitive_words(self.sensitive_words),
                "acknowledgement": check_acknowledgement(self.acknowledgement),
                "frame": check_frame(self.frame),
            }
            check_retention(self.retention)
        except InvalidInput as error:
            raise ValueError(str(error)) from None
        for name, value in kept.items():
            if getattr(self, name) != value:
                raise ValueError(f"{name}: not as it is kept")
        return self


class IntegrationRecord(Record):
    """A connection to another system, present or past. Written when it is connected or
    disconnected, and by the engine if the other side no longer accepts the credentials."""

    id: Annotated[Id, Field(description="ULID of the integration.")]
    provider: Annotated[Provider, Field(description="Provider of the connected system.")]
    status: Annotated[
        IntegrationStatus,
        Field(description="Status of the integration; `error` means that it must be reconnected."),
    ]
    error_code: Annotated[
        str | None, Field(description="Error code of the failure, if `status` is `error`.")
    ]
    connected_at: Annotated[Time, Field(description="Time when the integration was connected.")]
    disconnected_at: Annotated[
        Time | None, Field(description="Time when the integration was disconnected.")
    ]


class TemplateRecord(Record):
    """The merchant's own answer to a class of questions. Written by the client's members."""

    id: Annotated[Id, Field(description="ULID of the template.")]
    name: Annotated[str, Field(description="Name of the template.")]
    category: Annotated[
        Category, Field(description="Category of the messages that the template answers.")
    ]
    language: Annotated[Language, Field(description="Language of the template, `fr` or `en`.")]
    body: Annotated[str, Field(description="Text of the answer, with `{{ placeholders }}`.")]
    intent: Annotated[
        Intent | None,
        Field(description="Intent that a message must have for the template to be sent."),
    ] = None
    not_for: Annotated[
        tuple[str, ...], Field(description="Words that exclude a message from the template.")
    ] = ()
    is_active: Annotated[bool, Field(description="Whether the agent may use the template.")]
    is_starter: Annotated[
        bool, Field(description="Whether the template is an unedited starter template.")
    ] = False
    created_at: Annotated[Time, Field(description="Time when the template was created.")]
    updated_at: Annotated[
        Time | None, Field(description="Time of the latest change; null if there is none.")
    ]


class KnowledgeRecord(Record):
    """A fact that the agent may quote. Written by the client's members."""

    id: Annotated[Id, Field(description="ULID of the entry.")]
    title: Annotated[str, Field(description="Title of the entry.")]
    body: Annotated[str, Field(description="Text of the fact, as the agent reads it.")]
    language: Annotated[Language, Field(description="Language of the entry, `fr` or `en`.")]
    created_at: Annotated[Time, Field(description="Time when the entry was created.")]
    updated_at: Annotated[
        Time | None, Field(description="Time of the latest change; null if there is none.")
    ]
