"""Export records for the client, its settings, playbooks, integrations, templates and knowledge."""

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
from domain.tenants.business_hours import BusinessHours, check_business_hours
from domain.tenants.client import Plan
from domain.tenants.client_settings import (
    WIDGET_KEY,
    Branding,
    check_acknowledgement,
    check_authserv_ids,
    check_branding,
    check_sensitive_words,
)
from domain.tenants.disclosure import DisclosureStatus, check_disclosure
from domain.tenants.frame_settings import check_frame
from domain.tenants.guidance import Guidance, check_guidance


class ClientRecord(Record):
    """The client itself. An export has one such record. The service writes the record when the
    client is created and when its plan changes."""

    id: Annotated[
        Id, Field(description=("ULID of the client. In all other records, this is `client_id`."))
    ]
    brand_name: Annotated[str, Field(description="Name of the merchant.")]
    plan: Annotated[Plan, Field(description="Plan that the client pays for.")]
    trial_ends_at: Annotated[
        Time | None,
        Field(
            description=(
                "End of the trial. Until then, all features of the pro plan are free; null if "
                "there is no trial."
            )
        ),
    ]
    next_plan: Annotated[
        Plan | None,
        Field(description="Plan after a scheduled downgrade; null if no downgrade is scheduled."),
    ]
    next_plan_from: Annotated[
        Time | None,
        Field(
            description=(
                "Time at which `next_plan` takes effect; null if no downgrade is scheduled."
            )
        ),
    ]
    created_at: Annotated[Time, Field(description="Time when the client was created.")]


class PlaybookVersionRecord(Record):
    """A version of a playbook. A version never changes, because runs refer to the version that they
    used."""

    version: Annotated[Count, Field(description="Version number, starting at 1.")]
    name: Annotated[str, Field(description="Name of the playbook.")]
    event_type: Annotated[
        str,
        Field(
            description=(
                "Event types that the playbook handles: a type, a prefix such as `a.*`, or `*`."
            )
        ),
    ]
    threshold: Annotated[
        Share, Field(description="Confidence threshold, from 0 to 1. Below it, a human decides.")
    ]
    rulebook: Annotated[
        Rulebook,
        Field(description="Rules for the agent's actions and style; see docs/playbooks.md."),
    ]
    created_at: Annotated[Time, Field(description="Time when this version was created.")]
    author: Annotated[
        str | None,
        Field(description="Author of the version, as identified in the audit log."),
    ] = None
    note: Annotated[
        str | None, Field(description="Reason for the change, as given by the author.")
    ] = None
    live_at: Annotated[
        Time | None,
        Field(description="Time when this version first went live; null if it never went live."),
    ] = None


class PlaybookRecord(Record):
    """A playbook: the events that the agent answers, and the actions that it may take. The client's
    members write playbooks."""

    id: Annotated[Id, Field(description="ULID of the playbook.")]
    version: Annotated[Count, Field(description="Number of the current version.")]
    is_active: Annotated[
        bool, Field(description=("True if the playbook is active, so that it handles events."))
    ]
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
    """The client's settings. An export has one such record. The client's members write the settings
    in the dashboard."""

    system_prompt: Annotated[
        str | None, Field(description="Merchant's instructions to the language model.")
    ]
    guidance: Annotated[
        Guidance,
        Field(
            default=Guidance(),
            description=(
                "Style guidance to the language model (`tone`, `do` and `dont`). Contains only "
                "the parts that the client set."
            ),
        ),
    ]
    branding: Annotated[
        Branding,
        Field(description=("Branding shown to customers; empty if the client has set none.")),
    ]
    widget_key: Annotated[
        Annotated[str, Field(pattern=WIDGET_KEY)] | None,
        Field(description="Public key of the chat widget, which is visible in web pages."),
    ]
    retention: Annotated[
        dict[str, int | None],
        Field(
            description=(
                "Retention in days, by record class, for the classes that the client set; null "
                "means that the records are kept forever."
            )
        ),
    ]
    sensitive_words: Annotated[
        tuple[str, ...],
        Field(
            default=(),
            description=(
                "Words and phrases that always cause a message to be escalated to a human."
            ),
        ),
    ]
    acknowledgement: Annotated[
        dict[str, str],
        Field(
            default={},
            description=(
                "Text sent to a customer whose message was escalated to a human without an "
                "answer, by language."
            ),
        ),
    ]
    frame: Annotated[
        dict[str, dict[str, str]],
        Field(
            default={},
            description=(
                "Texts that surround answers (`named_greeting`, `greeting` and `sign_off`), "
                "by language. Contains only texts that the client set."
            ),
        ),
    ]
    disclosure: Annotated[
        dict[str, str],
        Field(
            default={},
            description=(
                "AI disclosure below the agent's answers, by language. Contains only texts that "
                "the client set."
            ),
        ),
    ]
    disclosure_status: Annotated[
        DisclosureStatus,
        Field(
            default=DisclosureStatus.ON,
            description="`on`, or the reason why the AI disclosure is switched off.",
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
            description="True if customers are asked to rate an answer.",
        ),
    ]
    holds_loosening: Annotated[
        bool,
        Field(
            default=True,
            description=(
                "True if a change that loosens rules takes effect only after a second manager's "
                "approval, or after a day."
            ),
        ),
    ]
    answers_from_knowledge: Annotated[
        bool,
        Field(
            default=False,
            description=(
                "True if the embedded brain's answers from the client's knowledge are sent "
                "without human review."
            ),
        ),
    ]
    answer_decision: Annotated[
        int,
        Field(
            default=1,
            description="Version of the decision whether an answer from knowledge is sent.",
        ),
    ]
    business_hours: Annotated[
        BusinessHours | None,
        Field(
            default=None,
            description=(
                "Business hours and the target for the first answer; null if the client has set "
                "none."
            ),
        ),
    ]
    playbooks: Annotated[
        tuple[PlaybookRecord, ...], Field(description="All playbooks, sorted by id.")
    ]
    updated_at: Annotated[
        Time | None,
        Field(
            description=(
                "Time of the latest change to the settings, not counting playbooks; null if they "
                "never changed."
            )
        ),
    ]

    @model_validator(mode="after")
    def _as_they_are_kept(self) -> Self:
        """Raise ValueError unless the values are valid and in their stored form. An import must
        reject what the dashboard rejects: names are used in headers, and addresses on pages."""
        try:
            kept = {
                "guidance": check_guidance(self.guidance),
                "branding": check_branding(self.branding),
                "authserv_ids": check_authserv_ids(self.authserv_ids),
                "sensitive_words": check_sensitive_words(self.sensitive_words),
                "acknowledgement": check_acknowledgement(self.acknowledgement),
                "frame": check_frame(self.frame),
                "disclosure": check_disclosure(self.disclosure),
                "business_hours": self.business_hours and check_business_hours(self.business_hours),
            }
            check_retention(self.retention)
        except InvalidInput as error:
            raise ValueError(str(error)) from None
        for name, value in kept.items():
            if getattr(self, name) != value:
                raise ValueError(f"{name}: not as it is kept")
        return self


