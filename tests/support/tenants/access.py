"""The dashboard routes as a table: permitted roles, and how each route determines its client."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from domain.intake.attachment_type import inspect
from domain.integrations.providers import Provider
from domain.tenants.client import Role
from services.reviews.reply_files import upload_file
from store.customers.tables import customers
from tests.support.agent.acting import connect
from tests.support.analytics.reports import INSIGHT_ROUTES
from tests.support.billing.payments import asked_credits
from tests.support.cases import cases
from tests.support.content.content import CHANGES, ENTRY, INTEGRATIONS, READS, made
from tests.support.content.site_imports import SITE_IMPORTS, an_import
from tests.support.content.suggestions import SUGGESTIONS, suggested
from tests.support.core.engine import LiveEngine
from tests.support.core.rows import rows
from tests.support.core.units import units_on
from tests.support.inbound.addresses import ENDPOINT, ENDPOINT_CHANGES, opened
from tests.support.inbound.data_requests import data_requested
from tests.support.inbound.log import logged
from tests.support.intake.attachments import PHOTO, keep_attachments
from tests.support.integrations.senders import MAIL_SENDER, SENDER, SENDER_CODE, a_sender
from tests.support.learning import learning_routes as learning
from tests.support.reviews.dashboard import ACTIONS, REVIEWS, person
from tests.support.reviews.replies import ANNA, conversation_of, written
from tests.support.reviews.reviews import open_review
from tests.support.reviews.saved_views import saved_view
from tests.support.runs.conversation import write
from tests.support.simulation.replays import REPLAYS, replay_ids
from tests.support.tenants import account
from tests.support.tenants.loosenings import LOOSENINGS, held
from tests.support.tenants.served_routes import Route
from tests.support.tenants.shop import Shop
from tests.support.webhooks.webhook_dashboard import ABOUT_ONE, NEW, WEBHOOKS, ready

DASHBOARD: Final = "/api/dashboard/"
RUNS: Final = "/api/dashboard/runs"
CUSTOMERS: Final = "/api/dashboard/customers"
CONVERSATIONS: Final = "/api/dashboard/conversations"
INBOX: Final = "/api/dashboard/inbox"
INBOX_VIEWS: Final = "/api/dashboard/inbox-views"
REPLIES: Final = "/api/dashboard/replies"
ATTACHMENTS: Final = "/api/dashboard/attachments"
METRICS: Final = "/api/dashboard/metrics"
CHURN: Final = "/api/dashboard/churn"
AUDIT: Final = "/api/dashboard/audit"
AUTOMATION: Final = "/api/dashboard/automation"
BUSINESS_HOURS: Final = "/api/dashboard/business-hours"
NOTIFICATIONS: Final = "/api/dashboard/notifications"
INBOUND: Final = "/api/dashboard/inbound"
DATA_REQUESTS: Final = "/api/dashboard/data-requests"
PLAN: Final = "/api/dashboard/plan"
CREDITS: Final = "/api/dashboard/credits"
CHECKOUTS: Final = "/api/dashboard/checkouts"
USAGE: Final = "/api/dashboard/usage"
_NO_WEBHOOK: Final = "inbound_webhook_not_found"
_NO_VIEW: Final = "inbox_view_not_found"

ALL: Final = frozenset({Role.OWNER, Role.ADMIN, Role.AGENT, Role.VIEWER})
REVIEWERS: Final = frozenset({Role.OWNER, Role.ADMIN, Role.AGENT})
MANAGERS: Final = frozenset({Role.OWNER, Role.ADMIN})
OWNERS: Final = frozenset({Role.OWNER})

Ids = dict[str, str]
"""The values of a path's parameters."""


class Client(Enum):
    """The place where a request names its client. Without a name, the user's own client is used."""

    QUERY = "query"
    BODY = "body"
    RECORD = "the record that the path names"
    NONE = "about whoever is signed in, and no client"


