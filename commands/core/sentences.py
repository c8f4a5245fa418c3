"""Error texts for the command line. They cover errors whose code alone does not explain what the
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
from domain.runs.errors import RunNotFound
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
    CasesNotGreen: "cases are not green on this playbook, content and model: case run tries them, "
    "case results shows which fail, --override goes past them",
    CaseNotFound: "there is no such case",
    CaseNameTaken: "another case of this client has this name",
    CaseRunNotFound: "there is no such run over cases",
    CaseRunUnderWay: "a run over this client's cases is not over yet: see case results",
    TooManyCases: "this client has as many cases as one may have",
    ConversationMovedOn: "the customer has written since: see review show, and --message",
    CorrectionDecided: "somebody has accepted or dismissed this correction already",
    CorrectionNotFound: "there is no such correction",
    ExampleNotFound: "there is no such labelled example",
    DeliveryNotFound: "there is no such delivery; of each webhook the last 50 are kept",
    DeliveryPending: "this delivery has not ended yet",
    TooManyPending: "as many deliveries of this webhook wait as may: try again when some were sent",
    ErasureNotFound: "there is no such certificate",
    LooseningHeld: "this loosens what the agent may do: it waits for a second manager or a day, "
    "see loosening list",
    LooseningNotFound: "there is no such change",
    LooseningDecided: "this change was decided already",
    LooseningChanged: "rules have changed since: cancel the change and ask for it again",
    OwnRequest: "this person typed the request, or a key of theirs sent it: "
    "another one must approve it",
    SecondPersonUnfit: "two members must agree, each with a verified address of their own and "
    "a member for 24 hours",
    DraftMissing: "there is no draft to approve: give the answer with --text",
    EscalationDecided: "somebody has decided this review already",
    EscalationNotFound: "there is no such review",
    SecondPersonRequired: "this person has approved it already: another one must, see --as",
    ClientNotFound: "there is no such client",
    ContentNotFound: "this client has nothing with this id",
    KeyNotFound: "there is no such key",
    CustomerNotFound: "this client has no such customer: customer list shows their ids",
    DataRequestNotFound: "there is no such request for data",
    EndpointExists: "there is an address already; integration inbound rotate makes a new one",
    EndpointNotFound: "this integration has no address; integration inbound open makes one",
    InboundWebhookNotFound: "there is no such inbound webhook; they are kept for 30 days",
    IntegrationNotFound: "there is no such integration",
    MailSenderNotFound: "this client has no sender of its own: mail-sender set gives it one",
    PlanRequired: "the client's plan does not include this",
    PlaybookNotFound: "there is no such playbook",
    AttachmentNotFound: "there is no such file, or it was refused and is not kept",
    RunNotFound: "there is no such run",
    TooMuchContent: "this client has as many of these as one may have",
    TooManyWebhooks: "this client has as many webhooks as one may have",
    WebhookDisabled: "this webhook is disabled; webhook enable turns it on",
    WebhookNotFound: "there is no such webhook",
}
