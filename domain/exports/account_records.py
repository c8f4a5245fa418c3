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

    id: Annotated[Id, Field(description="ULID of the client: `client_id` everywhere else.")]
    brand_name: Annotated[str, Field(description="What the merchant is called.")]
    plan: Annotated[Plan, Field(description="The plan that is paid for.")]
    trial_ends_at: Annotated[
        Time | None,
        Field(
            description="Until then everything of the plan pro is free to try; null: not in trial."
        ),
    ]
    next_plan: Annotated[Plan | None, Field(description="The plan of a downgrade that waits.")]
    next_plan_from: Annotated[Time | None, Field(description="When `next_plan` begins.")]
    created_at: Annotated[Time, Field(description="When the client was made.")]


class PlaybookVersionRecord(Record):
    """One version of a playbook. A version never changes: runs refer to theirs."""

    version: Annotated[Count, Field(description="1 for the first, and so on.")]
    name: Annotated[str, Field(description="What people call it.")]
    event_type: Annotated[
        str, Field(description="Which events it answers: a type, a prefix like `a.*`, or `*`.")
    ]
    threshold: Annotated[Share, Field(description="Below this confidence a human decides.")]
    rulebook: Annotated[
        Rulebook, Field(description="What the agent may do and how it speaks: docs/playbooks.md.")
    ]
    created_at: Annotated[Time, Field(description="When this version was made.")]
    author: Annotated[
        str | None,
        Field(description="Who made it, as the audit log names them."),
    ] = None
    note: Annotated[str | None, Field(description="Why, in the author's words.")] = None
    live_at: Annotated[
        Time | None,
        Field(description="When it first answered events; null: never."),
    ] = None


class PlaybookRecord(Record):
    """The events that the agent answers, and what it may do. Written by the client's members."""

    id: Annotated[Id, Field(description="ULID of the playbook.")]
    version: Annotated[Count, Field(description="The version that is in force.")]
    is_active: Annotated[bool, Field(description="Whether it takes events.")]
    created_at: Annotated[Time, Field(description="When it was made.")]
    versions: Annotated[
        tuple[PlaybookVersionRecord, ...], Field(description="Each version, oldest first.")
    ]

    @model_validator(mode="after")
    def _in_force(self) -> Self:
        if self.version not in {version.version for version in self.versions}:
            raise ValueError("the version in force is not among its versions")
        return self


class SettingsRecord(Record):
    """The client's settings, one record. Written by its members, on the dashboard."""

    system_prompt: Annotated[
        str | None, Field(description="The merchant's own instructions to a language model.")
    ]
    branding: Annotated[
        Branding, Field(description="How the client looks to customers; empty if nothing is set.")
    ]
    widget_key: Annotated[
        Annotated[str, Field(pattern=WIDGET_KEY)] | None,
        Field(description="Public key of the chat widget; it stands in web pages."),
    ]
    retention: Annotated[
        dict[str, int | None],
        Field(
            description="Days that records are kept, by class, where the client chose; "
            "null: for ever."
        ),
    ]
    sensitive_words: Annotated[
        tuple[str, ...],
        Field(default=(), description="Words and phrases that always reach a human."),
    ]
    acknowledgement: Annotated[
        dict[str, str],
        Field(
            default={},
            description="By language: what is said to a customer whose matter went to a human at "
            "once.",
        ),
    ]
    frame: Annotated[
        dict[str, dict[str, str]],
        Field(
            default={},
            description="By language: `named_greeting`, `greeting` and `sign_off` of answers, "
            "where the client chose.",
        ),
    ]
    authserv_ids: Annotated[
        tuple[str, ...],
        Field(description="Mail servers whose `Authentication-Results` are believed."),
    ] = ()
    ask_rating: Annotated[
        bool,
        Field(
            default=False,
            description="Whether customers are asked what they think of an answer.",
        ),
    ]
    holds_loosening: Annotated[
        bool,
        Field(
            default=True,
            description="Whether a change that loosens rules waits for a second manager, or a day.",
        ),
    ]
    answers_from_knowledge: Annotated[
        bool,
        Field(
            default=False,
            description="Whether the embedded brain's answers from knowledge are sent without a "
            "person.",
        ),
    ]
    playbooks: Annotated[
        tuple[PlaybookRecord, ...], Field(description="All playbooks, by their ids.")
    ]
    updated_at: Annotated[
        Time | None, Field(description="The latest change of all but playbooks; null if none.")
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

    id: Annotated[Id, Field(description="ULID of the connection.")]
    provider: Annotated[Provider, Field(description="Whose system it goes to.")]
    status: Annotated[
        IntegrationStatus, Field(description="`error`: it must be connected again to be used.")
    ]
    error_code: Annotated[
        str | None, Field(description="Why it was given up, where `status` is `error`.")
    ]
    connected_at: Annotated[Time, Field(description="When it was connected.")]
    disconnected_at: Annotated[Time | None, Field(description="When it ended.")]


class TemplateRecord(Record):
    """The merchant's own answer to a class of questions. Written by the client's members."""

    id: Annotated[Id, Field(description="ULID of the template.")]
    name: Annotated[str, Field(description="What people call it.")]
    category: Annotated[Category, Field(description="The class of questions it answers.")]
    language: Annotated[Language, Field(description="`fr` or `en`.")]
    body: Annotated[str, Field(description="The answer, with `{{ placeholders }}`.")]
    intent: Annotated[
        Intent | None, Field(description="What a customer must want for it to be sent.")
    ] = None
    not_for: Annotated[
        tuple[str, ...], Field(description="Words of the messages that it must not answer.")
    ] = ()
    is_active: Annotated[bool, Field(description="Whether the agent may use it.")]
    is_starter: Annotated[
        bool, Field(description="Whether the client started with it and has not edited it.")
    ] = False
    created_at: Annotated[Time, Field(description="When it was made.")]
    updated_at: Annotated[Time | None, Field(description="The latest change; null if none.")]


class KnowledgeRecord(Record):
    """A fact that the agent may quote. Written by the client's members."""

    id: Annotated[Id, Field(description="ULID of the entry.")]
    title: Annotated[str, Field(description="What it is about.")]
    body: Annotated[str, Field(description="The fact, as the agent reads it.")]
    language: Annotated[Language, Field(description="`fr` or `en`.")]
    created_at: Annotated[Time, Field(description="When it was made.")]
    updated_at: Annotated[Time | None, Field(description="The latest change; null if none.")]
