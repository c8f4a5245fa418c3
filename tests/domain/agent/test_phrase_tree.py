"""The words that a tree of phrases remembers, which strangers choose."""

from domain.agent.intents.phrase_lists import PhraseLists
from domain.agent.phrase_tree import PhraseTree


def remembered(tree: PhraseTree) -> int:
    return len(tree._after) + sum(remembered(branch) for branch in tree._branches.values())


def test_all_branches_of_a_tree_share_one_limit() -> None:
    """Each of 10,349 branches remembered 2,000 words: 1.8 GB."""
    tree = PhraseTree(remembered=50)
    starts = [f"start{number}" for number in range(20)]
    for start in starts:
        tree.add("late", [frozenset({start}), frozenset({"late"})])

    for number in range(30):
        for start in starts:
            assert [*tree.found_at([start, f"word{number}"], 0)] == []
            assert remembered(tree) <= 50
    assert [*tree.found_at(["start7", "late"], 0)] == [("late", 1)]


def test_the_end_of_a_phrase_remembers_nothing() -> None:
    tree = PhraseTree()
    tree.add("late", [frozenset({"late"})])
    for number in range(30):
        assert [*tree.found_at(["late", f"word{number}"], 0)] == [("late", 0)]
    assert remembered(tree) == 1


def test_the_phrases_of_a_client_remember_nothing() -> None:
    """Each cached client has such a tree."""
    phrases = PhraseLists([["customs office"]])
    for number in range(30):
        phrases.mentioned(f"customs word{number}")
    assert phrases.mentioned("the customs office") == {0}
    assert remembered(phrases._tree) == 0
