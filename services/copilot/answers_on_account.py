"""The embedded copilot's answers about the account: usage, webhooks, integrations, keys, members
and the audit log."""

from collections.abc import Sequence
from typing import Final

from domain.copilot.answer import CitedKind
from domain.copilot.formats import CopilotFormats
from domain.copilot.phrases import phrase, term
from domain.copilot.question_kind import AskedOfCopilot
from domain.copilot.words import Tongue, plain_words, stem
from domain.integrations.integration import IntegrationStatus
from domain.integrations.providers import Provider
from services.copilot.copilot_service import Trail
from services.copilot.tools.audit_tool import READ_AUDIT, AuditAsked
from services.copilot.tools.integrations_tool import READ_INTEGRATIONS, IntegrationsAsked
from services.copilot.tools.keys_tool import READ_KEYS, KeysAsked
from services.copilot.tools.members_tool import READ_MEMBERS, MembersAsked
from services.copilot.tools.usage_tool import READ_USAGE, UsageAsked, UsageFacts
from services.copilot.tools.webhooks_tool import READ_WEBHOOKS, WebhookFacts, WebhooksAsked

_AUDIT_READ: Final = 30
_AUDIT_SHOWN: Final = 10


async def on_usage(trail: Trail, asked: AskedOfCopilot) -> str:
    """Answer a question about tickets, credits and the plan."""
    found, tongue = await trail.use(READ_USAGE, UsageAsked()), asked.tongue
    lines = [_usage(found, trail.formats, tongue)]
    if found.tickets_limit is not None:
        lines += _pace(found, asked, trail.formats)
    if found.earlier:
        before = found.earlier[0]
        used = trail.formats.number(before.tickets_used)
        lines.append(phrase(tongue, "month_before", period=before.period, used=used))
    return "\n".join(lines)


async def usage_line(trail: Trail, tongue: Tongue) -> str:
    """Return the first line of the answer about usage: this month's tickets."""
    return _usage(await trail.use(READ_USAGE, UsageAsked()), trail.formats, tongue)


def _usage(found: UsageFacts, formats: CopilotFormats, tongue: Tongue) -> str:
    values = {
        "period": found.period,
        "used": formats.number(found.tickets_used),
        "credits": formats.number(found.credits_balance),
        "plan": found.plan.value,
    }
    if found.tickets_limit is None:
        return phrase(tongue, "usage_unlimited", **values)
    left = max(0, found.tickets_limit - found.tickets_used)
    return phrase(
        tongue,
        "usage",
        limit=formats.number(found.tickets_limit),
        left=formats.number(left),
        **values,
    )


def _pace(found: UsageFacts, asked: AskedOfCopilot, formats: CopilotFormats) -> list[str]:
    tongue = asked.tongue
    if found.tickets_per_day is None:
        return [phrase(tongue, "no_pace")]
    pace = formats.number(found.tickets_per_day, 1)
    if found.quota_ends_on is None:
        return [phrase(tongue, "pace_lasts", pace=pace)]
    lines = [phrase(tongue, "pace_ends", pace=pace, day=formats.day(found.quota_ends_on))]
    if found.credits_end_on is not None:
        lines.append(phrase(tongue, "credits_end", day=formats.day(found.credits_end_on)))
    return lines


async def on_webhooks(trail: Trail, asked: AskedOfCopilot) -> str:
    """Describe the webhooks that the question names by label or host. If the question does not
    mention any webhook, describe all webhooks."""
    found = (await trail.use(READ_WEBHOOKS, WebhooksAsked())).webhooks
    if not found:
        return phrase(asked.tongue, "no_webhooks")
    words = set(plain_words(asked.text)) - {"webhook", "webhooks"}
    named = [one for one in found if words & set(plain_words(f"{one.label} {one.host}"))]
    shown = sorted(named or found, key=_is_fine)
    lines = [_webhook(one, trail, asked) for one in shown]
    if all(map(_is_fine, shown)):
        lines.insert(0, phrase(asked.tongue, "webhooks_fine"))
    return "\n".join(lines)


def _is_fine(one: WebhookFacts) -> bool:
    return one.is_active and not one.failed and not one.failure_count


