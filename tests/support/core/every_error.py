"""Every error of the service: errors that no caller sees, and one example of each kind."""

import importlib
import inspect
import pkgutil
from datetime import UTC, datetime

import domain
from domain.agent.errors import BrainFailed, BrainInvalid, BrainUnavailable, EmbeddingUnavailable
from domain.billing.errors import QuotaExhausted
from domain.billing.quota import QuotaStanding
from domain.cases.errors import (
    CaseRunsBusy,
    CasesNotGreen,
    InvalidCases,
    SavedCasesFull,
    TooManyCases,
)
from domain.content.errors import (
    ArticlesRefused,
    InvalidSite,
    NoArticles,
    SiteDisallowed,
    SiteImportsBusy,
    SiteMoved,
    SiteUnreadable,
    TooManySiteImports,
    TooMuchContent,
)
from domain.copilot.errors import TalkFailed
from domain.copilot.ports import TalkCost
from domain.core.errors import (
    DocumentRefused,
    DomainError,
    InvalidBody,
    InvalidContent,
    InvalidInput,
    InvalidQuery,
    OverBudget,
    RuleBroken,
)
from domain.core.period import Period
from domain.dashboard.errors import AlreadyPosted, InvalidPreferences
from domain.exports.errors import ClientNotEmpty, InvalidExport
from domain.identity.errors import OAuthRefused
from domain.inbound.errors import (
    AuthorUndecided,
    InboundRefused,
    InvalidEndpoint,
    RefusalReason,
    WebhookUnreadable,
)
from domain.intake.errors import (
    AttachmentRefused,
    ClientRateLimited,
    CustomerRateLimited,
    EventRoomUsed,
    LargeEventsWait,
    TooManyRequests,
    UnprovedShareUsed,
)
from domain.intake.rate_limit import Limit, LimitScope
from domain.intake.refused_file import AttachmentRefusal
from domain.integrations.errors import (
    ActionForbidden,
    ActionRefused,
    ActionsBusy,
    ActionUnknown,
    ActionUnreachable,
    InvalidIntegration,
    InvalidMailSender,
    MailLimitReached,
    MailLoginRefused,
    MailNameProtected,
    MailRecipientUnproved,
    MailRefused,
    MailServerForbidden,
    MailServersBusy,
    MailServerUntrusted,
    MailUnknown,
    MailUnreachable,
    NotAuthorized,
    UnknownProvider,
)
from domain.learning.errors import TooManyExamples
from domain.playbooks.errors import (
    InvalidPlaybook,
    PatternTaken,
    PlaybookChanged,
    PlaybookNameTaken,
    TooManyPlaybookChanges,
    TooManyPlaybooks,
)
from domain.privacy.errors import ErasureNotFound
from domain.reviews.errors import EscalationClaimed, UnsubscribeLinkUnknown
from domain.runs.errors import (
    AnswerDelayed,
    AnswerTimeout,
    AnswerUnknown,
    ConversationTaken,
    InvalidInboxView,
    InvalidTriage,
    NoAnswer,
    ReplyNotPossible,
    TooManyInboxViews,
)
from domain.simulation.errors import InvalidReplay, ModelBudgetUsedUp, ReplaysBusy
from domain.tenants.errors import (
    InsufficientScope,
    InvalidLabel,
    InvalidSettings,
    KeysUndecided,
    LooseningHeld,
    SecondPersonUnfit,
    TooManyKeys,
    TooManyLoosenings,
)
from domain.webhooks.errors import Deferred, InvalidWebhook
from domain.widget.errors import InvalidWidget, TooManyCodes, WidgetShareUsed

