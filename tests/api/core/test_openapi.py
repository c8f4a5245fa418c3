"""The OpenAPI document describes the actual responses, beyond what FastAPI infers."""

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from api.app import create_app
from api.errors import ANSWERS
from api.openapi_tags import TAGS
from scripts import openapi
from scripts.api_operations import FILE, table
from tests.support.core.engine import LiveEngine, settings_of

GATEWAY = "/api/engine/gateway"
# Anyone can read them without a limit.
PUBLIC = {"/api/webhook-events", "/api/webhook-events/{event}"}
# Anyone can call them; only the rate limit rejects a request.
NOBODY_IS_ASKED = {"/api/auth/signup"}
# Their callers are platforms and OAuth clients, whose credentials have other forms.
OTHER_CALLERS = re.compile(r"/api/(webhooks|payments|mcp)/")
SPECIFIED = {
    "POST /api/engine/gateway",
    "GET /api/billing/usage",
    "GET /api/client/export-data",
    "POST /api/mcp/token",
    "POST /api/widget/chat",
    "POST /api/auth/signup",
    "POST /api/auth/verify",
    "POST /api/copilot/chat",
    "POST /api/simulator/chat",
    "POST /api/webhooks/{provider}/{token}",
}
MOST_BYTES = 900_000


@cache
def served() -> dict[str, Any]:
    return create_app(settings_of("postgresql://a/b", "c:1")).openapi()


@pytest.fixture
def document() -> dict[str, Any]:
    return deepcopy(served())


