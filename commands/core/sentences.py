"""Error texts for the command line. A text is needed if the error's code does not explain what the
user can do."""

from collections.abc import Mapping
from typing import Final

from domain.billing.errors import PlanRequired
from domain.cases.errors import (
    CaseNameTaken,
    CaseNotFound,
    CaseRunNotFound,
    CaseRunUnderWay,
    CasesNotGreen,
    SavedCasesFull,
    TooManyCases,
)
from domain.content.errors import ContentNotFound, TooMuchContent
from domain.core.errors import DomainError
from domain.customers.errors import CustomerNotFound
from domain.inbound.errors import (
    DataRequestNotFound,
    EndpointExists,
    EndpointNotFound,
    InboundWebhookNotFound,
)
from domain.intake.errors import AttachmentNotFound
from domain.integrations.errors import IntegrationNotFound, MailSenderNotFound
from domain.learning.errors import CorrectionDecided, CorrectionNotFound, ExampleNotFound
from domain.playbooks.errors import PlaybookNotFound
from domain.privacy.errors import ErasureNotFound
from domain.reviews.errors import (
    ConversationMovedOn,
    DraftMissing,
    EscalationDecided,
    EscalationNotFound,
    OwnRequest,
    SecondPersonRequired,
)
from domain.runs.errors import InboxViewNotFound, NoReviewToReject, RunNotFound
from domain.tenants.errors import (
    ClientNotFound,
    KeyNotFound,
    LooseningChanged,
    LooseningDecided,
    LooseningHeld,
    LooseningNotFound,
    SecondPersonUnfit,
)
from domain.webhooks.errors import (
    DeliveryNotFound,
    DeliveryPending,
    TooManyPending,
    TooManyWebhooks,
    WebhookDisabled,
    WebhookNotFound,
)

SENTENCES: Final[Mapping[type[DomainError], str]] = {
    CasesNotGreen: "not all cases pass with this playbook, content and model: run them with case "
    "run, see case results for failures, or pass --override",
    CaseNotFound: "there is no such case",
    CaseNameTaken: "another case of this client has this name",
    CaseRunNotFound: "there is no such case run",
    CaseRunUnderWay: "a run of this client's cases is still in progress: see case results",
    TooManyCases: "this client has reached the maximum number of cases",
    SavedCasesFull: "the cases of this client together are too large",
    ConversationMovedOn: (
        "the customer has sent another message: see review show, then pass --message"
    ),
    CorrectionDecided: "this correction has already been accepted or dismissed",
    CorrectionNotFound: "there is no such correction",
    ExampleNotFound: "there is no such labelled example",
    InboxViewNotFound: "there is no such saved view",
    NoReviewToReject: "a selected ticket has no open review; nothing changes",
    DeliveryNotFound: "there is no such delivery; only the last 50 of each webhook are kept",
    DeliveryPending: "this delivery is still in progress",
    TooManyPending: (
        "this webhook has reached the maximum number of pending deliveries: try again later"
    ),
    ErasureNotFound: "there is no such certificate",
    LooseningHeld: "this change loosens a protection: it takes effect when a second manager "
    "approves it, or after one day; see loosening list",
    LooseningNotFound: "there is no such change",
    LooseningDecided: "this change has already been decided",
    LooseningChanged: (
        "the rules have changed since this request: cancel the change and request it again"
    ),
    OwnRequest: "this user entered the request, or created the key that sent it: another user "
    "must approve it",
    SecondPersonUnfit: "two members must approve, each with a verified address and at least 24 "
    "hours of membership",
    DraftMissing: "there is no draft to approve: pass the answer as --text",
    EscalationDecided: "this review has already been decided",
    EscalationNotFound: "there is no such review",
    SecondPersonRequired: (
        "this user has already approved the review: another user must approve it too, see --as"
    ),
    ClientNotFound: "there is no such client",
    ContentNotFound: "this client has no record with this id",
    KeyNotFound: "there is no such key",
    CustomerNotFound: "this client has no such customer: customer list shows the ids",
    DataRequestNotFound: "there is no such data request",
    EndpointExists: (
        "this integration already has an endpoint; integration inbound rotate replaces its URL"
    ),
    EndpointNotFound: "this integration has no endpoint; integration inbound open creates one",
    InboundWebhookNotFound: (
        "there is no such inbound webhook; inbound webhooks are kept for 30 days"
    ),
    IntegrationNotFound: "there is no such integration",
    MailSenderNotFound: "this client has no mail sender; mail-sender set creates one",
    PlanRequired: "the client's plan does not include this",
    PlaybookNotFound: "there is no such playbook",
    AttachmentNotFound: "there is no such attachment, or it was rejected and is not stored",
    RunNotFound: "there is no such run",
    TooMuchContent: "this client has reached the maximum number of these records",
    TooManyWebhooks: "this client has reached the maximum number of webhooks",
    WebhookDisabled: "this webhook is disabled; webhook enable re-enables it",
    WebhookNotFound: "there is no such webhook",
}
