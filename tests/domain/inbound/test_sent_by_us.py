"""Own messages: recognized by ids, keys and text, never by the author's address alone."""

from datetime import UTC, datetime, timedelta
from time import thread_time

from hypothesis import given
from hypothesis import strategies as st

from adapters.connectors.helpdesk import html_body
from adapters.connectors.said_before import SaidMessage, said_before
from domain.inbound.meaning import StaffMessage
from domain.inbound.sent_by_us import (
    IN_FLIGHT,
    AgentMessage,
    Authorship,
    authorship,
    own_author,
    says_the_same,
)
from domain.integrations.providers import Provider
from tests.support.core.each import each

NOW = datetime(2026, 11, 23, 16, 0, tzinfo=UTC)
AGENT = "agent@acme.example"
WORDS = "Bonjour, votre colis part demain."
SENT = AgentMessage("77", frozenset({"key"}), WORDS, NOW - timedelta(hours=1), is_settled=True)
UNDER_WAY = AgentMessage(None, frozenset({"key"}), WORDS, NOW, is_settled=False)
DISCLOSED = AgentMessage(
    None, frozenset({"key"}), f"{WORDS}\n\nUne IA vous répond.", NOW, is_settled=True, bare=WORDS
)
LOST = AgentMessage(None, frozenset({"key"}), WORDS, NOW - IN_FLIGHT, is_settled=False)


def _said(
    text: str = "autre chose", *, by: str | None = AGENT, key: str | None = None, number: str = "1"
) -> StaffMessage:
    return StaffMessage("5", number, is_public=True, by=by, key=key, text=text)


@each(
    [
        ("by its id", _said(number="77", by="ann@acme.example"), [SENT], Authorship.OURS),
        ("by the key", _said(key="key", by=None), [UNDER_WAY], Authorship.OURS),
        ("by account and words", _said(f"<p>{WORDS}</p>"), [SENT], Authorship.OURS),
        ("with a name before them", _said(f"Support : {WORDS}"), [SENT], Authorship.OURS),
        ("without the disclosure that came later", _said(WORDS), [DISCLOSED], Authorship.OURS),
        ("neither with nor without it", _said(), [DISCLOSED], Authorship.PEOPLE),
        ("before the ledger has the id", _said(WORDS), [UNDER_WAY], Authorship.OURS),
        ("under our account alone", _said(), [SENT], Authorship.PEOPLE),
        (
            "our words under another account",
            _said(WORDS, by="ann@a.example"),
            [SENT],
            Authorship.PEOPLE,
        ),
        ("words of an answer before the last", _said("Ancienne."), [SENT, LOST], Authorship.PEOPLE),
        ("perhaps ours", _said(), [UNDER_WAY, SENT], Authorship.UNDECIDED),
        ("perhaps ours, by nobody knows whom", _said(by=None), [UNDER_WAY], Authorship.UNDECIDED),
        ("surely another's", _said(by="ann@acme.example"), [UNDER_WAY], Authorship.PEOPLE),
        ("waited for long enough", _said(), [LOST], Authorship.PEOPLE),
        ("nothing of ours", _said(WORDS), [], Authorship.PEOPLE),
        ("no key is no key", _said(by=None), [SENT], Authorship.PEOPLE),
    ]
)
def test_who_wrote_it(
    what: str, message: StaffMessage, written: list[AgentMessage], expected: Authorship
) -> None:
    assert authorship(message, written, AGENT, NOW) is expected, what


def test_whose_account_the_agent_s_is() -> None:
    settings = {"email": AGENT, "admin_id": "991"}
    assert own_author(Provider.INTERCOM, settings) == "991"
    assert own_author(Provider.ZENDESK, settings) == AGENT
    # The address in Gorgias' settings is the shop's, and human agents use it too.
    assert own_author(Provider.GORGIAS, settings) is None


@given(st.text(min_size=1).filter(str.strip))
def test_our_words_come_back_as_html(text: str) -> None:
    assert says_the_same(html_body(text), text)


def test_words_that_are_none() -> None:
    assert not says_the_same("", "")
    assert says_the_same("<p>👍</p>", "👍")
    assert not says_the_same("a" * 300_000, "a" * 300_000)
    # A short answer at the end of a human's message is not sufficient.
    assert not says_the_same("Je pense que oui", "oui", after_head=True)


def test_a_message_of_combining_marks_is_compared_in_linear_time() -> None:
    # Python needs 10 s to normalize this text, because it sorts the marks in quadratic time.
    marks = "\u0315\u0327" * 50_000
    started = thread_time()

    assert authorship(_said(marks), [SENT], AGENT, NOW) is Authorship.PEOPLE
    assert authorship(_said(by=f"a{marks}"), [SENT], AGENT, NOW) is Authorship.PEOPLE
    assert says_the_same(marks, marks)
    assert thread_time() - started < 2


def test_a_message_of_character_references_is_not_decoded() -> None:
    """Decoding 64 KB of references takes 40 ms, and a ticket has many messages."""
    messages = [SaidMessage(str(n), "&amp;" * 12_800, is_ours=True) for n in range(40)]
    started = thread_time()

    assert said_before(messages, WORDS * 4, WORDS) is None
    assert thread_time() - started < 1
    assert says_the_same("&amp;" * 300 + "&nbsp;", "&" * 300)
