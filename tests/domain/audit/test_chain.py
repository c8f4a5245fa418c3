"""The audit chain: verification detects every single manipulation."""

from dataclasses import replace
from datetime import timedelta
from hashlib import sha256

from hypothesis import assume, given
from hypothesis import strategies as st

from domain.audit.chain import (
    START,
    AnchorDigest,
    ChainHead,
    ChainLink,
    Fault,
    FaultKind,
    chained,
    hash_of,
)
from domain.audit.entry import AuditEntry, Note
from domain.tenants.actor import Actor
from tests.support.audit.chains import (
    ANNA,
    CLIENT,
    WHEN,
    anchor_of,
    chain_of,
    faults_in,
    head_of,
)

CHAIN = chain_of(6)
HEAD = head_of(CHAIN)
places = st.integers(0, len(CHAIN) - 1)


def rewritten(links: tuple[ChainLink, ...], at: int, entry: AuditEntry) -> tuple[ChainLink, ...]:
    """Recompute all hashes from a changed entry on, as a skilled attacker would."""
    made = list(links[:at])
    for one in (entry, *(link.entry for link in links[at + 1 :])):
        before = made[-1].hash if made else START.hash
        made.append(ChainLink(one, before, hash_of(before, one)))
    return tuple(made)


def test_an_entry_tells_who_from_where_and_what() -> None:
    operator = Actor.operator("bob@example.com", login="operator:eve@example.com")
    notes = [
        Note(ANNA, "key created", {"key_id": "k"}),
        Note(operator, "member added", {"member_id": "carl@example.com"}),
    ]

    first, second = chained(START, CLIENT, notes, WHEN, iter(["e1", "e2"]).__next__)

    assert first.entry == AuditEntry(
        CLIENT,
        1,
        "e1",
        WHEN,
        "person",
        "anna",
        None,
        "192.0.2.0/24",
        "key created",
        {"key_id": "k"},
    )
    assert (first.previous, second.previous) == (bytes(32), first.hash)
    assert "@" not in second.entry.canonical().decode(), "no address is kept"
    assert second.entry.actor.startswith("sha256:")


def test_the_form_that_is_hashed_never_changes() -> None:
    """Stored entries were hashed in this format."""
    (link,) = chained(
        START, CLIENT, [Note(ANNA, "clé", {"b": "2", "a": '"'})], WHEN, iter(["e1"]).__next__
    )

    assert link.entry.canonical() == (
        b'["1","01K0000000000000000000000C",1,"e1",1795348800000000,"person","anna",null,'
        b'"192.0.2.0/24","cl\\u00e9",{"a":"\\"","b":"2"}]'
    )
    assert link.hash == sha256(bytes(32) + link.entry.canonical()).digest()


def test_a_sound_chain_has_no_fault() -> None:
    assert faults_in(CHAIN, HEAD, *CHAIN) == []
    assert faults_in((), None) == []


def _other(text: str) -> st.SearchStrategy[str]:
    return st.text(max_size=8).filter(lambda drawn: drawn != text)


@given(places, st.data())
def test_any_changed_field_is_found(place: int, data: st.DataObject) -> None:
    entry = CHAIN[place].entry
    change = data.draw(
        st.one_of(
            st.fixed_dictionaries({"client_id": _other(entry.client_id)}),
            st.fixed_dictionaries({"id": _other(entry.id)}),
            st.integers(-(10**12), 10**12)
            .filter(bool)
            .map(lambda us: {"at": entry.at + timedelta(microseconds=us)}),
            st.fixed_dictionaries({"actor_kind": _other(entry.actor_kind)}),
            st.fixed_dictionaries({"actor": _other(entry.actor)}),
            st.fixed_dictionaries({"login": st.text(max_size=8)}),
            st.fixed_dictionaries({"network": st.none() | _other(str(entry.network))}),
            st.fixed_dictionaries({"what": _other(entry.what)}),
            st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=2).map(
                lambda ids: {"ids": ids}
            ),
        )
    )
    links = list(CHAIN)
    links[place] = replace(CHAIN[place], entry=replace(entry, **change))

    assert faults_in(links, HEAD) == [
        Fault(CLIENT, FaultKind.CHANGED, place + 1, place + 1, links[place].entry.id)
    ]


@given(places, st.integers(0, 255), st.sampled_from(["hash", "previous"]))
def test_any_changed_bit_of_a_hash_is_found(place: int, bit: int, field: str) -> None:
    links = list(CHAIN)
    flipped = int.from_bytes(getattr(CHAIN[place], field), "big") ^ (1 << bit)
    links[place] = replace(CHAIN[place], **{field: flipped.to_bytes(32, "big")})  # type: ignore[arg-type]

    found = faults_in(links, HEAD)

    assert (FaultKind.CHANGED, place + 1) in {(one.kind, one.first) for one in found}