# Errors for operators and activities. No route returns them.
NOT_FOR_CALLERS = {
    UnsubscribeLinkUnknown,
    AuthorUndecided,
    UnprovedShareUsed,
    InvalidInput,
    ErasureNotFound,
    Deferred,
    LargeEventsWait,
    CaseRunsBusy,
    ReplaysBusy,
    ArticlesRefused,
    SiteDisallowed,  # stored with the import that ended early
    SiteImportsBusy,
    SiteMoved,
    SiteUnreadable,
    ClientNotEmpty,
    InvalidExport,
    BrainInvalid,
    BrainUnavailable,
    EmbeddingUnavailable,
    ActionForbidden,
    ActionRefused,
    ActionsBusy,
    ActionUnknown,
    ActionUnreachable,
    MailLoginRefused,
    MailLimitReached,
    MailNameProtected,
    MailRecipientUnproved,
    MailRefused,
    MailServerForbidden,
    MailServersBusy,
    MailServerUntrusted,
    MailUnknown,
    MailUnreachable,
    NotAuthorized,
    OverBudget,
    DocumentRefused,  # named by its kind
    TalkFailed,  # the embedded copilot answers instead
    ModelBudgetUsedUp,
    OAuthRefused,  # answered with the protocol's own error
}
# Base classes of other errors.
KINDS = {DomainError, NoAnswer, RuleBroken, BrainFailed}

STANDING = QuotaStanding(
    period=Period("2026-11"), tickets_used=50, tickets_limit=50, credits_balance=0
)
# An instance of each error with constructor arguments.
EXAMPLES: dict[type[DomainError], DomainError] = {
    type(error): error
    for error in (
        InvalidBody("{reason} {nothing}"),
        InvalidQuery("{parameter} {nothing}"),
        EscalationClaimed("review-1", "user-1"),
        KeysUndecided(2),
        ConversationTaken("user-1"),
        AttachmentRefused(AttachmentRefusal.EXECUTABLE),
        AnswerTimeout("event-1"),
        AnswerDelayed("event-1"),
        AnswerUnknown("event-1"),
        CustomerRateLimited("eve@example.com", 42.5),
        ClientRateLimited(0.2),
        QuotaExhausted(STANDING),
        TooManyRequests(Limit(LimitScope.USAGE, 60), 12.0),
        EventRoomUsed(60.0, matched=True),
        InvalidWebhook("message", "{reason} {nothing}"),
        InvalidContent("message", "{reason} {nothing}"),
        InvalidReplay("message", "{reason} {nothing}"),
        InvalidSettings("message", "{reason} {nothing}"),
        InvalidIntegration("message", "{reason} {nothing}"),
        InvalidMailSender("message", "{reason} {nothing}"),
        TooMuchContent(1_000),
        TooManySiteImports(10),
        InvalidSite("message", "{reason} {nothing}"),
        NoArticles("message", "{reason} {nothing}"),
        TooManyInboxViews(50),
        InvalidInboxView("message", "{reason} {nothing}"),
        TooManyExamples(10_000),
        WidgetShareUsed(60.0),
        InvalidWidget("message", "{reason} {nothing}"),
        TooManyCodes(42.5),
        InsufficientScope("{scope} {nothing}"),
        SecondPersonUnfit("{reason} {nothing}"),
        LooseningHeld("{id} {nothing}", datetime(2026, 1, 1, tzinfo=UTC)),
        TooManyLoosenings(20),
        InvalidLabel("message", "{reason} {nothing}"),
        TooManyKeys(100),
        TooManyPlaybooks(200),
        TooManyPlaybookChanges(1_000),
        InvalidPlaybook(["threshold: a number expected"]),
        InvalidCases(["cases[0].tries: a whole number expected"]),
        TooManyCases(200),
        SavedCasesFull(1024),
        PatternTaken("*", "{pattern} {nothing}"),
        PlaybookNameTaken("Retours"),
        PlaybookChanged(2),
        CasesNotGreen(1, 2, ["Colis"]),
        TalkFailed(TalkCost()),
        UnknownProvider("integration-1", "{nothing}"),
        InboundRefused(RefusalReason.SIGNATURE_WRONG),
        InvalidEndpoint("message", "{reason} {nothing}"),
        WebhookUnreadable("{reason} {nothing}"),
        AlreadyPosted(None),
        InvalidPreferences("{reason} {nothing}"),
        ReplyNotPossible("{reason} {nothing}"),
        InvalidTriage("message", "{reason} {nothing}"),
    )
}


def all_errors() -> set[type[DomainError]]:
    return {
        kind
        for module in pkgutil.walk_packages(domain.__path__, "domain.")
        if module.name.endswith(".errors")
        for _, kind in inspect.getmembers(importlib.import_module(module.name), inspect.isclass)
        if issubclass(kind, DomainError) and kind not in KINDS
    }


def example(kind: type[DomainError]) -> DomainError:
    return EXAMPLES.get(kind) or kind()
