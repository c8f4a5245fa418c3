from domain.agent.consent import answering_words
from domain.agent.speech import grammar, language, vocabulary
from domain.agent.speech.loading import load_speech


def test_everything_is_read_and_compiled_once() -> None:
    kept = [
        grammar._plain,
        grammar._plain_money,
        grammar._plain_cancel,
        grammar._likely,
        grammar._searched,
        language._words,
        answering_words.answer_words,
    ]
    for one in [*kept, vocabulary.vocabulary]:
        one.cache_clear()

    load_speech()

    assert [one.cache_info().currsize for one in kept] == [1] * len(kept)
    assert vocabulary.vocabulary.cache_info().currsize == 2
