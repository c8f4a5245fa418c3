"""Plan the demo shop's last thirty days: the customers, the times and the outcomes.

The plan is a pure function of the current time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, time, timedelta
from random import Random
from typing import Final

from demo.history.catalogue import HistoryWords, TopicWords, catalogue
from demo.history.topics import PRICES, TOPICS, SampleOutcome, SampleTopic
from domain.agent.brain import Language
from domain.core.text import UnicodeForm, normalized
from domain.intake.event import Channel

DAYS: Final = 30
"""The number of full days before today that have a history."""

_SEED: Final = "maison-lavande"
# The mean number of conversations per weekday and per weekend day.
_WEEKDAY: Final = 15.0
_WEEKEND: Final = 9.0
# The weights of the UTC hours from 6 to 21 in which customers write.
_HOURS: Final = (2, 4, 7, 9, 10, 9, 7, 6, 8, 8, 7, 7, 8, 9, 8, 5)
_FIRST_HOUR: Final = 6
_CHANNELS: Final = {Channel.SHOP: 30, Channel.EMAIL: 32, Channel.WIDGET: 26, Channel.HELPDESK: 12}
_FRENCH: Final = 0.7
_RETURNS: Final = 0.5
# The minimum time between a customer's conversations. A customer who writes again sooner would
# continue the earlier conversation.
_APART: Final = timedelta(days=4)
_OPEN_FOR: Final = timedelta(hours=40)
_FEWEST_OPEN: Final = 3
_MOST_OPEN: Final = 6
_JUST_NOW: Final = timedelta(minutes=6)
_MAIL_HOSTS: Final = ("example.com", "example.net", "example.org")
_FIRST_ORDER: Final = 300


@dataclass(frozen=True, slots=True)
class SampleCustomer:
    """A customer. `email` is an address in a domain reserved for examples."""

    first: str
    last: str
    email: str
    language: Language

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}"


@dataclass(frozen=True, slots=True)
class PlannedOrder:
    """The order that a message is about. `item`: its product, a key of `PRICES`."""

    number: str
    item: str
    placed_at: datetime

    @property
    def minor(self) -> int:
        """Return the price in cents."""
        return PRICES[self.item]


@dataclass(frozen=True, slots=True)
class SampleMessage:
    """A customer's message with its outcome.

    - `mood`: the sentiment, from -1 to 1.
    - `reply`, `answer`: the member's text and the agent's answer from knowledge, both without a
      greeting.
    - `decided_at`: the decision or expiry of the review.
    - `first_approved_at`: the first of two approvals.
    - `member`: the index of the acting member.
    - `score`, `comment`: the customer's rating.
    """

    at: datetime
    topic: SampleTopic
    outcome: SampleOutcome
    text: str
    mood: float
    took_ms: int
    reply: str = ""
    answer: str = ""
    order: PlannedOrder | None = None
    decided_at: datetime | None = None
    first_approved_at: datetime | None = None
    member: int = 0
    note: str = ""
    score: int | None = None
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class SampleTalk:
    """A conversation. `customer` is None for a visitor without an address. `ended_at` is the start
    of the next conversation with the same key, or None. `note` is an internal note."""

    channel: Channel
    language: Language
    customer: SampleCustomer | None
    subject: str
    exchanges: tuple[SampleMessage, ...]
    ended_at: datetime | None = None
    note: str = ""

    @property
    def begins_at(self) -> datetime:
        return self.exchanges[0].at

    @property
    def last(self) -> SampleMessage:
        return self.exchanges[-1]


@dataclass(slots=True)
class _Regular:
    """A returning customer. `talks` are the indexes of the customer's conversations in the plan."""

    customer: SampleCustomer
    last_at: datetime
    talks: list[int] = field(default_factory=list)
    is_refunded: bool = False


def plan_history(now: datetime) -> tuple[SampleTalk, ...]:
    """Return the conversations of the thirty days before today, and of today up to `now`, oldest
    first."""
    return _Planner(now).talks()


