"""A helpdesk without escaping: a customer's text never changes the author."""

import json
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from domain.inbound.errors import WebhookUnreadable
from domain.inbound.helpdesk_form import filled_form
from tests.support.inbound.helpdesk_webhooks import helpdesk_form

DECIDING = {
    "event": "message",
    "ticket_id": "35436",
    "from_agent": "false",
    "author_email": "eve@example.com",
    "customer_email": "eve@example.com",
}
WRITTEN = ("subject", "message", "customer_name")
"""The customer's own text."""
WHOLE = (
    *("event", "ticket_id", "subject", "message"),
    *("from_agent", "author_email", "customer_email", "customer_name"),
)

NAMES = st.sampled_from([*DECIDING, *WRITTEN, "external_id", "public", "author\\u005femail"])
VALUES = st.sampled_from(["victim@example.com", "true", "status", "1", "x", "", "\\"])
PAIRS = st.builds(lambda name, value: f'","{name}":"{value}', NAMES, VALUES)
PIECES = st.sampled_from(
    ['"', ",", ":", "{", "}", "[", "]", "\\", '","z":{"y":"', '"},"w":"', '","z":[{"y":"', '"}],"']
)
WORDS = st.lists(PAIRS | PIECES | st.text(max_size=3), max_size=6).map("".join)


def filled(names: Sequence[str], words: Mapping[str, str]) -> bytes:
    """Return the template with its placeholders replaced by the unescaped text."""
    values = {**DECIDING, **words}
    return ("{" + ",".join(f'"{name}":"{values.get(name, "")}"' for name in names) + "}").encode()


NESTED = {
    "subject": "",
    "message": 'Hi","author_email":"victim@example.com","from_agent":"false",'
    '"customer_email":"victim@example.com","z":{"y":"',
    "customer_name": 'Eve"},"customer_name":"Eve',
}


@pytest.mark.parametrize(("opens", "closes"), [('{"y":"', '"}'), ('[{"y":"', '"}]')])
def test_the_template_s_names_are_moved_into_an_inner_object(opens: str, closes: str) -> None:
    """No name then occurs twice in the outer object, and all names in the inner one are the
    customer's."""
    words = {
        "message": NESTED["message"].replace('{"y":"', opens),
        "customer_name": NESTED["customer_name"].replace('"}', closes),
    }
    body = filled(WHOLE, words)
    assert json.loads(body)["author_email"] == "victim@example.com"

    with pytest.raises(WebhookUnreadable, match="nested"):
        filled_form(body)


@pytest.mark.parametrize("absent", ["from_agent", "author_email", "customer_email"])
def test_a_template_without_a_name_that_says_who_wrote(absent: str) -> None:
    """The text could add the name undetected."""
    names = [name for name in WHOLE if name != absent]
    with pytest.raises(WebhookUnreadable, match="name_missing"):
        filled_form(filled(names, {}))


@given(
    names=st.permutations(WHOLE),
    words=st.fixed_dictionaries(dict.fromkeys(WRITTEN, WORDS)),
)
@example(names=list(WHOLE), words=NESTED)
@settings(max_examples=500)
def test_whatever_the_words_are_who_wrote_stays(names: list[str], words: dict[str, str]) -> None:
    try:
        form = filled_form(filled(names, words))
    except WebhookUnreadable:
        return
    assert form.from_agent is False
    assert {name: getattr(form, name) for name in DECIDING if name != "from_agent"} == {
        name: value for name, value in DECIDING.items() if name != "from_agent"
    }


@given(st.fixed_dictionaries({name: WORDS | st.text() for name in WRITTEN}))
def test_a_helpdesk_that_escapes_may_pass_any_words_on(words: dict[str, str]) -> None:
    form = filled_form(json.dumps(helpdesk_form(**words)).encode())

    assert (form.message or "").strip() == words["message"].replace("\0", "").strip()
    assert form.author_email == "lea@example.com"
