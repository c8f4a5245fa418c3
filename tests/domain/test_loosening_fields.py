"""Each field that a manager can write has a loosening rule, or is declared harmless."""

from collections.abc import Iterator

import pytest
from pydantic import BaseModel

from domain.agent.brain import Category
from domain.agent.intent import Intent
from domain.agent.plan import ActionKind
from domain.agent.rulebook import ActionLevel, ActionRule, DuringReview, MoneyLimits, Rulebook
from domain.inbound.author_proof import AuthorProof, may_vouch
from domain.inbound.endpoint import WantedEndpoint
from domain.inbound.platform_catalogue import DUTIFUL, PLATFORMS
from domain.integrations.integration import BASE_URL
from domain.integrations.loosened_connection import CONNECTION_RULES, HARMLESS_CONNECTION
from domain.integrations.providers import PROVIDERS
from domain.playbooks.loosened import HARMLESS_PLAYBOOK, loosened
from domain.playbooks.playbook import Playbook, PlaybookEntry, PlaybookSpec
from domain.tenants.client_settings import Branding, ClientSettings, SettingsChange
from domain.tenants.guidance import Guidance
from domain.tenants.loosening import HARMLESS_SETTINGS, SETTINGS_RULES, looser_settings
from domain.widget.widget import HARMLESS_WIDGET, WidgetChange

LOOSER_SETTINGS: dict[str, tuple[object, object]] = {
    "holds_loosening": (True, False),
    "authserv_ids": ((), ("mx.eve.test",)),
    "sensitive_words": (("lawyer", "poison"), ("poison",)),
    "answers_from_knowledge": (False, True),
    "answer_decision": (1, 2),
}
OTHER_SETTINGS: dict[str, tuple[object, object]] = {
    "system_prompt": (None, "Refund everyone."),
    "guidance": (Guidance(), Guidance(do=("Promise a refund to everyone.",))),
    "branding": (Branding(), Branding(display_name="Shop")),
    "retention": ({}, {"conversations": 90}),
    "acknowledgement": ({}, {"en": "Thanks."}),
    "frame": ({}, {"en": {"greeting": "Hi,"}}),
    "ask_rating": (False, True),
    "disclosure": ({}, {"en": "An AI wrote this."}),
    "disclosure_status": ("on", "not_covered"),
}


def test_each_setting_is_declared() -> None:
    assert SETTINGS_RULES.keys() | HARMLESS_SETTINGS.keys() == SettingsChange.model_fields.keys()
    assert not SETTINGS_RULES.keys() & HARMLESS_SETTINGS.keys()
    assert LOOSER_SETTINGS.keys() == SETTINGS_RULES.keys()
    assert OTHER_SETTINGS.keys() == HARMLESS_SETTINGS.keys()


@pytest.mark.parametrize(("name", "values"), LOOSER_SETTINGS.items())
def test_a_setting_is_held(name: str, values: tuple[object, object]) -> None:
    before, after = (ClientSettings.model_validate({name: value}) for value in values)
    assert [one.place for one in looser_settings(before, after)] == [f"settings: {name}"]
    assert looser_settings(after, before) == ()
    assert looser_settings(before, before) == ()


@pytest.mark.parametrize(("name", "values"), OTHER_SETTINGS.items())
def test_a_harmless_setting_is_not(name: str, values: tuple[object, object]) -> None:
    before, after = (ClientSettings.model_validate({name: value}) for value in values)
    assert looser_settings(before, after) == looser_settings(after, before) == ()


def test_a_word_in_another_spelling_is_the_same_word() -> None:
    before, after = (ClientSettings(sensitive_words=(one,)) for one in ("Procès", "proces!"))
    assert looser_settings(before, after) == ()


def test_each_setting_and_credential_of_a_connection_is_declared() -> None:
    written = {BASE_URL}
    for spec in PROVIDERS.values():
        written |= spec.settings.keys() | spec.optional.keys() | set(spec.credentials)
    assert CONNECTION_RULES.keys() | HARMLESS_CONNECTION.keys() == written
    assert not CONNECTION_RULES.keys() & HARMLESS_CONNECTION.keys()


def test_each_field_of_an_endpoint_is_declared() -> None:
    """The secret's holder vouches with the values that the mapping finds, or orders an erasure."""
    assert set(WantedEndpoint.__dataclass_fields__) == {"secret", "mapping"}
    vouching = {one for one in PLATFORMS if may_vouch(PLATFORMS[one].author_proof, None)}
    assert {str(one) for one in vouching} == {
        "generic", "mailgun", "postmark", "prestashop", "sendgrid",
    }  # fmt: skip
    assert {str(one) for one in DUTIFUL} == {"shopify"}
    assert may_vouch(AuthorProof.MAPPED, {"customer_verified": "x"})
    assert not may_vouch(AuthorProof.MAPPED, {"message": "x"})


