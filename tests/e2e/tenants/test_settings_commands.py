"""A client's settings on the command line."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from domain.tenants.client_settings import WIDGET_KEY
from tests.support.core.command_line import cli, cli_json, cli_process
from tests.support.core.postgres import PostgresServer

NOBODY = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


@dataclass(frozen=True)
class Installation:
    url: str
    client_id: str

    def settings(self, *arguments: str) -> dict[str, Any]:
        of = ("--client", self.client_id)
        return dict(cli_json("settings", *arguments, *of, DATABASE_URL=self.url))

    def refused(self, *arguments: str, client_id: str = "") -> str:
        of = ("--client", client_id or self.client_id)
        done = cli("settings", *arguments, *of, DATABASE_URL=self.url)
        assert (done.returncode, done.stdout) == (1, "")
        assert len(done.stderr.splitlines()) == 1
        return done.stderr


@pytest.fixture(scope="module")
def installed(postgres: PostgresServer) -> Iterator[Installation]:
    with postgres.database() as url:
        client = ("client", "create", "--brand", "B", "--owner-email", "o@b.example")
        yield Installation(url, cli_json(*client, DATABASE_URL=url)["client_id"])


def test_set_show_rotate(installed: Installation) -> None:
    made = installed.settings(
        "set", "--system-prompt", "Tutoyez.", "--display-name", "Été & Fils", "--color", "#AABBCC",
        "--retention", "conversations=90", "--retention", "churn=for-ever",
        "--authserv-id", "MX.b.example", "--authserv-id", "mx2.b.example",
    )  # fmt: skip
    assert made["system_prompt"] == "Tutoyez."
    assert made["branding"] == {"display_name": "Été & Fils", "logo_url": None, "color": "#aabbcc"}
    assert made["retention"] == {"conversations": 90, "churn": None}
    assert made["authserv_ids"] == ["mx.b.example", "mx2.b.example"]
    assert installed.settings("show") == made

    changed = installed.settings("set", "--color", "", "--retention", "churn=")
    assert changed["branding"] == {"display_name": "Été & Fils", "logo_url": None, "color": None}
    assert (changed["system_prompt"], changed["retention"]) == ("Tutoyez.", {"conversations": 90})
    assert changed["authserv_ids"] == made["authserv_ids"]
    assert installed.settings("set", "--system-prompt", "")["system_prompt"] is None
    assert installed.settings("set", "--authserv-id", "")["authserv_ids"] == []

    spoken = installed.settings(
        "set", "--sensitive-word", "rappel produit", "--sensitive-word", "amiante",
        "--acknowledgement", "fr=Nous vous lisons = vite.", "--acknowledgement", "en=We read you.",
    )  # fmt: skip
    assert spoken["sensitive_words"] == ["rappel produit", "amiante"]
    fewer = installed.settings("set", "--acknowledgement", "en=", "--sensitive-word", "plomb")
    assert fewer["sensitive_words"] == ["plomb"]
    assert fewer["acknowledgement"] == {"fr": "Nous vous lisons = vite."}
    assert installed.settings("set", "--sensitive-word", "")["sensitive_words"] == []
    framed = installed.settings("set", "--frame", "fr.greeting=Salut,", "--frame", "en.greeting=")
    assert framed["frame"] == {"fr": {"greeting": "Salut,"}}
    off = installed.settings(
        "set", "--disclosure", "fr=Une IA répond ici à tous.", "--disclosure-status", "not_covered"
    )
    assert (off["disclosure"], off["disclosure_status"]) == (
        {"fr": "Une IA répond ici à tous."}, "not_covered",
    )  # fmt: skip
    worded = installed.settings(
        "set", "--disclosure", "en=An AI answers you here.", "--disclosure-status", "on"
    )
    assert worded["disclosure"] == {
        "fr": "Une IA répond ici à tous.",
        "en": "An AI answers you here.",
    }

    key = installed.settings("rotate-widget-key")["widget_key"]
    assert re.fullmatch(WIDGET_KEY, key)
    shown = cli_process(
        "settings", "show", "--client", installed.client_id, DATABASE_URL=installed.url
    ).stdout
    for part in (
        key,
        "Été & Fils",
        "conversations=90",
        "Nous vous lisons = vite.",
        "Salut,",
        "An AI answers you here.",
    ):
        assert part in shown


def test_guidance(installed: Installation) -> None:
    styled = installed.settings(
        "set", "--tone", "Chaleureux.", "--do", "Tutoyez.", "--do", "Soyez bref.",
    )  # fmt: skip
    style = {"tone": "Chaleureux.", "do": ["Tutoyez.", "Soyez bref."], "dont": []}
    assert styled["guidance"] == style
    fewer = installed.settings("set", "--tone", "", "--do", "", "--dont", "Pas d'argot.")
    assert fewer["guidance"] == {"tone": "", "do": [], "dont": ["Pas d'argot."]}
    shown = cli_process(
        "settings", "show", "--client", installed.client_id, DATABASE_URL=installed.url
    ).stdout
    assert "Pas d'argot." in shown


def test_what_breaks_a_rule_is_named(installed: Installation) -> None:
    before = installed.settings("show")
    for arguments, named in (
        ((), "nothing to change"),
        (("--color", "red"), "branding.color"),
        (("--logo-url", "http://x.example"), "branding.logo_url"),
        (("--retention", "conversations=1"), "retention.conversations: a whole number"),
        (("--authserv-id", "a b"), "authserv_ids: at most 5"),
        (("--retention", "clients=90"), "no such class of records"),
        (("--retention", "clients="), "no such class of records"),
        (("--retention", "churn"), "CLASS=DAYS"),
        (("--retention", "churn=x"), "CLASS=DAYS"),
        (("--sensitive-word", "x" * 81), "sensitive_words: words of 1 to 80"),
        (("--acknowledgement", "Merci."), "LANGUAGE=TEXT"),
        (("--disclosure", "An AI."), "--disclosure LANGUAGE=TEXT"),
        (("--disclosure", "en=Our team."), "disclosure.en: the text must say"),
        (("--frame", "fr=Salut,"), "LANGUAGE.FIELD=TEXT"),
        (("--frame", "fr.named_greeting=Salut,"), "customer_name"),
        (("--tone", "x" * 301), "guidance.tone: at most 300"),
        (tuple(part for n in range(11) for part in ("--do", str(n))), "guidance.do: at most 10"),
        (("--acknowledgement", "de=Danke."), "acknowledgement: fr and en only"),
    ):
        assert named in installed.refused("set", *arguments), arguments
    assert "client_not_found" in installed.refused("show", client_id=NOBODY)
    assert "client_not_found" in installed.refused("set", "--color", "#000000", client_id=NOBODY)
    assert "client_not_found" in installed.refused("rotate-widget-key", client_id=NOBODY)
    assert json.dumps(installed.settings("show")) == json.dumps(before)
