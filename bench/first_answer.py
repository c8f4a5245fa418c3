"""Measure self-service signup: the time from signup to a merchant's first answered ticket."""

from pathlib import Path
from typing import Final

from pydantic import BaseModel

from demo.sign_up import SignUp
from domain.core.errors import InvalidInput
from embedded.data_folder import DataFolder
from embedded.stack import Stack, StackPorts

# More accounts would exceed the number of codes that one IP address may request per minute.
_TIMES: Final = 5
MOST_CALLS: Final = 6
LONGEST_S: Final = 30.0


class FirstAnswers(BaseModel):
    """The results of all signups. `calls` is the maximum of an account's API calls. `seconds` is by
    account, including the email's delivery."""

    calls: int
    seconds: list[float]

    @property
    def met(self) -> bool:
        return self.calls <= MOST_CALLS and max(self.seconds) <= LONGEST_S


async def first_answers(folder: Path) -> FirstAnswers:
    """Sign up accounts sequentially on a separate stack, started as with `make run`, and return the
    results. Raises InvalidInput if a first ticket was not answered."""
    data = DataFolder(folder / "first-answer")
    stack = Stack(data, StackPorts(), lambda _: None)
    try:
        info = await stack.start()
        found = [await SignUp(info.api_url, data.mail).first_answer() for _ in range(_TIMES)]
    finally:
        stack.stop()
    if not all(one.answer.get("response") for one in found):
        raise InvalidInput("a first ticket was not answered")
    return FirstAnswers(
        calls=max(len(one.calls) for one in found), seconds=[one.seconds for one in found]
    )
