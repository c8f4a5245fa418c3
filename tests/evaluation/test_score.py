"""The figures of a small made-up case, and the resulting exit code."""

import io
from collections.abc import Callable

import pytest
from rich.console import Console

import evaluation.__main__ as command
from domain.agent.brain import BrainAnswer, BrainRequest, Category
from domain.core.errors import EngineUnavailable, InvalidInput
from evaluation.aims import aims
from evaluation.contestant import Contestant, configured, of_provider
from evaluation.figure import HandFigure, Hit
from evaluation.judgement import Answered, ScoredMessage, judge_all
from evaluation.message import LabelledMessage, MessageKind, Tone, read_messages
from evaluation.score import Share, calibration_error, score, together
from evaluation.sealing import BrokenSet, LabelledSet
from tests.support.agent.llm_brain import said
from tests.support.servers.llm import KEY, llm_server

REFUND = LabelledMessage(
    "fr", Category.REFUND_REQUEST, Tone.NEGATIVE, MessageKind.PLAIN, "Remboursez-moi !"
)
THANKS = LabelledMessage("en", Category.OTHER, Tone.POSITIVE, MessageKind.SMS, "ty so much")
BY_TEXT = {message.request.text: message for message in read_messages()}
ORDER = LabelledMessage(
    "en", Category.ORDER_STATUS, Tone.NEUTRAL, MessageKind.PLAIN, "Where is my order?"
)


def _answer(
    category: Category, *, confidence: float = 1, language: str = "en", sentiment: float = 0
) -> BrainAnswer:
    return BrainAnswer(
        classification=category,
        confidence=confidence,
        language=language,
        sentiment=sentiment,
        model="made up",
        tokens_in=10,
        tokens_out=5,
        cost_micros=7,
    )


def _judged(message: LabelledMessage, answer: BrainAnswer, *, ms: float = 1) -> ScoredMessage:
    return ScoredMessage(message, ms / 1_000, Answered(answer, answer.confidence))


class _Scripted:
    """A brain whose answers are a function of the text; it fails for None."""

    def __init__(self, answers: Callable[[str], BrainAnswer | None]) -> None:
        self._answers = answers

    async def think(self, request: BrainRequest) -> BrainAnswer:
        answer = self._answers(request.text)
        if answer is None:
            raise EngineUnavailable("no answer")
        return answer


def _right_brain(text: str) -> BrainAnswer:
    message = BY_TEXT[text]
    feeling = {Tone.NEGATIVE: -0.2, Tone.NEUTRAL: 0.19, Tone.POSITIVE: 0.2}[message.tone]
    return _answer(message.category, language=message.language, sentiment=feeling)


def _wrong_brain(text: str) -> BrainAnswer:
    right = _right_brain(text)
    wrong = next(category for category in Category if category is not right.classification)
    return right.model_copy(update={"classification": wrong})


def test_the_figures_of_three_messages_and_a_failure() -> None:
    reached = score(
        [
            _judged(REFUND, _answer(Category.REFUND_REQUEST, language="fr", sentiment=-0.2), ms=1),
            _judged(THANKS, _answer(Category.COMPLAINT, confidence=0.5, sentiment=0.1), ms=2),
            _judged(ORDER, _answer(Category.ORDER_STATUS, confidence=0.6), ms=3),
            ScoredMessage(ORDER, 0.004, answered=None, error_code="engine_unavailable"),
        ]
    )

    assert together(reached.accuracy.values()) == Share(right=2, total=4)
    assert reached.accuracy["en", Category.ORDER_STATUS] == Share(right=1, total=2)
    assert reached.accuracy["fr", Category.ORDER_STATUS].value == 0
    assert reached.kinds[MessageKind.PLAIN] == Share(right=2, total=3)
    assert reached.confusion == {
        (Category.REFUND_REQUEST, Category.REFUND_REQUEST): 1,
        (Category.OTHER, Category.COMPLAINT): 1,
        (Category.ORDER_STATUS, Category.ORDER_STATUS): 1,
    }
    assert reached.calibration_error == pytest.approx((0 + 0.5 + 0.4) / 3)
    assert reached.tones["fr", Tone.NEGATIVE] == Share(right=1, total=1)
    assert reached.tones["en", Tone.POSITIVE] == Share(right=0, total=1)
    assert reached.tones["en", Tone.NEUTRAL] == Share(right=1, total=2)
    assert reached.languages == {"fr": Share(1, 1), "en": Share(2, 3)}
    assert [reached.median_ms, reached.p95_ms] == pytest.approx([2.5, 4])
    assert (reached.tokens, reached.cost_micros) == (45, 21)
    assert reached.failures == {"engine_unavailable": 1}


@pytest.mark.parametrize(
    ("sentiment", "tone"),
    [
        (-1, Tone.NEGATIVE),
        (-0.2, Tone.NEGATIVE),
        (-0.19, Tone.NEUTRAL),
        (0.19, Tone.NEUTRAL),
        (0.2, Tone.POSITIVE),
    ],
)
def test_where_a_tone_begins(sentiment: float, tone: Tone) -> None:
    assert Answered(_answer(Category.OTHER, sentiment=sentiment), 1).tone is tone


