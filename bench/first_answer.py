"""How long it takes a merchant to let themselves in: from signup to a first answered ticket."""

from pathlib import Path
from typing import Final

from pydantic import BaseModel

from demo.sign_up import SignUp
from domain.core.errors import InvalidInput
from embedded.data_folder import DataFolder
from embedded.stack import Stack, StackPorts

# One address may ask for so many codes a minute.
_TIMES: Final = 5
MOST_CALLS: Final = 6
LONGEST_S: Final = 30.0


class FirstAnswers(BaseModel):
    """Calls of the API that each took, and the seconds of each, the mail's way included."""

    calls: int
    seconds: list[float]

    @property
    def met(self) -> bool:
        return self.calls <= MOST_CALLS and max(self.seconds) <= LONGEST_S


async def first_answers(folder: Path) -> FirstAnswers:
    """On a stack of its own, as `make run` starts it, one account after the other."""
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
