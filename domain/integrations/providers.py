"""The providers of connected systems, with the static facts about each provider."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final


class Provider(StrEnum):
    """The vendor of a connected system."""

    SHOPIFY = "shopify"
    STRIPE = "stripe"
    WOOCOMMERCE = "woocommerce"
    PRESTASHOP = "prestashop"
    DEMO_SHOP = "demo_shop"
    ZENDESK = "zendesk"
    GORGIAS = "gorgias"
    INTERCOM = "intercom"
    FRESHDESK = "freshdesk"
    MAILGUN = "mailgun"
    POSTMARK = "postmark"
    SENDGRID = "sendgrid"
    SLACK = "slack"
    GENERIC = "generic"


class SystemClass(StrEnum):
    """The kind of a connected system.

    - `shop`: has orders and can refund them.
    - `helpdesk`: has tickets that can be answered, noted and tagged.
    - `mail`: delivers customers' emails.
    - `notices`: notifies the merchant's team.
    - `other`: a custom system of the merchant.
    """

    SHOP = "shop"
    HELPDESK = "helpdesk"
    MAIL = "mail"
    NOTICES = "notices"
    OTHER = "other"


@dataclass(frozen=True)
class Shape:
    """The format of a setting or credential. `expected` describes the format to users."""

    pattern: re.Pattern[str]
    expected: str


@dataclass(frozen=True)
class ProviderSpec:
    """The static facts about one provider.

    - `settings`, `credentials`: all required, except settings in `optional`.
    - `secret_shapes`: the known formats of credentials.
    - `may_listen`: may be connected without credentials, to receive webhooks only.
    - `on_this_machine`: a local file, which only operators may connect.
    - `slow_to_show`: a lookup may not show the effect of a request yet.
    - `of_payments`: reports payments, not orders.
    """

    of: SystemClass
    settings: Mapping[str, Shape] = field(default_factory=dict)
    credentials: tuple[str, ...] = ()
    optional: Mapping[str, Shape] = field(default_factory=dict)
    secret_shapes: Mapping[str, Shape] = field(default_factory=dict)
    may_listen: bool = False
    on_this_machine: bool = False
    slow_to_show: bool = False
    of_payments: bool = False


_LABEL: Final = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_ADDRESS: Final = Shape(
    re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,255}"), "a mail address"
)
# The resolved addresses are checked later, when the socket is opened (`adapters/webhooks/dial.py`).
_SHOP_URL: Final = Shape(
    re.compile(rf"https://(?:{_LABEL}\.)+{_LABEL}(?::\d{{1,5}})?(?:/[A-Za-z0-9._~/-]{{0,200}})?"),
    "https://shop.example.com",
)
# Name of the setting that selects whether the agent answers a ticket publicly or with an internal
# note.
ANSWER_AS: Final = "answer_as"
_ANSWER_AS: Final = Shape(re.compile(r"public|note"), "public or note")

# Name of the setting that specifies the merchant's mail server. All mail to the mail provider's
# address must pass through this server.
AUTHSERV_ID: Final = "authserv_id"
_AUTHSERV_ID: Final = Shape(re.compile(rf"(?:{_LABEL}\.)+{_LABEL}"), "mx.example.com")
_MAIL: Final = ProviderSpec(of=SystemClass.MAIL, optional={AUTHSERV_ID: _AUTHSERV_ID})

PROVIDERS: Final = {
    Provider.SHOPIFY: ProviderSpec(
        of=SystemClass.SHOP,
        settings={"shop": Shape(re.compile(_LABEL + r"\.myshopify\.com"), "name.myshopify.com")},
        credentials=("access_token",),
        may_listen=True,
    ),
    Provider.STRIPE: ProviderSpec(
        of=SystemClass.SHOP,
        credentials=("api_key",),
        optional={"account": Shape(re.compile(r"acct_[A-Za-z0-9]{1,64}"), "acct_…")},
        may_listen=True,
        of_payments=True,
    ),
    Provider.WOOCOMMERCE: ProviderSpec(
        of=SystemClass.SHOP,
        settings={"url": _SHOP_URL},
        credentials=("consumer_key", "consumer_secret"),
        may_listen=True,
        slow_to_show=True,
    ),
    Provider.PRESTASHOP: ProviderSpec(
        of=SystemClass.SHOP,
        settings={"url": _SHOP_URL},
        credentials=("webservice_key",),
        may_listen=True,
    ),
    Provider.DEMO_SHOP: ProviderSpec(
        of=SystemClass.SHOP,
        settings={"path": Shape(re.compile(r"[^\0]{1,1000}"), "a file's path")},
        on_this_machine=True,
    ),
    Provider.ZENDESK: ProviderSpec(
        of=SystemClass.HELPDESK,
        settings={
            "subdomain": Shape(re.compile(_LABEL), "the name before .zendesk.com"),
            "email": _ADDRESS,
        },
        credentials=("api_token",),
        optional={ANSWER_AS: _ANSWER_AS},
    ),
    Provider.GORGIAS: ProviderSpec(
        of=SystemClass.HELPDESK,
        settings={
            "domain": Shape(re.compile(_LABEL), "the name before .gorgias.com"),
            "email": _ADDRESS,
        },
        credentials=("email", "api_key"),
        optional={ANSWER_AS: _ANSWER_AS},
        slow_to_show=True,
    ),
    Provider.INTERCOM: ProviderSpec(
        of=SystemClass.HELPDESK,
        settings={"admin_id": Shape(re.compile(r"[0-9]{1,20}"), "the number of an admin")},
        credentials=("access_token",),
        optional={
            "region": Shape(re.compile(r"us|eu|au"), "us, eu or au"),
            ANSWER_AS: _ANSWER_AS,
        },
        slow_to_show=True,
    ),
    Provider.FRESHDESK: ProviderSpec(
        of=SystemClass.HELPDESK,
        settings={
            "domain": Shape(re.compile(_LABEL), "the name before .freshdesk.com"),
            "email": _ADDRESS,
        },
        credentials=("api_key",),
        optional={ANSWER_AS: _ANSWER_AS},
        slow_to_show=True,
    ),
    Provider.MAILGUN: _MAIL,
    Provider.POSTMARK: _MAIL,
    Provider.SENDGRID: _MAIL,
    Provider.SLACK: ProviderSpec(
        of=SystemClass.NOTICES,
        credentials=("webhook_url",),
        optional={"language": Shape(re.compile(r"fr|en"), "fr or en")},
        # Notifications may be posted only to Slack's own address.
        secret_shapes={
            "webhook_url": Shape(
                re.compile(r"https://hooks\.slack\.com/services(?:/[A-Za-z0-9]{1,64}){3}"),
                "https://hooks.slack.com/services/T…/B…/…",
            )
        },
    ),
    Provider.GENERIC: ProviderSpec(of=SystemClass.OTHER),
}


def _of(system: SystemClass) -> frozenset[Provider]:
    return frozenset(one for one, spec in PROVIDERS.items() if spec.of is system)


SHOPS: Final = _of(SystemClass.SHOP)

PAYMENT_PROVIDERS: Final = frozenset(one for one, spec in PROVIDERS.items() if spec.of_payments)

HELPDESKS: Final = _of(SystemClass.HELPDESK)

MAIL_PROVIDERS: Final = _of(SystemClass.MAIL)

NOTICE_BOARDS: Final = _of(SystemClass.NOTICES)

OF_MERCHANTS: Final = frozenset(one for one, spec in PROVIDERS.items() if not spec.on_this_machine)
"""Providers that merchants may connect without an operator."""