class IntegrationRecord(Record):
    """A current or former connection to another system. The service writes the record when the
    integration is connected or disconnected. The engine updates it when the other system no longer
    accepts the credentials."""

    id: Annotated[Id, Field(description="ULID of the integration.")]
    provider: Annotated[Provider, Field(description="Provider of the connected system.")]
    status: Annotated[
        IntegrationStatus,
        Field(
            description=(
                "Status of the integration. `error` means that the client must reconnect it."
            )
        ),
    ]
    error_code: Annotated[
        str | None, Field(description="Error code of the failure, if `status` is `error`.")
    ]
    connected_at: Annotated[Time, Field(description="Time when the integration was connected.")]
    disconnected_at: Annotated[
        Time | None,
        Field(
            description=("Time when the integration was disconnected; null while it is connected.")
        ),
    ]


class TemplateRecord(Record):
    """A template: the merchant's own answer to a category of questions. The client's members write
    templates."""

    id: Annotated[Id, Field(description="ULID of the template.")]
    name: Annotated[str, Field(description="Name of the template.")]
    category: Annotated[
        Category, Field(description="Category of the messages that the template answers.")
    ]
    language: Annotated[Language, Field(description="Language of the template, `fr` or `en`.")]
    body: Annotated[str, Field(description="Text of the answer, with `{{ placeholders }}`.")]
    intent: Annotated[
        Intent | None,
        Field(description="Intent that a message must have for the template to be used."),
    ] = None
    not_for: Annotated[
        tuple[str, ...],
        Field(description=("Words that prevent the template from answering a message.")),
    ] = ()
    is_active: Annotated[bool, Field(description=("True if the agent may use the template."))]
    is_starter: Annotated[
        bool,
        Field(
            description=(
                "True if the template is a starter template that the client has not edited."
            )
        ),
    ] = False
    created_at: Annotated[Time, Field(description="Time when the template was created.")]
    updated_at: Annotated[
        Time | None,
        Field(description=("Time of the latest change; null if the template never changed.")),
    ]


class KnowledgeRecord(Record):
    """A knowledge entry: a fact that the agent may quote. The client's members write knowledge
    entries."""

    id: Annotated[Id, Field(description="ULID of the entry.")]
    title: Annotated[str, Field(description="Title of the entry.")]
    body: Annotated[str, Field(description="Text of the fact, as the agent reads it.")]
    language: Annotated[Language, Field(description="Language of the entry, `fr` or `en`.")]
    created_at: Annotated[Time, Field(description="Time when the entry was created.")]
    updated_at: Annotated[
        Time | None,
        Field(description=("Time of the latest change; null if the entry never changed.")),
    ]
    # The page of an entry links to this address, so that it must not be a script.
    source_url: Annotated[
        Annotated[str, Field(pattern="^https?://")] | None,
        Field(description="Website page from which the entry was imported; null otherwise."),
    ] = None
    source_read_at: Annotated[
        Time | None, Field(description="Time when that page was last read; null otherwise.")
    ] = None
