"""Pages of the API reference, rendered from the OpenAPI document: one page for each tag."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

_SCHEMAS: Final = "#/components/schemas/"
INDEX: Final = "reference/index.md"
_ERRORS: Final = "../api-errors.md"
_LIMITS: Final = {
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "minItems": "at least {} entries",
    "maxItems": "at most {} entries",
}


class Reference:
    """The reference pages of an OpenAPI document. A schema is described once, on the page of the
    first tag that uses it."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self._schemas: dict[str, Any] = document["components"]["schemas"]
        self._tags = {one["name"]: str(one["description"]) for one in document["tags"]}
        self._operations: dict[str, list[tuple[str, str, dict[str, Any]]]] = {
            tag: [] for tag in self._tags
        }
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                self._operations[operation["tags"][0]].append((method.upper(), path, operation))
        self._owners: dict[str, str] = {}
        for tag, operations in self._operations.items():
            for _, _, operation in operations:
                for name in self._used(operation):
                    self._owners.setdefault(name, tag)

    def pages(self) -> dict[str, str]:
        """Return the Markdown of each page by its path in the site, in reading order."""
        return {INDEX: self._index()} | {_path(tag): self._page(tag) for tag in self._tags}

    def _used(self, operation: dict[str, Any]) -> dict[str, None]:
        """Return the names of the schemas that an operation uses, in the order of use."""
        answers = [self._answer(one) for one in operation["responses"].values()]
        found: dict[str, None] = {}
        waiting = list(_references([operation, answers]))
        while waiting:
            name = waiting.pop(0)
            if name not in found:
                found[name] = None
                waiting.extend(_references(self._schemas[name]))
        return found

    def _answer(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Return a response. Error responses are references to shared ones."""
        name = answer.get("$ref", "").rpartition("/")[2]
        found: dict[str, Any] = self._document["components"]["responses"][name] if name else answer
        return found

    def _index(self) -> str:
        rows = [
            f"| [{tag}]({tag}.md) | {about} | {len(self._operations[tag])} |"
            for tag, about in self._tags.items()
        ]
        schemes = [
            f"| `{name}` | {_scheme(one)} | {_cell(one.get('description', ''))} |"
            for name, one in self._document["components"]["securitySchemes"].items()
        ]
        return "\n".join(
            [
                "# API reference",
                "",
                "This page is for developers. It lists the operations of the API by tag. The pages "
                "are generated from the [OpenAPI document](../openapi.json).",
                "",
                self._document["info"]["description"].strip(),
                "",
                "## Tags",
                "",
                "| Tag | Purpose | Operations |",
                "|---|---|---|",
                *rows,
                "",
                "## Authentication",
                "",
                "| Name | Credential | Description |",
                "|---|---|---|",
                *schemes,
                "",
            ]
        )

    def _page(self, tag: str) -> str:
        parts = [f"# {tag}", self._tags[tag]]
        for method, path, operation in self._operations[tag]:
            parts += self._operation(tag, method, path, operation)
        own = sorted(name for name, owner in self._owners.items() if owner == tag)
        if own:
            parts += ["## Objects", "The operations of this page use these objects."]
        for name in own:
            parts += self._object(tag, name)
        return "\n\n".join(part for part in parts if part) + "\n"

    def _operation(
        self, tag: str, method: str, path: str, operation: dict[str, Any]
    ) -> Iterator[str]:
        yield f"## {operation['summary']}"
        yield f"`{method} {path}`"
        yield operation.get("description", "")
        yield f"Operation id: `{operation['operationId']}`. {_authentication(operation)}"
        if parameters := operation.get("parameters"):
            yield "**Parameters**"
            yield _table(
                ("Name", "In", "Type", "Description"),
                [
                    (
                        f"`{one['name']}`" + ("" if one.get("required") else " (optional)"),
                        one["in"],
                        self._type(tag, one["schema"]),
                        one.get("description", one["schema"].get("description", "")),
                    )
                    for one in parameters
                ],
            )
        if body := operation.get("requestBody"):
            yield from self._content(tag, "Request body", body)
        errors = []
        for status, answer in sorted(operation["responses"].items()):
            if int(status) >= 400:
                errors.append(f"`{status}`")
            else:
                yield from self._content(tag, f"Response {status}", self._answer(answer))
        if errors:
            yield f"**Errors**: {', '.join(errors)}. Each has a code from [API errors]({_ERRORS})."

    def _content(self, tag: str, title: str, holder: dict[str, Any]) -> Iterator[str]:
        if not holder.get("content"):
            yield f"**{title}**: no content"
        for media, content in holder.get("content", {}).items():
            schema = content.get("schema", {})
            yield f"**{title}** (`{media}`): {self._type(tag, schema)}"
            example = content.get("example", self._example(schema))
            if example is not None and "json" in media:
                yield _json(example)

    def _example(self, schema: dict[str, Any]) -> object:
        """Return the first example of a schema, of its reference or of its first alternative."""
        if "$ref" in schema:
            return self._example(self._schemas[_name(schema)])
        if examples := schema.get("examples"):
            return examples[0]
        alternatives = schema.get("anyOf") or schema.get("oneOf")
        return self._example(alternatives[0]) if alternatives else None

    def _object(self, tag: str, name: str) -> Iterator[str]:
        schema = self._schemas[name]
        yield f"### {name}"
        yield schema.get("description", "")
        rows = list(self._rows(tag, schema, ""))
        if rows:
            yield _table(("Field", "Type", "Description"), rows)
        else:
            yield f"Type: {self._type(tag, schema)}."

    def _rows(
        self, tag: str, schema: dict[str, Any], prefix: str
    ) -> Iterator[tuple[str, str, str]]:
        """Yield a row for each field. The fields of an inline object follow it, after its name."""
        required = schema.get("required", ())
        for field, about in schema.get("properties", {}).items():
            name = f"{prefix}{field}"
            optional = "" if field in required else " (optional)"
            yield f"`{name}`{optional}", self._type(tag, about), about.get("description", "")
            for inner, suffix in _inline(about):
                yield from self._rows(tag, inner, f"{name}{suffix}.")

    def _type(self, tag: str, schema: dict[str, Any]) -> str:
        """Return the type of a schema in words, with links to named schemas."""
        if "$ref" in schema:
            return self._link(tag, _name(schema))
        if alternatives := schema.get("anyOf") or schema.get("oneOf"):
            names = dict.fromkeys(self._type(tag, one) for one in alternatives)
            return " or ".join(names)
        if "enum" in schema:
            return "one of " + ", ".join(f"`{json.dumps(one)}`" for one in schema["enum"])
        if "const" in schema:
            return f"`{json.dumps(schema['const'])}`"
        kind = schema.get("type", "any value")
        if kind == "array" and schema.get("items"):
            kind = f"array of {self._type(tag, schema['items'])}"
        elif kind == "object" and isinstance(values := schema.get("additionalProperties"), dict):
            kind = f"object with values of {self._type(tag, values)}" if values else kind
        form = [f"format `{schema['format']}`"] if "format" in schema else []
        limits = [words.format(schema[key]) for key, words in _LIMITS.items() if key in schema]
        return ", ".join([kind if isinstance(kind, str) else " or ".join(kind), *form, *limits])

    def _link(self, tag: str, name: str) -> str:
        owner = self._owners[name]
        return f"[{name}]({'' if owner == tag else f'{owner}.md'}#{name.lower()})"


def _path(tag: str) -> str:
    return f"reference/{tag}.md"


def _references(part: object) -> Iterator[str]:
    if isinstance(part, dict):
        if str(part.get("$ref", "")).startswith(_SCHEMAS):
            yield _name(part)
        for one in part.values():
            yield from _references(one)
    elif isinstance(part, list):
        for one in part:
            yield from _references(one)


def _name(reference: dict[str, Any]) -> str:
    return str(reference["$ref"]).removeprefix(_SCHEMAS)


def _inline(schema: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the unnamed objects in a field's schema, each with the suffix of its path."""
    if "properties" in schema:
        yield schema, ""
    if isinstance(items := schema.get("items"), dict):
        yield from ((inner, f"[]{suffix}") for inner, suffix in _inline(items))
    for one in schema.get("anyOf", schema.get("oneOf", ())):
        yield from _inline(one)


def _authentication(operation: dict[str, Any]) -> str:
    names = [f"`{name}`" for one in operation.get("security", ()) for name in one]
    return f"Authentication: {' or '.join(names) or 'none'}."


def _scheme(scheme: dict[str, Any]) -> str:
    if scheme["type"] == "http":
        return "`Authorization: Bearer …`"
    return f"{scheme['in']} `{scheme['name']}`"


def _table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [heads, ("---",) * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|").strip()


def _json(value: object) -> str:
    return f"```json\n{json.dumps(value, ensure_ascii=False, indent=2)}\n```"
