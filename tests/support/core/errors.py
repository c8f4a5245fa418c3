"""One of every error that is made with something, for the tests of what callers are told."""

from domain.billing.errors import QuotaExhausted
from domain.billing.quota import QuotaStanding
from domain.content.errors import TooMuchContent
from domain.core.errors import DomainError, InvalidBody, InvalidContent, InvalidQuery
from domain.core.period import Period
from domain.intake.errors import ClientRateLimited, CustomerRateLimited, TooManyRequests
from domain.intake.rate_limit import Limit, LimitScope
from domain.integrations.errors import InvalidIntegration, UnknownProvider
from domain.playbooks.errors import (
    InvalidPlaybook,
    PatternTaken,
    PlaybookChanged,
    PlaybookNameTaken,
    TooManyPlaybooks,
)
from domain.reviews.errors import EscalationClaimed
from domain.runs.errors import AnswerDelayed, AnswerTimeout, AnswerUnknown
from domain.tenants.errors import InsufficientScope, InvalidLabel, InvalidSettings, TooManyKeys
from domain.webhooks.errors import InvalidWebhook

STANDING = QuotaStanding(
    period=Period("2026-11"), tickets_used=50, tickets_limit=50, credits_balance=0
)
EXAMPLES: dict[type[DomainError], DomainError] = {
    type(error): error
    for error in (
        InvalidBody("{reason} {nothing}"),
        InvalidQuery("{parameter} {nothing}"),
        EscalationClaimed("review-1", "user-1"),
        AnswerTimeout("event-1"),
        AnswerDelayed("event-1"),
        AnswerUnknown("event-1"),
        CustomerRateLimited("eve@example.com", 42.5),
        ClientRateLimited(0.2),
        QuotaExhausted(STANDING),
        TooManyRequests(Limit(LimitScope.USAGE, 60), 12.0),
        InvalidWebhook("{reason} {nothing}"),
        InvalidContent("message", "{reason} {nothing}"),
        InvalidSettings("message", "{reason} {nothing}"),
        InvalidIntegration("message", "{reason} {nothing}"),
        TooMuchContent(1_000),
        InsufficientScope("{scope} {nothing}"),
        InvalidLabel("message", "{reason} {nothing}"),
        TooManyKeys(100),
        TooManyPlaybooks(200),
        InvalidPlaybook(["threshold: a number expected"]),
        PatternTaken("*", "Retours"),
        PlaybookNameTaken("Retours"),
        PlaybookChanged(2),
        UnknownProvider("integration-1", "{nothing}"),
    )
}
