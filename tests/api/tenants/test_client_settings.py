"""/api/dashboard/settings: permitted values, and unchanged fields."""

import re
from typing import Any

import pytest

from domain.tenants.client_settings import (
    MAX_DISPLAY_NAME,
    MAX_PROMPT,
    MAX_SENSITIVE_WORD,
    WIDGET_KEY,
)
from tests.support.content.content import SETTINGS
from tests.support.core.engine import LiveEngine
from tests.support.reviews.dashboard import code

NOTHING: dict[str, object] = {
    "system_prompt": None,
    "guidance": {"tone": "", "do": [], "dont": []},
    "branding": {"display_name": None, "logo_url": None, "color": None},
    "widget_key": None,
    "retention": {},
    "sensitive_words": [],
    "acknowledgement": {},
    "frame": {},
    "disclosure": {},
    "disclosure_status": "on",
    "authserv_ids": [],
    "ask_rating": False,
    "holds_loosening": True,
    "answers_from_knowledge": True,
    "answer_decision": 3,
    "updated_at": None,
}


async def read(front: LiveEngine, headers: dict[str, str]) -> dict[str, Any]:
    answer = await front.http.get(SETTINGS, headers=headers)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def change(front: LiveEngine, headers: dict[str, str], **body: object) -> dict[str, Any]:
    answer = await front.http.patch(SETTINGS, json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    changed: dict[str, Any] = answer.json()
    return changed


async def test_what_is_given_takes_its_place_and_the_rest_stays(
    front: LiveEngine, owner: dict[str, str]
) -> None:
    assert await read(front, owner) == NOTHING

    first = await change(front, owner, system_prompt=" Tutoyez. \n", branding={"color": "#AABBCC"})
    assert first["system_prompt"] == "Tutoyez."
    assert first["branding"] == {"display_name": None, "logo_url": None, "color": "#aabbcc"}
    assert first["updated_at"] is not None

    looks = {"display_name": "Été & Fils", "logo_url": "https://cdn.example.com/logo.svg?v=2"}
    second = await change(front, owner, branding=looks, system_prompt=None)
    assert second["branding"] == {**looks, "color": None}
    assert second["system_prompt"] == "Tutoyez."

    third = await change(front, owner, retention={"conversations": 90.0, "churn": None})
    assert third["retention"] == {"conversations": 90, "churn": None}
    assert await read(front, owner) == third

    words = await change(front, owner, sensitive_words=[" Rappel  produit ", "RAPPEL PRODUIT!"])
    assert words["sensitive_words"] == ["Rappel produit"]
    spoken = await change(front, owner, acknowledgement={"fr": " Nous vous lisons. ", "en": " "})
    assert spoken["acknowledgement"] == {"fr": "Nous vous lisons."}
    assert await read(front, owner) == {**third, **spoken}
    assert spoken["sensitive_words"] == ["Rappel produit"]

    servers = ["MX.Shop.example.", "mx.shop.example", "relay_1"]
    fourth = await change(front, owner, authserv_ids=servers)
    assert fourth["authserv_ids"] == ["mx.shop.example", "relay_1"]

    texts = {
        "named_greeting": " Salut  {{customer_name}}\n!",
        "greeting": "Bonjour,",
        "sign_off": " À vous,\n\nL'équipe {{ brand_name }} ",
    }
    framed = await change(front, owner, frame={"fr": texts, "en": {"greeting": " "}})
    kept = {
        "named_greeting": "Salut {{customer_name}} !",
        "sign_off": "À vous,\n\nL'équipe {{ brand_name }}",
    }
    assert framed["frame"] == {"fr": kept}

    guidance = {"tone": " Chaleureux\net bref ", "do": ["Tutoyez.", "Tutoyez. "]}
    styled = await change(front, owner, guidance=guidance)
    style = {"tone": "Chaleureux et bref", "do": ["Tutoyez."], "dont": []}
    assert styled["guidance"] == style
    styled = await change(front, owner, guidance={"dont": ["Pas d'argot."]})
    assert styled["guidance"] == {"tone": "", "do": [], "dont": ["Pas d'argot."]}

    nothing: dict[str, object] = {"branding": {}, "retention": {}, "authserv_ids": []}
    off = {
        "disclosure": {"fr": " Une IA répond ici à tous. ", "en": ""},
        "disclosure_status": "not_covered",
    }
    undisclosed = await change(front, owner, **off)
    assert undisclosed["disclosure"] == {"fr": "Une IA répond ici à tous."}
    assert undisclosed["disclosure_status"] == "not_covered"

    nothing |= {"sensitive_words": [], "acknowledgement": {}, "frame": {}, "disclosure": {}}
    nothing |= {"disclosure_status": "on", "guidance": {}}
    last = await change(front, owner, system_prompt="", **nothing)
    assert last == {**NOTHING, "updated_at": last["updated_at"]}


async def test_a_name_becomes_one_line(front: LiveEngine, owner: dict[str, str]) -> None:
    name = "Boutique\r\nBcc: eve@evil.example\u202e"
    changed = await change(front, owner, branding={"display_name": name})
    assert changed["branding"]["display_name"] == "Boutique Bcc: eve@evil.example"


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"system_prompt": "x" * (MAX_PROMPT + 1)}, "system_prompt : 8000"),
        ({"branding": {"display_name": "x" * (MAX_DISPLAY_NAME + 1)}}, "branding.display_name"),
        ({"branding": {"logo_url": "http://cdn.example.com/a.png"}}, "branding.logo_url"),
        ({"branding": {"logo_url": "javascript:alert(1)"}}, "branding.logo_url"),
        ({"branding": {"logo_url": 'https://a.example/"onload="x'}}, "branding.logo_url"),
        ({"branding": {"logo_url": "https://u:p@a.example/x"}}, "branding.logo_url"),
        ({"branding": {"logo_url": "https://a.example/" + "x" * 2_000}}, "branding.logo_url"),
        ({"branding": {"color": "red;background:url(x)"}}, "branding.color"),
        ({"branding": {"color": "#12345"}}, "branding.color"),
        ({"branding": {"color": ""}}, "branding.color"),
        ({"branding": {"logo_url": ""}}, "branding.logo_url"),
        ({"retention": {"conversations": 89}}, "retention"),
        ({"retention": {"conversations": 36_501}}, "retention"),
        ({"retention": {"clients": 90}}, "retention"),
        ({"sensitive_words": ["x" * (MAX_SENSITIVE_WORD + 1)]}, "sensitive_words"),
        ({"sensitive_words": ["  "]}, "sensitive_words"),
        ({"disclosure": {"fr": "Merci."}}, "disclosure.fr"),
        ({"disclosure": {"de": "KI"}}, "disclosure"),
        ({"sensitive_words": ["?!"]}, "sensitive_words"),
        ({"sensitive_words": [f"w{n}" for n in range(101)]}, "sensitive_words : 100"),
        ({"guidance": {"tone": "x" * 301}}, "guidance.tone : 300"),
        ({"guidance": {"do": [" "]}}, "guidance.do : des règles de 1 à 300"),
        ({"guidance": {"dont": [f"r{n}" for n in range(11)]}}, "guidance.dont : 10"),
        ({"acknowledgement": {"de": "Danke."}}, "acknowledgement"),
        ({"acknowledgement": {"fr": "x" * 1_001}}, "acknowledgement.fr : 1000"),
        ({"frame": {"de": {"greeting": "Hallo,"}}}, "frame : fr"),
        ({"frame": {"fr": {"farewell": "Adieu"}}}, "frame.fr.farewell"),
        ({"frame": {"en": {"greeting": "x" * 201}}}, "frame.en.greeting : 200"),
        ({"frame": {"en": {"sign_off": "x" * 501}}}, "frame.en.sign_off : 500"),
        ({"frame": {"en": {"greeting": "Hi {{ customer_name }},"}}}, "frame.en.greeting"),
        ({"frame": {"en": {"named_greeting": "Hi,"}}}, "customer_name"),
        ({"frame": {"en": {"named_greeting": "{{ customer_name }} {{ x }}"}}}, "aucun champ"),
        ({"frame": {"en": {"sign_off": "{{ brand_name | us }}"}}}, "aucun champ"),
        ({"frame": {"en": {"sign_off": "{% if %}"}}}, "aucun champ"),
        ({"authserv_ids": [f"mx{number}.example" for number in range(6)]}, "authserv_ids : au"),
        ({"authserv_ids": ["mx.example; dmarc=pass"]}, "authserv_ids"),
        ({"authserv_ids": ["mx.example"] * 6}, "authserv_ids"),
        ({"authserv_ids": [""]}, "authserv_ids"),
        ({"authserv_ids": ["x" * 254]}, "authserv_ids"),
    ],
)
async def test_what_breaks_a_rule_is_named(
    front: LiveEngine, owner: dict[str, str], wrong: dict[str, object], named: str
) -> None:
    answer = await front.http.patch(SETTINGS, json=wrong, headers=owner)
    assert code(answer) == (400, "invalid_settings")
    assert named in answer.json()["error"]
    assert await read(front, owner) == NOTHING