@dataclass(frozen=True)
class Access:
    """The access rules of a route.

    - `body`: the smallest accepted body, with ids as parameters.
    - `content`: a body that is a file.
    - `missing`: the code for a missing record and another client's record.
    - `not_for_admins`: the code for internal admins, who are not members.
    """

    roles: frozenset[Role]
    client: Client = Client.QUERY
    body: dict[str, Any] | None = None
    missing: str | None = None
    content: bytes | None = None
    not_for_admins: str | None = None


def _of_content(path: str) -> str | None:
    if "{" not in path:
        return None
    return "integration_not_found" if path.startswith(INTEGRATIONS) else "content_not_found"


ACCESS: Final[dict[Route, Access]] = {
    ("GET", RUNS): Access(ALL),
    ("GET", RUNS + "/{run_id}"): Access(ALL, missing="run_not_found"),
    **{
        ("POST", f"{CONVERSATIONS}/{{conversation_id}}/{what}"): Access(
            REVIEWERS, Client.RECORD, {"text": "Bonjour."}, "conversation_not_found"
        )
        for what in ("reply", "notes")
    },
    ("POST", CONVERSATIONS + "/{conversation_id}/attachments"): Access(
        REVIEWERS, Client.RECORD, missing="conversation_not_found", content=PHOTO.data
    ),
    ("DELETE", CONVERSATIONS + "/{conversation_id}/attachments/{attachment_id}"): Access(
        REVIEWERS, Client.RECORD, missing="conversation_not_found"
    ),
    ("GET", CONVERSATIONS): Access(ALL),
    ("PATCH", CONVERSATIONS): Access(
        REVIEWERS, body={"conversation_ids": ["{conversation_id}"], "status": "closed"}
    ),
    ("GET", CONVERSATIONS + "/{conversation_id}"): Access(
        ALL, Client.RECORD, missing="conversation_not_found"
    ),
    ("PATCH", CONVERSATIONS + "/{conversation_id}"): Access(
        REVIEWERS, Client.RECORD, {"status": "closed"}, "conversation_not_found"
    ),
    ("GET", INBOX): Access(ALL),
    ("PATCH", INBOX): Access(
        REVIEWERS, body={"action": "close", "conversation_ids": ["{conversation_id}"]}
    ),
    ("GET", INBOX_VIEWS): Access(ALL),
    ("POST", INBOX_VIEWS): Access(REVIEWERS, body={"name": "Retours"}),
    ("GET", INBOX_VIEWS + "/{view_id}"): Access(ALL, Client.RECORD, missing=_NO_VIEW),
    ("PATCH", INBOX_VIEWS + "/{view_id}"): Access(
        REVIEWERS, Client.RECORD, {"name": "Retours"}, _NO_VIEW
    ),
    ("DELETE", INBOX_VIEWS + "/{view_id}"): Access(REVIEWERS, Client.RECORD, None, _NO_VIEW),
    ("GET", CUSTOMERS): Access(ALL),
    ("GET", CUSTOMERS + "/{customer_id}"): Access(ALL, Client.RECORD, missing="customer_not_found"),
    ("POST", CUSTOMERS + "/{customer_id}/data-requests"): Access(
        MANAGERS, Client.RECORD, missing="customer_not_found"
    ),
    ("POST", REPLIES + "/{reply_id}/undo"): Access(
        REVIEWERS, Client.RECORD, missing="reply_not_found"
    ),
    ("GET", ATTACHMENTS + "/{attachment_id}"): Access(
        ALL, Client.RECORD, missing="attachment_not_found"
    ),
    ("GET", METRICS): Access(ALL),
    ("GET", CHURN): Access(ALL),
    **{("GET", path): Access(ALL) for path in INSIGHT_ROUTES},
    ("GET", AUDIT): Access(MANAGERS),
    ("GET", INBOUND): Access(ALL),
    ("GET", INBOUND + "/{inbound_id}"): Access(ALL, Client.RECORD, missing=_NO_WEBHOOK),
    ("POST", INBOUND + "/{inbound_id}/replay"): Access(MANAGERS, Client.RECORD, None, _NO_WEBHOOK),
    ("GET", DATA_REQUESTS): Access(MANAGERS),
    **{
        (method, DATA_REQUESTS + path): Access(
            MANAGERS, Client.RECORD, missing="data_request_not_found"
        )
        for method, path in (("GET", "/{request_id}"), ("POST", "/{request_id}/fulfil"))
    },
    ("GET", "/api/dashboard/polls"): Access(ALL),
    ("GET", PLAN): Access(ALL),
    ("POST", PLAN + "/checkout"): Access(OWNERS, body={"plan": "enterprise"}),
    ("POST", PLAN + "/downgrade"): Access(OWNERS, body={"plan": "free"}),
    ("GET", CREDITS): Access(ALL),
    ("POST", CREDITS + "/checkout"): Access(MANAGERS, body={"credits": 100}),
    ("GET", CHECKOUTS + "/{checkout_id}"): Access(ALL, Client.RECORD, missing="checkout_not_found"),
    ("GET", USAGE): Access(ALL),
    ("GET", REPLAYS): Access(ALL),
    ("POST", REPLAYS): Access(MANAGERS, Client.BODY, {"variant": {}}),
    **{
        ("GET", REPLAYS + path): Access(ALL, missing="replay_not_found")
        for path in ("/{replay_id}", "/{replay_id}/examples")
    },
    ("POST", REPLAYS + "/{replay_id}/stop"): Access(MANAGERS, missing="replay_not_found"),
    ("GET", REVIEWS): Access(ALL),
    ("GET", REVIEWS + "/{review_id}"): Access(ALL, Client.RECORD, missing="review_not_found"),
    **{
        ("POST", f"{REVIEWS}/{{review_id}}/{what}"): Access(
            REVIEWERS, Client.RECORD, body or None, "review_not_found"
        )
        for what, body in ACTIONS.items()
    },
    ("GET", learning.CORRECTIONS): Access(ALL),
    ("GET", learning.EXAMPLES): Access(ALL),
    **{
        (method, path): Access(roles, Client.RECORD, body, missing)
        for method, path, roles, body, missing in learning.OF_LEARNING
    },
    ("GET", SUGGESTIONS): Access(ALL),
    **{
        ("POST", f"{SUGGESTIONS}/{{suggestion_id}}/{what}"): Access(
            MANAGERS, missing="suggestion_not_found"
        )
        for what in ("accept", "refuse")
    },
    ("GET", SITE_IMPORTS): Access(ALL),
    ("POST", SITE_IMPORTS): Access(MANAGERS, body={"url": "https://help.example.com/"}),
    ("POST", INTEGRATIONS + "/{integration_id}/article-imports"): Access(
        MANAGERS, missing="integration_not_found"
    ),
    ("GET", SITE_IMPORTS + "/{site_import_id}"): Access(ALL, missing="site_import_not_found"),
    ("GET", AUTOMATION): Access(ALL),
    ("GET", NOTIFICATIONS): Access(ALL),
    ("PUT", NOTIFICATIONS): Access(
        REVIEWERS, body={"mode": "digest"}, not_for_admins="member_not_found"
    ),
    ("GET", BUSINESS_HOURS): Access(ALL),
    ("PUT", BUSINESS_HOURS): Access(MANAGERS, body={"target_minutes": 60}),
    **{("POST", f"{AUTOMATION}/{what}"): Access(MANAGERS) for what in ("stop", "resume")},
    ("GET", LOOSENINGS): Access(ALL),
    **{
        ("POST", f"{LOOSENINGS}/{{loosening_id}}/{what}"): Access(
            MANAGERS, missing="loosening_not_found"
        )
        for what in ("approve", "cancel")
    },
    ("GET", WEBHOOKS): Access(MANAGERS),
    ("POST", WEBHOOKS): Access(MANAGERS, Client.BODY, NEW),
    **{
        (method, WEBHOOKS + path): Access(MANAGERS, Client.RECORD, body, "webhook_not_found")
        for method, path, body in ABOUT_ONE.values()
    },
    **{(method, path): Access(ALL, missing=_of_content(path)) for method, path, _ in READS},
    **{
        (method, path): Access(MANAGERS, body=body, missing=_of_content(path))
        for method, path, body in CHANGES
    },
    **{
        (method, path): Access(MANAGERS, body=body, missing=account.missing_of(path))
        for method, path, body in account.FOR_MANAGERS
    },
    **{
        (method, path): Access(ALL, missing=account.missing_of(path))
        for method, path in account.FOR_MEMBERS
    },
    ("GET", ENDPOINT): Access(ALL, missing="integration_not_found"),
    **{
        (method, path): Access(MANAGERS, body=body, missing="integration_not_found")
        for method, path, body in ENDPOINT_CHANGES
    },
    ("GET", MAIL_SENDER): Access(MANAGERS),
    ("PUT", MAIL_SENDER): Access(MANAGERS, body=SENDER),
    ("DELETE", MAIL_SENDER): Access(MANAGERS),
    ("POST", MAIL_SENDER + "/code"): Access(MANAGERS),
    ("POST", MAIL_SENDER + "/verify"): Access(MANAGERS, body={"code": SENDER_CODE}),
    **{route: Access(ALL, missing=missing) for route, missing in cases.READS.items()},
    **{route: Access(REVIEWERS, body=it, missing=no) for route, (it, no) in cases.CHANGES.items()},
    ("POST", cases.CONTENT_PREVIEWS): Access(MANAGERS, body={"new_knowledge": ENTRY}),
    **{route: Access(ALL, Client.NONE) for route in account.OF_ONESELF},
    account.LEAVE: Access(ALL, Client.NONE),
    **{
        route: Access(ALL, Client.NONE, missing="invitation_not_found") for route in account.ANSWERS
    },
    account.ONE_SESSION: Access(ALL, Client.NONE, missing="session_not_found"),
}


