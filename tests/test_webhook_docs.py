"""docs/webhooks.md is correct: its code accepts the test vector, and its tables match the
events."""

import json
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Final

import pytest
import standardwebhooks.webhooks
import stripe
from pydantic import JsonValue

from api.dashboard.snippets import VERIFYING
from domain.core.service_name import ServiceName
from domain.webhooks.catalogue import CatalogueEntry, entries
from domain.webhooks.delivery import FailureKind, Trigger
from domain.webhooks.retries import SCHEDULE
from domain.webhooks.signature import (
    SIGNATURE,
    SIGNATURE_NEXT,
    STANDARD_ID,
    STANDARD_SIGNATURE,
    STANDARD_TIMESTAMP,
    TIMESTAMP,
    secret_of,
    service_signature,
    signed_headers,
    standard_signature,
)
from domain.webhooks.webhook import DISABLED_AT, WARNED_AT
from tests.support.core.forks import ROOT

DOC: Final = (ROOT / "docs" / "webhooks.md").read_text()
OTHER: Final = secret_of(bytes(range(24)))

Verify = Callable[[str, Mapping[str, str], bytes], bool]


@dataclass(frozen=True)
class Request:
    """A received request, and the time of the receiver's clock."""

    secret: str
    headers: Mapping[str, str]
    body: bytes
    now: int


def code(language: str) -> list[str]:
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", DOC, re.MULTILINE | re.DOTALL)
    return [block for of, block in blocks if of == language]


def vector() -> Request:
    block = next(block for block in code("") if block.startswith("secret: "))
    named = dict(line.split(": ", 1) for line in block.splitlines())
    timestamp = named["timestamp"]
    headers = {
        TIMESTAMP: timestamp,
        SIGNATURE: named[SIGNATURE],
        STANDARD_ID: named["webhook-id"],
        STANDARD_TIMESTAMP: timestamp,
        STANDARD_SIGNATURE: named[STANDARD_SIGNATURE],
    }
    return Request(named["secret"], headers, named["body"].encode(), int(timestamp))


VECTOR: Final = vector()


def rotated(new: str) -> Request:
    """In the overlap: the vector's secret is the old one, and the receiver has the new one."""
    headers = signed_headers(
        event="ticket.resolved",
        event_id=VECTOR.headers[STANDARD_ID],
        delivery_id="D1",
        attempt=1,
        trigger=Trigger.EVENT,
        timestamp=VECTOR.now,
        body=VECTOR.body,
        service=ServiceName(),
        secrets=(new, VECTOR.secret),
    )
    return replace(VECTOR, secret=new, headers=headers)


def altered(**headers: str) -> Request:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return replace(VECTOR, headers={**VECTOR.headers, **named})


GENUINE: Final = {
    "vector": VECTOR,
    "late": replace(VECTOR, now=VECTOR.now + 300),
    "old secret": replace(rotated(OTHER), secret=VECTOR.secret),
    "new secret": rotated(OTHER),
}
FORGED: Final = {
    "other secret": replace(VECTOR, secret=OTHER),
    "other body": replace(VECTOR, body=VECTOR.body + b" "),
    "no signature": altered(X_Service_Signature="v1=", webhook_signature="v1,"),
    "too late": replace(VECTOR, now=VECTOR.now + 301),
}
OF_OURS: Final = {
    "too early": (replace(VECTOR, now=VECTOR.now - 301), False),
    "no timestamp": (altered(X_Service_Timestamp="now"), False),
}


def verdicts(verify: Callable[[Request], bool], *, ours: bool) -> None:
    for name, request in GENUINE.items():
        assert verify(request), name
    for name, request in FORGED.items():
        assert not verify(request), name
    for name, (request, genuine) in OF_OURS.items():
        assert not ours or verify(request) is genuine, name


def test_the_vector_is_ours_and_everybodys() -> None:
    secret, body, now = VECTOR.secret, VECTOR.body, VECTOR.now
    assert VECTOR.headers[SIGNATURE] == service_signature(secret, now, body)
    message_id = VECTOR.headers[STANDARD_ID]
    signature = standard_signature(secret, message_id, now, body)
    assert VECTOR.headers[STANDARD_SIGNATURE] == signature
    header = f"t={now},{VECTOR.headers[SIGNATURE]}"
    stripe.WebhookSignature.verify_header(body, header, secret)
    theirs = standardwebhooks.Webhook(secret)
    assert theirs.sign(message_id, datetime.fromtimestamp(now, UTC), body.decode()) == signature
    assert not body.decode().isascii()
    assert json.loads(body)["event"] == "ticket.resolved"


