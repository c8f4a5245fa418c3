"""MCP resources: knowledge entries and the catalogue of webhook events."""

import json
from typing import Final

from mcp_types import (
    ListResourcesResult,
    ListResourceTemplatesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from api.mcp.results import MAX_RESULT, trusted
from api.mcp.tool import AtWork
from domain.content.content import KnowledgeEntry
from domain.content.errors import ContentNotFound
from domain.core.ids import parse_ulid
from domain.tenants.scopes import Scope
from domain.webhooks.catalogue import entries, entry
from store.content.content_changes import ContentChanges

KNOWLEDGE: Final = "knowledge://"
EVENTS: Final = "webhook-events://"
ALL_EVENTS: Final = f"{EVENTS}all"
_JSON: Final = "application/json"
_MARKDOWN: Final = "text/markdown"
_PAGE: Final = 50

TEMPLATES: Final = (
    ResourceTemplate(
        name="knowledge",
        title="Knowledge entry",
        uri_template=f"{KNOWLEDGE}{{id}}",
        description=(
            "Knowledge entry: a fact that the agent may use in answers. search_knowledge returns "
            "its id."
        ),
        mime_type=_MARKDOWN,
    ),
    ResourceTemplate(
        name="webhook-event",
        title="Webhook event",
        uri_template=f"{EVENTS}{{event}}",
        description="JSON Schema and example of the event's body.",
        mime_type=_JSON,
    ),
)
_CATALOGUE: Final = Resource(
    name="webhook-events",
    title="Webhook events",
    uri=ALL_EVENTS,
    description="Names and descriptions of all webhook events.",
    mime_type=_JSON,
)


def scope_of(uri: str) -> Scope:
    """Return the scope that a key needs to read the resource at this URI."""
    return Scope.WEBHOOKS_READ if uri.startswith(EVENTS) else Scope.CONTENT_READ


async def list_resources(at_work: AtWork, cursor: str | None) -> ListResourcesResult:
    """Return the catalogue of webhook events, then the client's knowledge entries, oldest first. A
    key without the scope to read entries gets only the catalogue."""
    if at_work.key.scopes is not None and Scope.CONTENT_READ not in at_work.key.scopes:
        return ListResourcesResult(resources=[_CATALOGUE])
    async with at_work.resources.database.reading(at_work.tenant) as connection:
        found = await ContentChanges(connection, at_work.tenant).page(
            KnowledgeEntry, after=cursor, limit=_PAGE + 1
        )
    first = [] if cursor else [_CATALOGUE]
    shown = found[:_PAGE]
    return ListResourcesResult(
        resources=[*first, *map(_listed, shown)],
        next_cursor=shown[-1].id if len(found) > _PAGE else None,
    )


def _listed(one: KnowledgeEntry) -> Resource:
    return Resource(name=one.id, title=one.title, uri=f"{KNOWLEDGE}{one.id}", mime_type=_MARKDOWN)


def list_resource_templates() -> ListResourceTemplatesResult:
    """Return all templates of resource addresses."""
    return ListResourceTemplatesResult(resource_templates=list(TEMPLATES))


async def read_resource(at_work: AtWork, uri: str) -> ReadResourceResult:
    """Return the content of the resource at this URI. Raises ContentNotFound,
    WebhookEventNotFound."""
    if uri.startswith(EVENTS):
        return _read(uri, _JSON, _events(uri.removeprefix(EVENTS)))
    entry_id = parse_ulid(uri.removeprefix(KNOWLEDGE))
    if entry_id is None or not uri.startswith(KNOWLEDGE):
        raise ContentNotFound(uri)
    async with at_work.resources.database.reading(at_work.tenant) as connection:
        found = await ContentChanges(connection, at_work.tenant).read(KnowledgeEntry, entry_id)
    return _read(uri, _MARKDOWN, f"# {found.title}\n\n{found.body}")


def _events(name: str) -> str:
    if name == "all":
        return json.dumps(
            [{"event": one.event, "description": one.description} for one in entries()]
        )
    one = entry(name)
    return json.dumps({"schema": one.body_schema, "example": one.example})


def _read(uri: str, mime_type: str, text: str) -> ReadResourceResult:
    # Scale the limit by the text's size in escaped JSON, in which an accented letter takes six
    # bytes and some other characters take twelve.
    longest = max(1, len(text) * (MAX_RESULT - 2_000) // max(1, len(json.dumps(text))))
    return ReadResourceResult(
        contents=[TextResourceContents(uri=uri, mime_type=mime_type, text=trusted(text, longest))]
    )
