"""The tools of a language model while it drafts an answer. They only read.

Their results become sources of the prompt, with keys that the answer may cite.
"""

from dataclasses import dataclass
from typing import Final

from pydantic_ai import RunContext
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, FunctionToolset

from adapters.brain.classifier import Classification
from adapters.brain.llm_prompt import Prompt
from domain.agent.brain import Language
from domain.agent.model_brain import Lookups

ROUNDS: Final = 3
"""The number of requests in which a model may use tools. The request after them must answer."""


@dataclass(slots=True)
class ModelQuestion:
    """The context for a model's answer to one message.

    - `known`: the customer's language if certain.
    - `lookups`: the permitted lookups, or None.
    - `in_right_language`: the result of the last validation of the answer.
    - `is_repair`: whether the model rewrites a draft, for which it gets no tools.
    """

    prompt: Prompt
    seen: Classification
    known: Language | None
    lookups: Lookups | None = None
    in_right_language: bool = True
    is_repair: bool = False


async def search_knowledge(context: RunContext[ModelQuestion], query: str) -> str:
    """Search the shop's knowledge.

    Use it if the sources do not answer the message. The result contains sources that the reply may
    cite, or none.

    Args:
        query: The topic in a few words, in the language of the shop's texts.
    """
    question = context.deps
    if question.lookups is None:
        return question.prompt.add_passages(())
    query = question.prompt.pseudonyms.restore(query)
    return question.prompt.add_passages(await question.lookups.search(query))


async def read_order(context: RunContext[ModelQuestion], number: str) -> str:
    """Read another order of this customer.

    The result contains the order, or null if this customer has no such order. No action is
    available on it.

    Args:
        number: The order number, as the customer wrote it.
    """
    question = context.deps
    if question.lookups is None:
        return question.prompt.add_order(None, None)
    order = await question.lookups.order(question.prompt.pseudonyms.restore(number))
    return question.prompt.add_order(order, question.lookups.request.today)


def model_tools() -> AbstractToolset[ModelQuestion]:
    """Return the tools. Each request contains only those that can find something new."""
    tools = FunctionToolset[ModelQuestion]([search_knowledge, read_order], max_retries=1)
    return tools.filtered(_is_useful)


def _is_useful(context: RunContext[ModelQuestion], tool: ToolDefinition) -> bool:
    lookups = context.deps.lookups
    if lookups is None or context.deps.is_repair or context.run_step > ROUNDS:
        return False
    return lookups.may_search if tool.name == search_knowledge.__name__ else lookups.may_read_orders