async def _run(front: LiveEngine, shop: Shop) -> Ids:
    return {"run_id": (await write(front.database, shop)).run_id}


async def _conversation(front: LiveEngine, shop: Shop) -> Ids:
    event_id = (await write(front.database, shop)).event_id
    return {"conversation_id": await conversation_of(front.database, event_id)}


async def _uploaded_file(front: LiveEngine, shop: Shop) -> Ids:
    talk = await _conversation(front, shop)
    async with units_on(front.database).of(shop.tenant) as work:
        (found,) = inspect([PHOTO])
        file = await upload_file(work, ANNA, talk["conversation_id"], found)
    return {**talk, "attachment_id": file.id}


async def _customer(front: LiveEngine, shop: Shop) -> Ids:
    await write(front.database, shop)
    return {"customer_id": (await rows(front.database, customers, of=shop))[0]["id"]}


async def _reply(front: LiveEngine, shop: Shop) -> Ids:
    talk = await _conversation(front, shop)
    reply = await written(front.database, shop, talk["conversation_id"])
    return {"reply_id": reply.id}


async def _attachment(front: LiveEngine, shop: Shop) -> Ids:
    event_id = (await write(front.database, shop)).event_id
    (kept,) = await keep_attachments(front.database, shop.tenant, event_id, PHOTO)
    return {"attachment_id": kept.id}


