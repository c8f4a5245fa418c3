"""Convert the policy to and from its form fields, and describe the policy's rules."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from api.dashboard.page import Page
from api.dashboard.playbook_form import fields_of, rule_in
from domain.agent.plan import ON_ORDERS, ActionKind
from domain.agent.rulebook import ActionLevel, ActionRule, MoneyLimits, Rulebook
from domain.core.money import Money
from domain.playbooks.file import draft_in
from domain.playbooks.playbook import PlaybookSpec
from domain.playbooks.policy_matrix import Policy, PolicyDifference, PolicyEdit

POLICY: Final = "/app/policy"
_EVERYWHERE: Final = "everywhere"
_AMOUNTS: Final = ("per_action", "per_customer", "per_day")
_CURRENCY: Final = "playbooks.currency"


@dataclass(frozen=True, slots=True)
class SaidChange:
    """A description of a rule change. `parts`: each changed part's label, old text and new text."""

    difference: PolicyDifference
    parts: tuple[tuple[str, str, str], ...]


def policy_fields(policy: Policy, channel_id: str | None) -> dict[str, str]:
    """Return the form fields for a channel, or for the shared rules if `channel_id` is None. An
    inherited rule has an empty level and the shared rule's limits."""
    rules = {row.kind: row.rule_in(channel_id or "") for row in policy.rows}
    spec = PlaybookSpec(name=POLICY, event_type="*", rulebook=Rulebook(actions=rules))
    fields = {name: text for name, text in fields_of(spec).items() if name.startswith("actions.")}
    shared = [] if channel_id is None else [x for x in policy.rows if channel_id not in x.own]
    return fields | {f"actions.{row.kind}.level": "" for row in shared}


def policy_edit_in(fields: Mapping[str, str], policy: Policy, channel_id: str | None) -> PolicyEdit:
    """Return the edit that a form describes. A channel with changed limits but no level gets the
    shared level.

    `channel_id` is None for the shared rules. Raises InvalidPlaybook, with paths such as
    `actions.refund.limits.per_action`.
    """
    shown = policy_fields(policy, channel_id)
    fields = {**fields, **_shared_levels(fields, shown, policy)}
    levels = {
        kind: fields.get(f"actions.{kind}.level")
        for kind in ActionKind
        if _of(kind, fields) != _of(kind, shown)
    }
    rules: dict[str, JsonValue] = {
        kind.value: rule_in(fields, kind) for kind, level in levels.items() if level
    }
    document: dict[str, JsonValue] = {"name": POLICY, "event_type": "*", "actions": rules}
    draft = draft_in({**document, "note": fields.get("note", "")})
    stated = draft.spec.rulebook.actions
    return PolicyEdit(
        channel_id,
        {kind: stated.get(kind) for kind, level in levels.items() if level is not None},
        frozenset(kind for kind in ActionKind if fields.get(f"{_EVERYWHERE}.{kind}")),
        draft.note,
    )


def levels_of(kind: ActionKind) -> tuple[ActionLevel, ...]:
    """Return the levels that a rule for this kind of action may have."""
    only_orders = ActionLevel.CUSTOMER_CONFIRMED
    return tuple(one for one in ActionLevel if kind in ON_ORDERS or one is not only_orders)


def said_limits(page: Page, rule: ActionRule) -> tuple[str, ...]:
    """Return the limits that a rule sets, each as a short text."""
    if rule.level is ActionLevel.NEVER:
        return ()
    free = dict(_parts(page, ActionRule(level=rule.level)))
    # The amounts include their currency.
    has_amount = rule.limits is not None and any(
        getattr(rule.limits, name) is not None for name in _AMOUNTS
    )
    colon = page.say("frame.colon")
    return tuple(
        f"{page.say(label)}{colon}{text}"
        for label, text in _parts(page, rule)
        if text != free[label] and not (has_amount and label == _CURRENCY)
    )


def said_change(page: Page, difference: PolicyDifference) -> SaidChange:
    """Return a description of a rule change. For an action that is turned off, the description
    contains only the level."""
    before, after = dict(_parts(page, difference.before)), dict(_parts(page, difference.after))
    is_off = difference.after.level is ActionLevel.NEVER
    labels = list(before)[:1] if is_off else [*before]
    parts = tuple(
        (page.say(label), before[label], after[label])
        for label in labels
        if before[label] != after[label]
    )
    return SaidChange(difference, parts)


def _parts(page: Page, rule: ActionRule) -> Iterator[tuple[str, str]]:
    """Yield each part of a rule: the key of its label, and its value as text."""
    yield "policy.decides", page.say(f"terms.levels.{rule.level}")
    yield "policy.topics", _listed(page, "categories", rule.categories)
    yield "policy.requests", _listed(page, "intents", rule.intents)
    days = rule.within_days
    age = page.say("policy.any_age") if days is None else _days(page, days)
    yield "policy.age", age
    limits = rule.limits
    yield _CURRENCY, page.say("policy.any") if limits is None else limits.currency
    for name in _AMOUNTS:
        yield f"playbooks.{name}", _amount(page, limits, name)
    yield "playbooks.tags", ", ".join(rule.tags) or page.say("policy.no_tags")
    yes = "yes" if rule.merchant_requests else "no"
    yield "playbooks.merchant_requests", page.say(f"policy.{yes}")


def _shared_levels(
    fields: Mapping[str, str], shown: Mapping[str, str], policy: Policy
) -> dict[str, str]:
    """Return the shared level for each action with edited limits but an empty level field."""
    levels = {f"actions.{row.kind}.level": row for row in policy.rows}
    return {
        name: row.rule.level.value
        for name, row in levels.items()
        if fields.get(name) == ""
        and _of(row.kind, {**fields, name: ""}) != _of(row.kind, {**shown, name: ""})
    }


def _of(kind: ActionKind, fields: Mapping[str, str]) -> dict[str, str]:
    """Return the nonempty fields for a kind of action."""
    prefix = f"actions.{kind}."
    return {name: text for name, text in fields.items() if name.startswith(prefix) and text}


def _days(page: Page, days: int) -> str:
    return page.formats.count(page.say("policy.days", count="{count}"), days)


def _listed(page: Page, terms: str, codes: tuple[str, ...]) -> str:
    words = [page.say(f"terms.{terms}.{code}") for code in sorted(codes)]
    return ", ".join(words) or page.say("policy.any")


def _amount(page: Page, limits: MoneyLimits | None, name: str) -> str:
    minor: int | None = None if limits is None else getattr(limits, name)
    if limits is None or minor is None:
        return page.say("policy.unlimited")
    return page.formats.money(Money(minor=minor, currency=limits.currency))
