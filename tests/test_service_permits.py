"""Which code issues the permit for emails under the service's own sender."""

import ast
from pathlib import Path
from typing import Final

from domain.integrations.service_mail import LIMITS, ServiceMail

ROOT: Final = Path(__file__).parent.parent
ROOMS: Final = (
    "activities", "adapters", "api", "commands", "demo", "domain", "embedded", "services", "store",
    "workers", "workflows",
)  # fmt: skip
ISSUERS: Final = {
    "activities/integrations/client_mail.py": "an address that has written in",
    "activities/integrations/mail_limiter.py": "a service mail within its limits",
}


def _issues(path: Path) -> bool:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return any(
        isinstance(node, ast.Call) and getattr(node.func, "id", "") == "ServicePermit"
        for node in ast.walk(tree)
    )


def test_only_these_issue_a_permit() -> None:
    found = {
        path.relative_to(ROOT).as_posix()
        for room in ROOMS
        for path in (ROOT / room).rglob("*.py")
        if _issues(path)
    }
    assert found == set(ISSUERS)


def test_every_service_mail_has_a_limit() -> None:
    assert set(LIMITS) == set(ServiceMail)
