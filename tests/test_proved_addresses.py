"""Which code creates a verified address, and which code names the API's client."""

import ast
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import pytest

ROOT: Final = Path(__file__).parent.parent
ROOMS: Final = (
    "activities", "adapters", "api", "commands", "demo", "domain", "embedded", "scripts",
    "services", "settings", "store", "workers", "workflows",
)  # fmt: skip
TYPE: Final = "ProvedAddress"
MAKERS: Final = {
    "activities/intake/code_entry.py": "a code that was mailed to the address",
    "domain/intake/normalization.py": "the caller's word, the platform's or the mail's",
    "domain/intake/event.py": "events stored before the type existed",
}
STATED: Final = "customer_verified"
STATES: Final = {
    "domain/inbound/author_proof.py": "by the descriptor of the provider",
    "domain/inbound/mail.py": "an authenticated mail",
    "domain/inbound/platforms/prestashop.py": "the shop's module: signed in, address confirmed",
    "domain/inbound/mapping.py": "the merchant's own system, by its mapping",
    "domain/intake/proved_address.py": "false, for callers whose word proves nothing",
    "api/dashboard/scenario_form.py": "simulations, which have no effects",
    "api/dashboard/routers/simulation/simulator_pages.py": "the same",
    "domain/simulation/made_up.py": "the same",
    "demo/history/events.py": "records of the demo shop's sample history, which no run processes",
    "domain/widget/visit.py": "a signature or a code of the widget",
}
"""Modules that write the payload field with which an event carries a proof to the normalizer."""
TENANT_MAKERS: Final = {
    "api/access.py": "a member of the client, by a session",
    "api/auth.py": "a key's client, or the engine secret's choice",
    "api/widget_access.py": "a key's client",
    "api/routers/identity/authorize.py": "a client of the person who signs in",
    "api/dashboard/page.py": "the same",
    "api/dashboard/post.py": "the same",
    "api/dashboard/typed.py": "the same",
    "api/dashboard/routers/dashboard/me_page.py": "the client that a person leaves",
    "api/dashboard/routers/reviews/unsubscribe_page.py": "the client that a signed link names",
    "api/dashboard/routers/ratings/rate.py": "the client whose answer a signed link names",
}


class Does(NamedTuple):
    """The relevant behavior of a module, from its syntax tree."""

    proves: bool
    states: bool
    names_client: bool


@cache
def _modules() -> dict[str, Does]:
    """Return every product module by its path, each parsed once for all tests."""
    read = {}
    for room in ROOMS:
        for path in (ROOT / room).rglob("*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            read[path.relative_to(ROOT).as_posix()] = Does(
                _makes(tree), _states(tree), _makes(tree, "TenantId")
            )
    return read


def _makes(tree: ast.Module, made: str = TYPE) -> bool:
    """Return whether it calls the type or a factory method of it, under any name."""
    names = {made} | {
        alias.asname
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name == made and alias.asname
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if isinstance(called, ast.Attribute):
            called = called.value if called.attr.startswith("model_") else called
        name = called.id if isinstance(called, ast.Name) else getattr(called, "attr", None)
        if name in names:
            return True
    return False


def _states(tree: ast.Module) -> bool:
    """Return whether it writes the payload field: as a dict key, an assignment or a keyword."""

    def is_field(node: ast.AST | None) -> bool:
        return (isinstance(node, ast.Constant) and node.value == STATED) or (
            isinstance(node, ast.Name) and node.id == "CUSTOMER_VERIFIED"
        )

    for node in ast.walk(tree):
        if isinstance(node, ast.Dict) and any(map(is_field, node.keys)):
            return True
        if isinstance(node, ast.keyword) and node.arg == STATED:
            return True
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Subscript) and is_field(target.slice) for target in node.targets
        ):
            return True
    return False


def test_only_these_modules_make_a_proved_address() -> None:
    assert {path for path, does in _modules().items() if does.proves} == MAKERS.keys()


def test_only_these_modules_state_that_a_customer_is_proved() -> None:
    assert {path for path, does in _modules().items() if does.states} == STATES.keys()


def test_only_these_modules_of_the_api_name_the_client() -> None:
    makers = {path for path, does in _modules().items() if does.names_client}
    assert {path for path in makers if path.startswith("api/")} == TENANT_MAKERS.keys()


@pytest.mark.parametrize(
    "made",
    [
        "ProvedAddress(address=a, by=b)",
        "ProvedAddress.model_construct(address=a)",
        "proved_address.ProvedAddress(address=a, by=b)",
        "from domain.intake.proved_address import ProvedAddress as P\nP(address=a, by=b)",
        "ProvedAddress.model_validate(x)",
    ],
)
def test_every_way_to_make_one_is_seen(made: str) -> None:
    assert _makes(ast.parse(made))


@pytest.mark.parametrize(
    "stated",
    [
        "payload['customer_verified'] = True",
        "{'customer_verified': True}",
        "dict(customer_verified=True)",
        "payload.update(customer_verified=True)",
    ],
)
def test_every_way_to_state_it_is_seen(stated: str) -> None:
    assert _states(ast.parse(stated))