async def _review(front: LiveEngine, shop: Shop) -> Ids:
    return {"review_id": await open_review(front.database, shop)}


async def _view(front: LiveEngine, shop: Shop) -> Ids:
    return {"view_id": await saved_view(front.database, shop)}


async def _webhook(front: LiveEngine, shop: Shop) -> Ids:
    webhook_id, delivery_id = await ready(front, shop)
    return {"webhook_id": webhook_id, "delivery_id": delivery_id}


async def _site_import(front: LiveEngine, shop: Shop) -> Ids:
    return {"site_import_id": await an_import(front.database, shop)}


async def _help_center(front: LiveEngine, shop: Shop) -> Ids:
    settings = {"subdomain": "shop", "email": "agent@shop.example"}
    return {"integration_id": await connect(front, shop, Provider.ZENDESK, settings, "{}")}


async def _suggestion(front: LiveEngine, shop: Shop) -> Ids:
    return {"suggestion_id": await suggested(front.database, shop)}


async def _loosening(front: LiveEngine, shop: Shop) -> Ids:
    return {"loosening_id": await held(front, shop)}


async def _content(front: LiveEngine, shop: Shop) -> Ids:
    return await made(front, await person(front, shop, Role.OWNER))


async def _checkout(front: LiveEngine, shop: Shop) -> Ids:
    return {"checkout_id": await asked_credits(front, shop)}


