"""The time limits fit what they are around."""

from datetime import timedelta

from adapters import embeddings
from adapters.brain import llm
from workflows import options


def test_a_model_may_take_its_time_after_the_search_for_knowledge_took_its_own() -> None:
    """Else the answer of a slow provider is thrown away, and asked and paid for again."""
    longest = timedelta(seconds=embeddings.DEADLINE_S + llm.DEADLINE_S)

    given = options.REMOTE_BRAIN["start_to_close_timeout"]
    assert given is not None
    assert given > longest + timedelta(seconds=1)
