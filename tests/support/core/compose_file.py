"""docker-compose.yml and .env.example, as Compose parses them."""

import re
from collections.abc import Hashable, Mapping
from typing import Any, Final, cast

import yaml

from adapters.identity.session_key import new_session_key
from adapters.seal import new_seal_key
from tests.support.core.forks import ROOT

OUR_IMAGE: Final = "support-engine"
VARIABLE: Final = re.compile(r"(?<!\$)\$\{([A-Z_]+)(?:(:?)([?-])([^}]*))?\}")

Service = Mapping[str, object]


class Strict(yaml.SafeLoader):
    """A loader that rejects duplicate keys, as Temporal and Docker Compose do. PyYAML's loaders use
    the last of them."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        keys = [key.value for key, _ in node.value if key.value != "<<"]
        assert len(keys) == len({*keys}), f"a key twice: {keys}"
        return super().construct_mapping(node, deep=deep)


def read_yaml(text: str) -> Any:
    return yaml.load(text, Strict)  # noqa: S506 - the loader is safe


def compose_text() -> str:
    return (ROOT / "docker-compose.yml").read_text()


def services() -> dict[str, Service]:
    document: dict[str, dict[str, Service]] = read_yaml(compose_text())
    return document["services"]


def ours() -> dict[str, Service]:
    return {n: s for n, s in services().items() if str(s["image"]).startswith(f"{OUR_IMAGE}:")}


def environment(service: Service) -> dict[str, str]:
    return cast("dict[str, str]", service.get("environment", {}))


def words(service: Service, field: str = "command") -> list[str]:
    found = service.get(field)
    assert isinstance(found, list), f"{field}: a list of words, so that no shell is needed"
    return [str(word) for word in found]


def interpolated(text: str, values: Mapping[str, str]) -> str:
    """Return the value that Compose substitutes for `${NAME:-default}`, `${NAME:?message}` and
    `${NAME?message}`."""

    def value(match: re.Match[str]) -> str:
        name, also_if_blank, kind, rest = match.groups()
        if values.get(name) or (name in values and not also_if_blank):
            return values[name]
        if kind != "-":
            raise LookupError(f"{name}: {rest}")
        return str(rest)

    return VARIABLE.sub(value, text)


def example_names() -> list[str]:
    """Return the variables in `.env.example`, including those that are commented out."""
    lines = (ROOT / ".env.example").read_text().splitlines()
    found = (re.match(r"(?:# )?([A-Z][A-Z_]+)=", line) for line in lines)
    return [match[1] for match in found if match]


def example_values() -> dict[str, str]:
    """Return the values after a new user has filled in the required ones. `SESSION_KEY` is
    commented out in the file, so that users do not leave it blank by mistake."""
    formed = {
        "SEAL_KEY": new_seal_key(),
        "SESSION_KEY": new_session_key(),
        "SMTP_URL": "smtps://user:hunter2@mail.example:465",
        "PUBLIC_URL": "https://engine.example",
    }
    return {name: formed.get(name, "hunter2") for name in [*unfilled_names(), "SESSION_KEY"]}


def unfilled_names() -> list[str]:
    """Return the variables that `.env.example` leaves empty."""
    lines = (ROOT / ".env.example").read_text().splitlines()
    return [line.removesuffix("=") for line in lines if re.fullmatch(r"[A-Z_]+=", line)]
