"""Examples in the OpenAPI document: one for each request and response, built from its schema."""

from typing import Any, Final

_ULID: Final = "01J9ZQ4Z8N3V5X7B2C4D6E8F0G"
_DIGEST: Final = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
_FORMATS: Final = {"date-time": "2026-11-24T16:00:00.000Z", "date": "2026-11-24"}
_PATTERNS: Final = {
    "^[0-7][0-9A-HJKMNP-TV-Z]{25}$": _ULID,
    "^[0-9a-f]{64}$": _DIGEST,
    r"^\d{1,9}(\.\d{1,3})?$": "49.00",
    "^[A-Z]{3}$": "EUR",
    r"^\d{4}-\d{2}$": "2026-11",
    "^https://": "https://shop.example/track/1042",
    "^ak_[0-9a-f]{32}$": "ak_00112233445566778899aabbccddeeff",
    "^wk_[0-9a-f]{32}$": "wk_00112233445566778899aabbccddeeff",
    "^whsec_[0-9a-f]{48}$": "whsec_00112233445566778899aabbccddeeff0011223344556677",
}
_NAMES: Final[dict[str, object]] = {
    "actor": "camille@shop.example",
    "address": "camille@shop.example",
    "ai_response": "Bonjour Camille, votre colis arrive demain.",
    "assignee": "user_1",
    "author": "user_1",
    "body": "Bonjour, où en est ma commande 1042 ?",
    "brand_name": "Maison Lavande",
    "classification": "order_status",
    "closes": "18:00",
    "color": "#7c5cff",
    "confidence": 0.93,
    "currency": "EUR",
    "customer_email": "camille@example.com",
    "customer_name": "Camille Durand",
    "cost_micros": 420,
    "credits_balance": 7,
    "description": "Shop",
    "detail": "The connection works.",
    "display_name": "Maison Lavande",
    "draft": "Bonjour Camille, votre colis arrive demain.",
    "duration_ms": 1840,
    "email": "camille@shop.example",
    "error_code": "provider_error",
    "event_type": "shopify.ticket.created",
    "expires_in": 600,
    "host": "smtp.shop.example",
    "instructions": "Tutoyez les clients.",
    "intent": "track_order",
    "inviter_email": "owner@shop.example",
    "key": "ak_00112233445566778899aabbccddeeff",
    "label": "Back office",
    "language": "fr",
    "login": "user_1",
    "media_type": "image/jpeg",
    "message": "Bonjour, où en est ma commande 1042 ?",
    "model": "embedded",
    "name": "Livraison",
    "network": "192.0.2.1",
    "next_cursor": _ULID,
    "note": "Un ton plus proche.",
    "number": "1042",
    "opens": "09:00",
    "order_id": "gid-1042",
    "order_key": "1042",
    "order_number": "1042",
    "owner_email": "owner@shop.example",
    "path": "/orders/1042",
    "period": "2026-11",
    "port": 587,
    "prefix": "ak_00112",
    "preview": "Bonjour, où en est ma commande 1042 ?",
    "refresh_token": "rt_00112233445566778899aabbccddeeff",
    "remote_ip": "192.0.2.10",
    "reply_to": "hello@shop.example",
    "response": "Bonjour Camille, votre colis arrive demain.",
    "secret": "whsec_00112233445566778899aabbccddeeff0011223344556677",
    "sentiment": 0.2,
    "signature": "Votre équipe Maison Lavande",
    "source": "shopify",
    "source_url": "https://shop.example/pages/livraison",
    "subject": "Ma commande 1042",
    "text": "Bonjour, où en est ma commande 1042 ?",
    "threshold": 0.7,
    "ticket_id": "T-77",
    "tickets_limit": 5000,
    "tickets_used": 42,
    "time_zone": "Europe/Paris",
    "title": "Délais de livraison",
    "token": "eyJhbGciOiJFUzI1NiJ9.e30.c2ln",
    "tracking_url": "https://carrier.example/1042",
    "url": "https://shop.example/hooks",
    "user_id": "user_1",
    "username": "camille",
    "version": 3,
}
_MEDIA: Final[dict[str, str]] = {
    "text/csv": "day,handled,resolved\n2026-11-24,42,37\n",
    "application/yaml": "version: 1\nplaybooks: []\n",
    "text/event-stream": 'event: state\ndata: {"typing": false}\n\n',
}
_DEPTH: Final = 8


class Examples:
    """The examples to add to requests and responses. `schemas` are the document's components."""

    def __init__(self, schemas: dict[str, Any]) -> None:
        self._schemas = schemas

    def add(self, media: str, content: dict[str, Any]) -> None:
        """Add an example to the content, unless it has one. A JSON body's example is part of its
        schema, so that the operations with the same body share the example."""
        schema: dict[str, Any] = content.get("schema", {})
        if media in _MEDIA and "example" not in content:
            content["example"] = _MEDIA[media]
        if media != "application/json" or "example" in content:
            return
        for option in (schema, *schema.get("anyOf", ())):
            own = self._resolved(option)
            if "anyOf" not in option and "examples" not in own:
                own["examples"] = [self._of(own, "", 0)]

    def _resolved(self, schema: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in schema:
            schema = self._schemas[schema["$ref"].rpartition("/")[2]]
        return schema

    def _of(self, schema: dict[str, Any], name: str, depth: int) -> object:
        schema = self._resolved(schema)
        for key in ("examples", "enum"):
            if schema.get(key):
                return schema[key][0]
        for options in (schema.get("anyOf"), schema.get("oneOf"), schema.get("allOf")):
            if options:
                return self._of(options[0], name, depth)
        return schema["const"] if "const" in schema else self._plain(schema, name, depth)

    def _plain(self, schema: dict[str, Any], name: str, depth: int) -> object:
        made: object = None
        match schema.get("type"):
            case "object":
                made = self._object(schema, depth)
            case "array":
                made = [self._of(one, name, depth) for one in schema.get("prefixItems", ())]
                if depth < _DEPTH and "prefixItems" not in schema and "items" in schema:
                    made = [self._of(schema["items"], name, depth + 1)]
            case "boolean":
                made = bool(schema.get("default", False))
            case "integer" | "number" as kind:
                made = _number(schema, name, kind)
            case "string":
                made = _text(schema, name)
        return made

    def _object(self, schema: dict[str, Any], depth: int) -> dict[str, object]:
        required = {*schema.get("required", ())}
        made = {
            name: self._of(one, name, depth + 1)
            for name, one in schema.get("properties", {}).items()
            if name in required or depth < _DEPTH
        }
        others = schema.get("additionalProperties")
        if not made and isinstance(others, dict) and others:
            key = self._of(schema.get("propertyNames", {}), "", depth) or "name"
            made[str(key)] = self._of(others, "", depth + 1)
        return made


def _number(schema: dict[str, Any], name: str, kind: str) -> object:
    known = _NAMES.get(name, 1)
    if isinstance(known, str) or (kind == "integer" and isinstance(known, float)):
        known = 1
    least, most = schema.get("minimum", known), schema.get("maximum", known)
    return min(max(known, least), most)


def _text(schema: dict[str, Any], name: str) -> str:
    if "format" in schema and schema["format"] in _FORMATS:
        return _FORMATS[schema["format"]]
    if schema.get("pattern") in _PATTERNS:
        return _PATTERNS[schema["pattern"]]
    known = _NAMES.get(name)
    if not isinstance(known, str):
        known = _ULID if name == "id" or name.endswith("_id") else name.replace("_", " ") or "text"
    return known[: schema.get("maxLength", len(known))]