class _Clock(datetime):
    at = 0

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> "_Clock":
        return cls.fromtimestamp(cls.at, tz)


@pytest.mark.parametrize("block", code("python"), ids=["by hand", "stripe", "standardwebhooks"])
def test_python(block: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scope: dict[str, Verify] = {}
    exec(block, scope)  # noqa: S102 - the document's own code
    verify = scope["verify"]

    def says(request: Request) -> bool:
        monkeypatch.setattr(time, "time", lambda: float(request.now))
        monkeypatch.setattr(_Clock, "at", request.now)
        monkeypatch.setattr(standardwebhooks.webhooks, "datetime", _Clock)
        try:
            # The libraries raise errors, and their results are unused.
            return verify(request.secret, request.headers, request.body) is not False
        except (stripe.SignatureVerificationError, standardwebhooks.WebhookVerificationError):
            return False
        finally:
            monkeypatch.undo()

    verdicts(says, ours="hmac" in block)


def run(program: str, source: str, folder: Path, request: Request) -> bool:
    (folder / "body").write_bytes(request.body)
    script = folder / "script"
    script.write_text(source)
    done = subprocess.run(
        [program, script.name], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return {"true": True, "false": False}[done.stdout.strip()]


@pytest.mark.skipif(not shutil.which("node"), reason="no node on this machine")
def test_javascript(tmp_path: Path) -> None:
    (block,) = code("javascript")

    def says(request: Request) -> bool:
        headers = json.dumps({name.lower(): value for name, value in request.headers.items()})
        call = f"verify({json.dumps(request.secret)}, {headers}, body)"
        read = "const body = require('node:fs').readFileSync('body');"
        clock = f"Date.now = () => {request.now * 1000};"
        return run("node", f"{block}\n{read}\n{clock}\nconsole.log({call});\n", tmp_path, request)

    verdicts(says, ours=True)


@pytest.mark.skipif(not shutil.which("php"), reason="no php on this machine")
def test_php(tmp_path: Path) -> None:
    (block,) = code("php")

    def says(request: Request) -> bool:
        server = {
            f"HTTP_{name.upper().replace('-', '_')}": value
            for name, value in request.headers.items()
        }
        clock = f"namespace Receiver; function time() {{ return {request.now}; }}"
        (tmp_path / "server").write_text(json.dumps(server))
        call = (
            f"var_export(verify('{request.secret}', "
            "json_decode(file_get_contents('server'), true), file_get_contents('body')));"
        )
        source = block.replace("<?php", f"<?php {clock}", 1) + call
        return run("php", source, tmp_path, request)

    verdicts(says, ours=True)


def kind_of(schema: JsonValue) -> str:
    """Return a field's type as written in the tables."""
    assert isinstance(schema, dict)
    if isinstance(several := schema.get("anyOf"), list):
        return " or ".join(map(kind_of, several))
    # A type defined elsewhere is an enumeration.
    return str(schema.get("type", "string"))


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.event)
def test_tables_of_events(entry: CatalogueEntry) -> None:
    """They match the published schema for each field, in the same order."""
    section = re.split(r"^#+ ", DOC.split(f"### {entry.event}\n")[1], flags=re.MULTILINE)[0]
    assert entry.description in " ".join(section.split())
    for link in re.findall(r"\((webhooks/[^)]+)\)", section):
        assert (ROOT / "docs" / link).is_file()

    properties = entry.body_schema["properties"]
    assert isinstance(properties, dict)
    data = properties["data"]
    assert isinstance(data, dict)
    fields = data["properties"]
    assert isinstance(fields, dict)
    rows = [
        f"| `{name}` | {kind_of(field)} | {field['description']} |"
        for name, field in fields.items()
        if isinstance(field, dict)
    ]
    assert re.findall(r"^\| `.*$", section, re.MULTILINE) == rows


def test_facts() -> None:
    """Numbers that the code contains too."""
    assert f"After {DISABLED_AT} failures" in DOC
    assert f"at {WARNED_AT[0]} and {WARNED_AT[1]}" in DOC
    for kind in FailureKind:
        assert f"`{kind.value}`" in DOC
    assert len(SCHEDULE) == 9
    assert "5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 hours" in " ".join(DOC.split())
    assert SIGNATURE_NEXT in DOC


def test_pages_show_the_same_code() -> None:
    assert [text for _, text in VERIFYING if text not in DOC] == []
    assert len(VERIFYING) == 5