def test_calibration_error_of_known_cases() -> None:
    assert calibration_error([]) == 0
    assert calibration_error([(1, True), (1, True)]) == 0
    assert calibration_error([(1, True), (1, False)]) == pytest.approx(0.5)
    # Within one bin, a positive and a negative error cancel out; in two bins they do not.
    assert calibration_error([(0.72, True), (0.78, False)]) == pytest.approx(0.25)
    assert calibration_error([(0.2, True), (0.8, False)]) == pytest.approx(0.8)


def test_nothing_is_no_score() -> None:
    with pytest.raises(ValueError, match="no messages"):
        score([])


async def test_a_message_that_fails_is_counted_and_the_others_go_on() -> None:
    other = _answer(Category.OTHER)
    brain = _Scripted(lambda text: None if text == REFUND.text else other)

    judged = await judge_all(of_provider("made up", brain), [REFUND, THANKS])

    assert [one.message for one in judged] == [REFUND, THANKS]
    assert [one.error_code for one in judged] == ["engine_unavailable", None]
    assert [one.category_right for one in judged] == [False, True]
    assert not judged[0].language_right
    assert not judged[0].tone_right


def _withstood(*, broken: int = 0) -> HandFigure:
    hits = LabelledSet(tuple(Hit(f"attempt-{place}", place < broken) for place in range(60)))
    return HandFigure("injections", "forbidden action", hits, most=0)


async def test_an_aim_missed_or_an_attack_that_worked_is_told() -> None:
    console = Console(file=io.StringIO(), width=100)
    right = of_provider("right", _Scripted(_right_brain))
    messages = read_messages()[::20]

    assert await command.evaluate(right, messages, [_withstood()], console)
    assert not await command.evaluate(right, messages, [_withstood(broken=1)], console)
    assert "1/60 open" in console.file.getvalue()  # type: ignore[attr-defined]


def test_a_shipped_model_has_aims_of_speed_and_size_too() -> None:
    quick, slow = (
        score([_judged(ORDER, _answer(Category.ORDER_STATUS), ms=ms)]) for ms in (4.9, 5.1)
    )
    brain = _Scripted(_right_brain)

    def missed(size: int | None, *, of_slow: bool) -> list[str]:
        contestant = Contestant("made up", brain, lambda *_: 1, 1, size)
        reached = aims(contestant, slow if of_slow else quick, ())
        return [aim.text.split()[0] for aim in reached if not aim.met and "sent" not in aim.text]

    assert missed(4_999_999, of_slow=False) == []
    assert missed(5_000_000, of_slow=True) == ["a", "model"]
    assert missed(None, of_slow=True) == []


@pytest.mark.parametrize(
    ("brain", "broken", "code"), [(_right_brain, 0, 0), (_wrong_brain, 0, 1), (_right_brain, 1, 1)]
)
def test_a_missed_aim_is_the_exit_code(
    brain: Callable[[str], BrainAnswer],
    broken: int,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(command, "configured", lambda: of_provider("made up", _Scripted(brain)))
    console = Console(file=io.StringIO(), width=200)
    monkeypatch.setattr(command, "out", console)
    monkeypatch.setattr("sys.argv", ["evaluation", "--misses"])

    async def figures(*_: object) -> tuple[HandFigure, ...]:
        return (_withstood(broken=broken),)

    # The scripted brain knows only the messages' answers.
    monkeypatch.setattr(command, "figures_of", figures)

    with pytest.raises(SystemExit) as ended:
        command.main()

    assert ended.value.code == code
    told = console.file.getvalue()  # type: ignore[attr-defined]
    assert ("attempt-0" in told) == bool(broken)


def test_a_set_that_was_touched_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def touched() -> None:
        raise BrokenSet("safety.yaml: the file does not match sealed.sha256")

    monkeypatch.setattr(command, "configured", lambda: of_provider("x", _Scripted(_right_brain)))
    monkeypatch.setattr(command, "read_hand_sets", touched)
    monkeypatch.setattr("sys.argv", ["evaluation"])

    with pytest.raises(SystemExit, match=r"error: safety\.yaml"):
        command.main()


def test_the_brain_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_MODEL", "unheard:of")
    with pytest.raises(InvalidInput, match="BRAIN_MODEL"):
        configured()
    monkeypatch.setenv("BRAIN_MODEL", "")
    assert configured().name == "embedded"


async def test_a_providers_model_is_scored_through_the_same_port(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Over HTTP: a server with the provider's protocol is called, and its cost is counted."""
    async with llm_server() as server:
        server.script = [said()]
        monkeypatch.setenv("BRAIN_MODEL", "openai:gpt-5-mini")
        monkeypatch.setenv("BRAIN_BASE_URL", server.openai_url)
        monkeypatch.setenv("BRAIN_API_KEY", KEY)
        scored = configured()

        judgements = await judge_all(scored, read_messages()[:4])

    assert (scored.name, scored.model_bytes) == ("openai:gpt-5-mini", None)
    assert len(judgements) == 4
    assert all(judgement.error_code is None for judgement in judgements)
