"""The statements of a text that have no source, for a brain that composes no parts."""

from domain.agent.brain import BrainAnswer, BrainRequest, Category, Citation
from domain.agent.grounding import grounding


def unsupported(
    response: str, sources: tuple[Citation, ...], request: BrainRequest
) -> tuple[str, ...]:
    answer = BrainAnswer(
        classification=Category.OTHER,
        confidence=1,
        language="en",
        model="m",
        response=response,
        citations=sources,
    )
    return grounding.unsupported(answer, (), request)