def _webhook(one: WebhookFacts, trail: Trail, asked: AskedOfCopilot) -> str:
    label = trail.link(CitedKind.WEBHOOK, one.webhook_id, one.label)
    tongue, about = asked.tongue, {"label": label, "host": one.host}
    if not one.is_active:
        reason = term(tongue, one.disabled_reason or "inactive")
        return phrase(
            tongue, "webhook_off", reason=reason, missed=trail.formats.number(one.missed), **about
        )
    if _is_fine(one):
        return phrase(tongue, "webhook_fine", **about)
    kinds = ", ".join(
        dict.fromkeys(str(each.response_status or each.failure_kind) for each in one.failed)
    )
    return phrase(
        tongue,
        "webhook_failing",
        failures=trail.formats.number(one.failure_count),
        failed=trail.formats.number(len(one.failed)),
        kinds=kinds or "–",
        missed=trail.formats.number(one.missed),
        **about,
    )


async def on_integrations(trail: Trail, asked: AskedOfCopilot) -> str:
    """Describe the integration for the provider that the question names. If the question does not
    mention any provider, describe every integration that is not disconnected."""
    found = (await trail.use(READ_INTEGRATIONS, IntegrationsAsked())).integrations
    words, tongue = set(plain_words(asked.text)), asked.tongue
    named = next((one for one in Provider if one.value in words), None)
    shown = [
        one
        for one in found
        if (one.status is not IntegrationStatus.DISCONNECTED if named is None
            else one.provider == named)
    ]  # fmt: skip
    if not shown and named is not None:
        return phrase(tongue, "integration_missing", provider=named.value)
    if not shown:
        return phrase(tongue, "no_integrations")
    return "\n".join(
        phrase(
            tongue,
            "integration_line",
            provider=one.provider,
            status=term(tongue, one.status),
            error=f" ({one.error_code})" if one.error_code else "",
        )
        for one in shown
    )


async def on_keys(trail: Trail, asked: AskedOfCopilot) -> str:
    """Answer a question about API keys with one line per key. The answer never contains a key
    itself."""
    found, tongue = (await trail.use(READ_KEYS, KeysAsked())).keys, asked.tongue
    formats = trail.formats
    lines = [
        phrase(
            tongue,
            "key_line",
            label=one.label,
            prefix=one.prefix,
            state=term(tongue, "revoked" if one.revoked_at else "usable"),
            used=formats.day(one.last_used_at) if one.last_used_at else term(tongue, "unused"),
        )
        for one in found
    ]
    return _lines([*(lines or [phrase(tongue, "no_keys")]), phrase(tongue, "keys_note")])


async def on_members(trail: Trail, asked: AskedOfCopilot) -> str:
    """Answer a question about members with one line per member."""
    found, tongue = (await trail.use(READ_MEMBERS, MembersAsked())).members, asked.tongue
    formats = trail.formats
    return _lines(
        [
            phrase(
                tongue,
                "member_line",
                email=one.email,
                role=term(tongue, one.role),
                day=formats.day(one.since),
            )
            for one in found
        ]
    )


async def on_audit(trail: Trail, asked: AskedOfCopilot) -> str:
    """List the audit entries about the subject that the question names. If the question does not
    mention any subject, list the latest entries."""
    wanted = AuditAsked(limit=_AUDIT_READ)
    found, tongue = (await trail.use(READ_AUDIT, wanted)).entries, asked.tongue
    words = set(map(stem, plain_words(asked.text)))
    # The first word of an audit entry's action is its subject, as in `playbook changed`.
    named = [one for one in found if stem(one.what.split()[0]) in words]
    lines = [
        phrase(
            tongue,
            "audit_line",
            at=trail.formats.when(one.at),
            what=one.what,
            # Only members are named. An id or an operator's login means nothing to the reader.
            actor=one.actor if "@" in one.actor else term(tongue, f"by_{one.actor_kind}"),
        )
        for one in (named or found)[:_AUDIT_SHOWN]
    ]
    return _lines(lines or [phrase(tongue, "no_audit")])


def _lines(lines: Sequence[str]) -> str:
    return "\n".join(lines)