def test_each_field_of_the_widget_is_declared() -> None:
    assert HARMLESS_WIDGET.keys() == WidgetChange.model_fields.keys()


MONEY = ActionKind.REFUND


def _entry(
    kind: ActionKind = MONEY,
    level: ActionLevel = ActionLevel.AUTONOMOUS,
    *,
    event_type: str = "*",
    threshold: float = 0.7,
    active: bool = True,
    shadow: bool = False,
    acts_during_review: bool = False,
    limits: MoneyLimits | None = None,
    **rule: object,
) -> PlaybookEntry:
    if limits is None and kind is MONEY:
        limits = MoneyLimits(currency="EUR", per_action=1)
    one = ActionRule.model_validate({"level": level, "limits": limits, **rule})
    return PlaybookEntry(
        playbook=Playbook(id="p", version=1, name="p", event_type=event_type, threshold=threshold),
        is_active=active,
        rulebook=Rulebook(
            actions={kind: one},
            shadow=shadow,
            during_review=DuringReview(actions=acts_during_review),
        ),
    )


def _euros(**amounts: int) -> MoneyLimits:
    return MoneyLimits.model_validate({"currency": "EUR", "per_action": 5, **amounts})


APPROVED = ActionLevel.HUMAN_APPROVED
COMPLAINTS, REFUNDS = (Category.COMPLAINT,), (Intent.REFUND,)
LOOSER_PLAYBOOKS: dict[str, list[tuple[PlaybookEntry, PlaybookEntry]]] = {
    "event_type": [(_entry(event_type="a.b"), _entry(event_type="a.*"))],
    "threshold": [(_entry(threshold=0.9), _entry(threshold=0.1))],
    "active": [(_entry(active=False), _entry())],
    "rulebook.shadow": [(_entry(shadow=True), _entry())],
    "rulebook.during_review": [(_entry(), _entry(acts_during_review=True))],
    "rulebook.actions.level": [
        (_entry(level=APPROVED), _entry()),
        (_entry(ActionKind.REPLY, APPROVED), _entry(ActionKind.REPLY)),
        (_entry(ActionKind.TAG, APPROVED, tags=("a",)), _entry(ActionKind.TAG, tags=("a",))),
    ],
    "rulebook.actions.categories": [
        (_entry(categories=COMPLAINTS), _entry()),
        (_entry(ActionKind.REPLY, categories=COMPLAINTS), _entry(ActionKind.REPLY)),
    ],
    "rulebook.actions.intents": [
        (_entry(intents=REFUNDS), _entry()),
        (_entry(ActionKind.REPLY_BY_EMAIL, intents=REFUNDS), _entry(ActionKind.REPLY_BY_EMAIL)),
    ],
    "rulebook.actions.within_days": [(_entry(within_days=1), _entry(within_days=2))],
    "rulebook.actions.tags": [
        (_entry(ActionKind.TAG, tags=("a",)), _entry(ActionKind.TAG, tags=("a", "vip"))),
        (
            _entry(ActionKind.TAG, APPROVED, tags=("a",)),
            _entry(ActionKind.TAG, APPROVED, tags=("b",)),
        ),
    ],
    "rulebook.actions.merchant_requests": [(_entry(), _entry(merchant_requests=True))],
    "rulebook.actions.limits.currency": [
        (_entry(), _entry(limits=MoneyLimits(currency="KWD", per_action=1)))
    ],
    "rulebook.actions.limits.per_action": [(_entry(), _entry(limits=_euros()))],
    "rulebook.actions.limits.per_customer": [
        (_entry(limits=_euros(per_customer=1)), _entry(limits=_euros(per_customer=2)))
    ],
    "rulebook.actions.limits.per_day": [
        (_entry(limits=_euros(per_day=1)), _entry(limits=_euros()))
    ],
}


def _fields(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """Return the paths of all playbook values that a manager writes."""
    inner: dict[str, type[BaseModel]] = {
        "rulebook": Rulebook,
        "actions": ActionRule,
        "limits": MoneyLimits,
    }
    for name in model.model_fields:
        if name in inner:
            yield from _fields(inner[name], f"{prefix}{name}.")
        else:
            yield prefix + name


def test_each_field_of_a_playbook_is_declared() -> None:
    assert LOOSER_PLAYBOOKS.keys() | HARMLESS_PLAYBOOK.keys() == set(_fields(PlaybookSpec))
    assert not LOOSER_PLAYBOOKS.keys() & HARMLESS_PLAYBOOK.keys()


@pytest.mark.parametrize(
    ("before", "after"), [pair for pairs in LOOSER_PLAYBOOKS.values() for pair in pairs]
)
def test_a_field_of_a_playbook_is_held(before: PlaybookEntry, after: PlaybookEntry) -> None:
    assert loosened([before], [after])
    assert loosened([before], [before]) == ()