class _Planner:
    def __init__(self, now: datetime) -> None:
        self._now = now
        self._random = Random(_SEED)  # noqa: S311 - sample data, not a secret
        self._regulars: dict[Language, list[_Regular]] = {"fr": [], "en": []}
        self._names = {one: self._strangers(one) for one in self._regulars}
        self._orders = _FIRST_ORDER

    def talks(self) -> tuple[SampleTalk, ...]:
        talks: list[SampleTalk] = []
        for at in self._times():
            talk, regular = self._talk(at)
            if regular is not None:
                if talk.channel is Channel.SHOP:
                    self._end_before(talks, regular, at)
                    regular.talks.append(len(talks))
                regular.last_at = talk.last.decided_at or talk.last.at
            talks.append(talk)
        return self._with_open(talks)

    def _times(self) -> Iterator[datetime]:
        """Yield the times at which conversations start, in order."""
        today = self._now.date()
        for back in range(DAYS, -1, -1):
            day = today - timedelta(days=back)
            mean = _WEEKEND if day.weekday() > 4 else _WEEKDAY
            number = round(mean * (1.15 - back / 100) * self._random.uniform(0.8, 1.2))
            midnight = datetime.combine(day, time(), self._now.tzinfo)
            hours = self._random.choices(range(len(_HOURS)), _HOURS, k=number)
            for hour in sorted(hours):
                seconds = (_FIRST_HOUR + hour) * 3600 + self._random.random() * 3600
                at = midnight + timedelta(seconds=seconds)
                if at < self._now - _JUST_NOW:
                    yield at

    def _talk(self, at: datetime) -> tuple[SampleTalk, _Regular | None]:
        language: Language = "fr" if self._random.random() < _FRENCH else "en"
        known = [one for one in TOPICS if language in one.languages]
        topic = self._random.choices(known, [one.share for one in known])[0]
        channel = self._random.choices(list(_CHANNELS), list(_CHANNELS.values()))[0]
        is_visitor = channel is Channel.WIDGET and not topic.about_order
        regular = None if is_visitor else self._writer(language, at)
        if regular is not None and topic.refunds:
            # With one refund per customer, every sum stays below the playbook's limits.
            topic, regular.is_refunded = (TOPICS[0] if regular.is_refunded else topic), True
        words = catalogue(language)
        first = self._exchange(at, topic, words, words.topics[topic.name].messages)
        further = self._further(first, words) if first.outcome in _CALM else ()
        subject = self._random.choice(words.topics[topic.name].subjects)
        note = ""
        if first.decided_at is not None and self._random.random() < 0.15:
            note = self._random.choice(words.notes)
        number = first.order.number if first.order else ""
        talk = SampleTalk(
            channel,
            language,
            regular.customer if regular else None,
            subject.format(order=number),
            (first, *further),
            note=note,
        )
        return talk, regular

    def _writer(self, language: Language, at: datetime) -> _Regular:
        """Choose the sender of a message: an earlier customer or a new one."""
        regulars = self._regulars[language]
        free = [one for one in regulars if one.last_at < at - _APART]
        names = self._names[language]
        if names and (not free or self._random.random() >= _RETURNS):
            regulars.append(_Regular(names.pop(), at))
            return regulars[-1]
        return self._random.choice(free)

    def _strangers(self, language: Language) -> list[SampleCustomer]:
        """Return the customers who may write for the first time, in random order."""
        words = catalogue(language)
        pairs = [(first, last) for first in words.first_names for last in words.last_names]
        return [
            SampleCustomer(
                first,
                last,
                f"{_ascii(first)}.{_ascii(last)}@{self._random.choice(_MAIL_HOSTS)}",
                language,
            )
            for first, last in self._random.sample(pairs, len(pairs))
        ]

    def _exchange(
        self, at: datetime, topic: SampleTopic, words: HistoryWords, messages: Sequence[str]
    ) -> SampleMessage:
        order = self._order(at, topic) if topic.about_order else None
        outcomes = dict(topic.outcomes)
        outcome = self._random.choices(list(outcomes), list(outcomes.values()))[0]
        text = self._random.choice(messages).format(
            order=order.number if order else "", item=words.items[order.item] if order else ""
        )
        made = SampleMessage(
            at=at,
            topic=topic,
            outcome=outcome,
            text=text,
            mood=round(self._random.uniform(*topic.mood), 2),
            took_ms=round(self._random.lognormvariate(5.3, 0.5)),
            order=order,
            member=self._random.randrange(2),
        )
        made = self._worded(made, words.topics[topic.name], words)
        return self._rated(self._decided(made), words)

    def _order(self, at: datetime, topic: SampleTopic) -> PlannedOrder:
        self._orders += 1
        item = self._random.choice(topic.items or tuple(PRICES))
        placed = at - timedelta(days=self._random.uniform(2, 14))
        return PlannedOrder(str(self._orders), item, placed)

    def _worded(self, made: SampleMessage, said: TopicWords, words: HistoryWords) -> SampleMessage:
        answer = self._random.choice(said.answers) if said.answers else ""
        reply = self._random.choice(said.replies) if said.replies else ""
        note = ""
        if made.outcome is SampleOutcome.REPLIED:
            note = self._random.choice(words.rejections)
        number = made.order.number if made.order else ""
        return replace(made, answer=answer, reply=reply.format(order=number), note=note)

    def _decided(self, made: SampleMessage) -> SampleMessage:
        """Return the message with the times at which members decided its review, or at which the
        review expired. `_with_open` later reopens some of the latest reviews."""
        if made.outcome.is_alone:
            return made
        waited = timedelta(minutes=min(self._random.lognormvariate(3.8, 0.9), 600))
        if made.outcome is SampleOutcome.UNANSWERED:
            waited = timedelta(hours=72)
        latest = self._now - timedelta(minutes=2)
        decided = min(made.at + waited, latest)
        first = None
        if made.outcome is SampleOutcome.APPROVED_TWICE:
            first = made.at + (decided - made.at) / 2
        return replace(made, decided_at=decided, first_approved_at=first)

    def _rated(self, made: SampleMessage, words: HistoryWords) -> SampleMessage:
        """Return the exchange with the customer's rating, if any."""
        if made.outcome in _UNRATED or self._random.random() > 0.28:
            return made
        good = made.mood > -0.3
        score = self._random.choices((5, 4, 3, 2, 1), (58, 28, 8, 4, 2) if good else _CROSS)[0]
        comment = None
        if self._random.random() < 0.35 and score != 3:
            comment = self._random.choice(words.comments if score > 3 else words.complaints)
        return replace(made, score=score, comment=comment)

    def _further(self, first: SampleMessage, words: HistoryWords) -> tuple[SampleMessage, ...]:
        """Return the customer's next message in the same conversation: thanks or a follow-up
        question. Return an empty tuple if there is none."""
        drawn = self._random.random()
        at = first.at + timedelta(minutes=self._random.uniform(2, 50))
        if at > self._now - _JUST_NOW or drawn > 0.32:
            return ()
        if drawn < 0.18:
            thanks = self._random.choice(words.thanks)
            closed = replace(
                first,
                at=at,
                outcome=SampleOutcome.CLOSED,
                text=thanks,
                mood=round(self._random.uniform(0.4, 0.9), 2),
                order=None,
                score=None,
                comment=None,
            )
            return (closed,)
        asked = [one for one in TOPICS if one is not first.topic and one.name in words.topics]
        asked = [one for one in asked if words.topics[one.name].follow_ups]
        topic = self._random.choice(asked)
        return (self._exchange(at, topic, words, words.topics[topic.name].follow_ups),)

    def _end_before(self, talks: list[SampleTalk], regular: _Regular, at: datetime) -> None:
        """End the customer's earlier conversation because the new one takes over its key."""
        for place in regular.talks[-1:]:
            talks[place] = replace(talks[place], ended_at=at)

    def _with_open(self, talks: Sequence[SampleTalk]) -> tuple[SampleTalk, ...]:
        """Return the conversations with some of the latest reviews open.

        A recent `unanswered` review becomes `edited` because it cannot have expired. Only the
        latest few stay open, as with a real team.
        """
        left, expired = _MOST_OPEN, _MOST_EXPIRED
        found: list[SampleTalk] = []
        for talk in reversed(talks):
            one = talk.last
            may_expire = expired and self._now - one.at >= timedelta(hours=72)
            if one.outcome is SampleOutcome.UNANSWERED and may_expire:
                expired -= 1
            elif one.outcome is SampleOutcome.UNANSWERED:
                decided = min(one.at + timedelta(hours=2), self._now - timedelta(minutes=2))
                one = replace(one, outcome=SampleOutcome.EDITED, decided_at=decided)
            may_wait = one.outcome in _MAY_WAIT and talk.channel is not Channel.HELPDESK
            is_recent = one.at > self._now - _OPEN_FOR or left > _MOST_OPEN - _FEWEST_OPEN
            if left and may_wait and is_recent:
                left -= 1
                one = replace(
                    one, outcome=SampleOutcome.WAITING, decided_at=None, score=None, note=""
                )
            found.append(replace(talk, exchanges=(*talk.exchanges[:-1], one)))
        return tuple(reversed(found))


_MOST_EXPIRED: Final = 3
_CALM: Final = frozenset({SampleOutcome.ANSWERED, SampleOutcome.REFUNDED})
_UNRATED: Final = frozenset({SampleOutcome.CLOSED, SampleOutcome.UNANSWERED, SampleOutcome.WAITING})
_MAY_WAIT: Final = frozenset({SampleOutcome.EDITED, SampleOutcome.REPLIED, SampleOutcome.APPROVED})
_CROSS: Final = (18, 27, 25, 18, 12)


def _ascii(name: str) -> str:
    """Return the name in the format used in addresses: lower case, without accents and spaces."""
    plain = normalized(name, UnicodeForm.NFKD).encode("ascii", "ignore").decode()
    return plain.lower().replace(" ", "")