async def _data_request(front: LiveEngine, shop: Shop) -> Ids:
    return {"request_id": await data_requested(front.database, shop)}


async def _inbound(front: LiveEngine, shop: Shop) -> Ids:
    return {"inbound_id": await logged(front.database, shop)}


async def _key(front: LiveEngine, shop: Shop) -> Ids:
    return await account.a_key(front, await person(front, shop, Role.OWNER))


async def _playbook(front: LiveEngine, shop: Shop) -> Ids:
    return await account.a_playbook(front, await person(front, shop, Role.OWNER))


async def _invitation(front: LiveEngine, shop: Shop) -> Ids:
    return await account.an_invitation(front, await person(front, shop, Role.OWNER))


async def _own_client(front: LiveEngine, shop: Shop) -> Ids:
    return {"client_id": shop.client_id}


async def _member(front: LiveEngine, shop: Shop) -> Ids:
    return {"user_id": await account.new_member(front, shop)}


async def _sender(front: LiveEngine, shop: Shop) -> Ids:
    """Create a sender. It has no id, because a client has at most one."""
    await a_sender(front, shop)
    return {}


async def _session(front: LiveEngine, shop: Shop) -> Ids:
    return {"session_id": await account.signed_in(front, shop.owner_user_id)}


async def _endpoint(front: LiveEngine, shop: Shop) -> Ids:
    ids = await _content(front, shop)
    await opened(front, await person(front, shop, Role.OWNER), ids["integration_id"])
    return ids


_MAKERS: Final[dict[str, Callable[[LiveEngine, Shop], Awaitable[Ids]]]] = {
    "{integration_id}/inbound/": _endpoint,
    "{integration_id}/article-imports": _help_center,
    "{run_id}": _run,
    CONVERSATIONS + "/{conversation_id}/attachments/": _uploaded_file,
    "{conversation_id}": _conversation,
    "{reply_id}": _reply,
    "{customer_id}": _customer,
    "{attachment_id}": _attachment,
    "{review_id}": _review,
    "{view_id}": _view,
    "{replay_id}": replay_ids,
    "{correction_id}": learning.a_correction,
    "{example_id}": learning.an_example,
    "{webhook_id}": _webhook,
    "{suggestion_id}": _suggestion,
    "{site_import_id}": _site_import,
    "{loosening_id}": _loosening,
    "{template_id}": _content,
    "{knowledge_id}": _content,
    "{integration_id}": _content,
    "{checkout_id}": _checkout,
    "{inbound_id}": _inbound,
    "{request_id}": _data_request,
    "{key_id}": _key,
    "{playbook_id}": _playbook,
    "{invitation_id}": _invitation,
    "{user_id}": _member,
    "{client_id}": _own_client,
    "{session_id}": _session,
    "{case_id}": cases.case_ids,
    "{case_run_id}": cases.case_ids,
    MAIL_SENDER: _sender,
    CONVERSATIONS: _conversation,
    INBOX: _conversation,
}


def body_about(access: Access, ids: Ids) -> dict[str, Any]:
    """Return the arguments of a request with the route's body, for records with these ids."""
    if access.content is not None:
        return {"content": access.content}
    if access.body is None:
        return {}
    text = json.dumps(access.body)
    for name, one in ids.items():
        text = text.replace(f"{{{name}}}", one.upper())
    return {"json": json.loads(text)}


async def record_for(front: LiveEngine, shop: Shop, path: str) -> Ids:
    """Create a record of the shop for the path."""
    for name, make in _MAKERS.items():
        if name in path:
            return await make(front, shop)
    return {}