@pytest.mark.parametrize(
    "wrong",
    [
        {}, {"widget_key": "wk_1"}, {"system_prompt": 1}, {"branding": {"font": "x"}},
        {"branding": []}, {"retention": {"conversations": "90"}}, {"retention": {"churn": 30.5}},
        {"retention": {"churn": True}}, {"sensitive_words": "police"}, {"sensitive_words": [1]},
        {"acknowledgement": ["Merci."]}, {"acknowledgement": {"fr": None}},
        {"frame": "Bonjour,"}, {"frame": {"fr": "Bonjour,"}}, {"frame": {"fr": {"greeting": 1}}},
        {"authserv_ids": "mx.example"}, {"authserv_ids": [1]}, {"guidance": "Tutoyez."},
        {"guidance": {"tone": 1}}, {"guidance": {"do": "Tutoyez."}}, {"guidance": {"style": "x"}},
    ],
)  # fmt: skip
async def test_what_has_another_shape_is_refused(
    front: LiveEngine, owner: dict[str, str], wrong: dict[str, object]
) -> None:
    answer = await front.http.patch(SETTINGS, json=wrong, headers=owner)
    assert code(answer) == (400, "invalid_body")
    assert await read(front, owner) == NOTHING


async def test_widget_key(front: LiveEngine, owner: dict[str, str]) -> None:
    await change(front, owner, system_prompt="Tutoyez.")
    keys = []
    for _ in range(2):
        answer = await front.http.post(SETTINGS + "/widget-key", headers=owner)
        assert answer.status_code == 200
        keys.append(answer.json()["widget_key"])
        assert re.fullmatch(WIDGET_KEY, keys[-1])
    assert keys[0] != keys[1]
    now = await read(front, owner)
    assert (now["widget_key"], now["system_prompt"]) == (keys[1], "Tutoyez.")