def operations(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [operation for path in document["paths"].values() for operation in path.values()]


def answer(operation: dict[str, Any], status: str) -> Any:
    """Return an operation's response, which may be a reference to a shared one."""
    found = operation["responses"][status]
    name = found.get("$ref", "").removeprefix("#/components/responses/")
    return served()["components"]["responses"][name] if name else found


def contents(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield all bodies of requests and responses: the operation's id, the media type, and the
    content."""
    for operation in operations(document):
        bodies = [operation["requestBody"]] if "requestBody" in operation else []
        answers = [answer(operation, status) for status in operation["responses"]]
        for body in (*bodies, *answers):
            for media, content in body.get("content", {}).items():
                yield operation["operationId"], media, content


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    name = schema.get("$ref", "").removeprefix("#/components/schemas/")
    return served()["components"]["schemas"][name] if name else schema


def test_every_route_names_the_answers_of_the_edge(document: dict[str, Any]) -> None:
    for operation in operations(document):
        for status in ("431", "503"):
            body = answer(operation, status)["content"]["application/json"]["schema"]
            assert body == {"$ref": "#/components/schemas/ErrorBody"}


def test_operation_ids_are_a_noun_and_a_verb(document: dict[str, Any]) -> None:
    ids = [operation["operationId"] for operation in operations(document)]

    assert [one for one in ids if not re.fullmatch(r"[a-z_]+\.[a-z_]+", one)] == []
    assert len(ids) == len({*ids})
    assert {one["operationId"].split(".")[0]: one["tags"] for one in operations(document)} == {
        one.split(".")[0]: [one.split(".")[0]] for one in ids
    }


def test_the_list_of_operations_is_current(document: dict[str, Any]) -> None:
    assert FILE.read_text(encoding="utf-8") == table(document)


def test_the_committed_document_is_current(document: dict[str, Any]) -> None:
    """If it is not: python -m scripts.openapi"""
    assert openapi.FILE.read_text(encoding="utf-8") == openapi.written(document)


def test_the_document_is_small(document: dict[str, Any]) -> None:
    assert len(json.dumps(document, separators=(",", ":"))) < MOST_BYTES


def test_every_specified_route_is_described(document: dict[str, Any]) -> None:
    there = {
        f"{method.upper()} {path}"
        for path, methods in document["paths"].items()
        for method in methods
    }
    assert there >= SPECIFIED


def test_tags_are_listed_in_reading_order(document: dict[str, Any]) -> None:
    used = {tag for operation in operations(document) for tag in operation["tags"]}

    assert [tag["name"] for tag in document["tags"]] == list(TAGS)
    assert used == {*TAGS}
    assert all(tag["description"] for tag in document["tags"])


def test_bodies_are_named(document: dict[str, Any]) -> None:
    unnamed = [
        operation
        for operation, media, content in contents(document)
        if media in {"application/json", "application/yaml", "application/x-www-form-urlencoded"}
        and "$ref" not in (schema := content["schema"])
        and not all("$ref" in option for option in schema.get("anyOf", [{}]))
        and schema.get("type") != "string"
        and schema.get("additionalProperties") is not True
    ]
    assert unnamed == []


def test_no_schema_contains_itself(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    named = {
        name: {one.rpartition("/")[2] for one in references(schema)}
        for name, schema in schemas.items()
    }
    while leaves := [name for name, inner in named.items() if not inner & named.keys()]:
        for name in leaves:
            del named[name]
    assert named == {}


def test_every_body_and_answer_has_an_example(document: dict[str, Any]) -> None:
    missing = [
        (operation, media)
        for operation, media, content in contents(document)
        if content["schema"].get("format") != "binary"  # a file
        and "example" not in content
        and not any(
            resolved(option).get("examples")
            for option in (content["schema"], *content["schema"].get("anyOf", ()))
        )
    ]
    assert missing == []


def test_every_example_is_valid(document: dict[str, Any]) -> None:
    """The schemas' own examples. The examples of errors and bodies are tested below."""
    components = {"components": document["components"]}
    wrong = [
        (name, error.message)
        for name, schema in document["components"]["schemas"].items()
        for example in schema.get("examples", ())
        for error in Draft202012Validator(schema | components).iter_errors(example)
    ]
    assert wrong == []


def test_every_error_code_is_listed_with_its_fields(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    described = schemas["ErrorCode"]["x-error-codes"]

    assert schemas["ErrorCode"]["enum"] == sorted({error.code for error in ANSWERS})
    for error, one in ANSWERS.items():
        assert one.status in described[error.code]["statuses"]
        assert {*one.fields} <= {*described[error.code]["fields"]}
        assert {*one.fields} <= schemas["ErrorBody"]["properties"].keys()
    for name, response in document["components"]["responses"].items():
        content = response["content"]["application/json"]
        if content["schema"] == {"$ref": "#/components/schemas/ErrorBody"}:
            schema = content["schema"] | {"components": document["components"]}
            assert Draft202012Validator(schema).is_valid(content["example"]), name


def test_pages_have_one_form(document: dict[str, Any]) -> None:
    """A list has a limit and a text cursor exactly if its answer has `next_cursor`."""
    paged = 0
    for operation in operations(document):
        parameters = {one["name"]: one["schema"] for one in operation.get("parameters", ())}
        content = answer(operation, min(operation["responses"])).get("content", {})
        schema = resolved(content.get("application/json", {"schema": {}})["schema"])
        cursor = schema.get("properties", {}).get("next_cursor")
        assert (cursor is not None) == ("cursor" in parameters), operation["operationId"]
        if cursor is not None:
            paged += 1
            assert parameters["cursor"]["type"] == "string", operation["operationId"]
            assert parameters["limit"]["type"] == "integer", operation["operationId"]
            assert cursor["anyOf"] == [{"type": "string"}, {"type": "null"}]
            assert [one for one in schema["properties"].values() if one.get("type") == "array"]
    assert paged > 20


def test_every_operation_is_described(document: dict[str, Any]) -> None:
    ids = [one["operationId"] for one in operations(document) if not one.get("description")]
    assert ids == []


def test_every_body_has_an_example_that_its_schema_allows(document: dict[str, Any]) -> None:
    components = {"components": document["components"]}
    tried = 0
    for operation in operations(document):
        for described in operation.get("requestBody", {"content": {}})["content"].values():
            schema = described["schema"]
            if schema.get("format") == "binary":  # a file
                continue
            for example in resolved(schema).get("examples") or [described["example"]]:
                Draft202012Validator(schema | components).validate(example)
                tried += 1
    assert tried > 60


def guarded(document: dict[str, Any]) -> list[dict[str, Any]]:
    others = {path for path in document["paths"] if OTHER_CALLERS.match(path)} | PUBLIC
    paths = {path: answers for path, answers in document["paths"].items() if path not in others}
    assert len(paths) == len(document["paths"]) - len(PUBLIC) - 7
    return operations({"paths": paths})


def test_every_401_names_its_scheme(document: dict[str, Any]) -> None:
    for path in NOBODY_IS_ASKED:
        assert "401" not in document["paths"].pop(path)["post"]["responses"]
    for operation in guarded(document):
        header = answer(operation, "401")["headers"]["WWW-Authenticate"]
        assert header == {"schema": {"const": "Bearer"}, "required": True}


def test_retry_after_may_be_missing(document: dict[str, Any]) -> None:
    for operation in guarded(document):
        assert not answer(operation, "429")["headers"]["Retry-After"].get("required")


async def test_descriptions_name_no_python_value(front: LiveEngine) -> None:
    """The served document says null, although schemas are described by docstrings."""
    served = (await front.http.get("/openapi.json")).text

    assert re.findall(r".{60}\bNone\b(?! of).{20}", served) == []
    assert "or null if " in served
    assert ". Null " in served


async def test_every_reference_has_something_to_refer_to(front: LiveEngine) -> None:
    document = (await front.http.get("/openapi.json")).json()
    assert references(document) == {
        f"#/components/{kind}/{name}"
        for kind in ("schemas", "responses")
        for name in document["components"][kind]
    }


def references(part: object) -> set[str]:
    """Return all references in a part of the document, at any depth."""
    inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    own = {part["$ref"]} if isinstance(part, dict) and "$ref" in part else set()
    return own.union(*map(references, inner))


def test_limit_of_html(document: dict[str, Any]) -> None:
    content = document["paths"][GATEWAY]["post"]["requestBody"]["content"]
    schema = resolved(content["application/json"]["schema"])

    assert schema["properties"]["html_body"]["maxLength"] == 500_000
    assert "html_body" not in schema["required"]
    assert schema["additionalProperties"] is True


async def test_the_document_is_written_once(
    front: LiveEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The document is built once: no caller can cause another build, nor by asking for a path's
    methods."""
    first = await front.http.get("/openapi.json")
    monkeypatch.delattr("fastapi.applications.get_openapi")
    second = await front.http.get("/openapi.json")

    assert first.content == second.content
    assert set(first.json()["paths"]) == set(front.app.openapi()["paths"])
    assert first.json()["components"]["securitySchemes"]
    assert (await front.http.post("/openapi.json")).status_code == 405
    assert (await front.http.get(GATEWAY)).headers["allow"] == "POST"