@given(st.sets(places, min_size=1))
def test_missing_entries_are_named(gone: set[int]) -> None:
    links = [link for place, link in enumerate(CHAIN) if place not in gone]

    found = faults_in(links, HEAD)

    assert {one.kind for one in found} <= {FaultKind.MISSING, FaultKind.CUT}
    named = {place for one in found for place in range(one.first - 1, one.last)}
    assert named == gone
    last = len(CHAIN) - 1
    assert (last in gone) == any(one.kind is FaultKind.CUT for one in found)


@given(st.permutations(range(len(CHAIN))))
def test_another_order_is_found(order: list[int]) -> None:
    assume(order != sorted(order))
    moved = [
        replace(CHAIN[of], entry=replace(CHAIN[of].entry, seq=place + 1))
        for place, of in enumerate(order)
    ]

    found = {one.first - 1 for one in faults_in(moved, HEAD) if one.kind is FaultKind.CHANGED}

    assert found == {place for place, of in enumerate(order) if place != of}


@given(places)
def test_an_entry_put_between_is_found(place: int) -> None:
    """Its hash is valid, but the positions after it have changed."""
    before = CHAIN[place].previous
    put = replace(CHAIN[place].entry, id="put", what="nothing happened")
    behind = [
        replace(link, entry=replace(link.entry, seq=link.entry.seq + 1)) for link in CHAIN[place:]
    ]
    links = [*CHAIN[:place], ChainLink(put, before, hash_of(before, put)), *behind]

    found = faults_in(links, HEAD)

    assert {one.first for one in found if one.kind is FaultKind.CHANGED} == set(
        range(place + 2, len(CHAIN) + 2)
    )
    assert (FaultKind.UNLINKED, place + 2) in {(one.kind, one.first) for one in found}
    assert FaultKind.INSERTED in {one.kind for one in found}, "behind the head"


@given(places)
def test_what_is_rewritten_up_to_its_head_is_told_by_any_later_anchor(place: int) -> None:
    changed = replace(CHAIN[place].entry, actor="eve")
    links = rewritten(CHAIN, place, changed)

    assert faults_in(links, head_of(links)) == [], "the chain alone cannot tell"
    for anchored in range(len(CHAIN)):
        told = faults_in(links, head_of(links), CHAIN[anchored])
        kinds = [(one.kind, one.first) for one in told]
        assert kinds == ([(FaultKind.REPLACED, anchored + 1)] if anchored >= place else [])


@given(places)
def test_a_tail_that_was_cut_with_its_head_is_told_by_an_anchor(place: int) -> None:
    links = CHAIN[:place]

    assert faults_in(links, head_of(links) if links else None) == [], "the chain alone cannot tell"
    assert faults_in(links, head_of(links) if links else None, CHAIN[-1]) == [
        Fault(CLIENT, FaultKind.CUT, place + 1, len(CHAIN))
    ]


def test_what_was_done_to_the_head_is_found() -> None:
    last = CHAIN[-1].entry
    before_first = replace(CHAIN[0], entry=replace(CHAIN[0].entry, seq=0))

    def told(*faults: Fault) -> list[tuple[FaultKind, int, int]]:
        return [(one.kind, one.first, one.last) for one in faults]

    assert told(*faults_in(CHAIN, None)) == [(FaultKind.HEAD, 6, 6)]
    assert told(*faults_in(CHAIN, ChainHead(last.seq, b"x" * 32))) == [(FaultKind.HEAD, 6, 6)]
    assert told(*faults_in(CHAIN, CHAIN[3].head)) == [(FaultKind.INSERTED, 5, 6)]
    assert told(*faults_in((before_first, *CHAIN), HEAD)) == [(FaultKind.INSERTED, 0, 0)]


@given(st.permutations(CHAIN), places)
def test_a_digest_of_anchors_is_of_all_of_them(order: list[ChainLink], gone: int) -> None:
    sound = AnchorDigest(map(anchor_of, CHAIN)).text
    less = AnchorDigest(anchor_of(link) for link in CHAIN if link is not CHAIN[gone])
    page_by_page = AnchorDigest()
    for link in order:
        page_by_page.add([anchor_of(link)])

    assert (less.number, less.text != sound) == (len(CHAIN) - 1, True)
    assert (page_by_page.text == sound) == (order == list(CHAIN))
