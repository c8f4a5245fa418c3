"""Dashboard requests about a client's templates, knowledge, settings and integrations."""

from typing import Any, Final

import httpx

from tests.support.core.engine import LiveEngine

TEMPLATES: Final = "/api/dashboard/templates"
STARTERS: Final = "/api/dashboard/starter-templates"
KNOWLEDGE: Final = "/api/dashboard/knowledge"
SETTINGS: Final = "/api/dashboard/settings"
WIDGET: Final = "/api/dashboard/widget"
INTEGRATIONS: Final = "/api/dashboard/integrations"

TEMPLATE: Final[dict[str, Any]] = {
    "name": "Où est ma commande",
    "category": "order_status",
    "language": "fr",
    "body": "Bonjour {{ customer_name | }}, le colis attend à {{ parcel_shop }}.",
}
ENTRY: Final[dict[str, Any]] = {
    "title": "Entretien du lin",
    "body": "Lavage à 30 °C, sans essorage.",
    "language": "fr",
}
TOKEN: Final = "CANARY0of0an0access0token"
SHOPIFY: Final[dict[str, Any]] = {
    "provider": "shopify",
    "settings": {"shop": "acme.myshopify.com"},
    "credentials": {"access_token": TOKEN},
}

Body = dict[str, Any] | None

READS: Final[tuple[tuple[str, str, Body], ...]] = (
    ("GET", TEMPLATES, None),
    ("GET", TEMPLATES + "/{template_id}", None),
    ("GET", KNOWLEDGE, None),
    ("GET", KNOWLEDGE + "/{knowledge_id}", None),
    ("GET", SETTINGS, None),
    ("GET", WIDGET, None),
    ("GET", INTEGRATIONS, None),
)
CHANGES: Final[tuple[tuple[str, str, Body], ...]] = (
    ("POST", TEMPLATES, TEMPLATE),
    ("POST", STARTERS, None),
    ("PATCH", TEMPLATES + "/{template_id}", {"is_active": False}),
    ("DELETE", TEMPLATES + "/{template_id}", None),
    ("POST", KNOWLEDGE, ENTRY),
    ("PATCH", KNOWLEDGE + "/{knowledge_id}", {"title": "Lin"}),
    ("DELETE", KNOWLEDGE + "/{knowledge_id}", None),
    ("PATCH", SETTINGS, {"system_prompt": "Tutoyez."}),
    ("POST", SETTINGS + "/widget-key", None),
    ("PATCH", WIDGET, {"allowed_origins": ["https://shop.example"]}),
    ("POST", WIDGET + "/secret", None),
    ("POST", INTEGRATIONS, SHOPIFY),
    ("POST", INTEGRATIONS + "/{integration_id}/test", None),
    ("DELETE", INTEGRATIONS + "/{integration_id}", None),
)
"""The requests that owners and admins may send, each with the smallest accepted body."""

CONTENT_ROUTES: Final = READS + CHANGES


def of_client(client_id: str, body: Body) -> dict[str, Any]:
    """Return a request that names the client in the query, where these routes expect it."""
    return {"params": {"client_id": client_id}, **({"json": body} if body is not None else {})}


async def made(front: LiveEngine, headers: dict[str, str]) -> dict[str, str]:
    """Create a template, an entry and an integration, and return their ids."""
    ids = {}
    for path, body, name in (
        (TEMPLATES, TEMPLATE, "template_id"),
        (KNOWLEDGE, ENTRY, "knowledge_id"),
        (INTEGRATIONS, SHOPIFY, "integration_id"),
    ):
        answer = await front.http.post(path, json=body, headers=headers)
        assert answer.status_code == 201, answer.text
        ids[name] = answer.json()["id"]
    return ids


async def ask(
    front: LiveEngine,
    headers: dict[str, str],
    route: tuple[str, str, Body],
    ids: dict[str, str] | None = None,
) -> httpx.Response:
    method, path, body = route
    return await front.http.request(method, path.format(**ids or {}), json=body, headers=headers)
