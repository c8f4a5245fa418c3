import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.agent.language import is_read


@pytest.mark.parametrize(
    "text",
    ["Refund order 2040", "Je voudrais être remboursé", "Hi", "", "2040", "Where is my parcel?"],
)
def test_a_language_that_is_read(text: str) -> None:
    assert is_read(text)


@pytest.mark.parametrize(
    "text",
    [
        "Quiero un reembolso de mi pedido 2040 por favor",
        "Ich möchte bitte meine Bestellung 2040 stornieren",
        "Vorrei il rimborso del mio ordine 2040, grazie",
        "Ik wil mijn bestelling 2040 annuleren alstublieft",
        "Quero cancelar o meu pedido 2040",
        "我想退款 订单 2040",
        "Хочу вернуть деньги за заказ 2040",
        "أريد استرداد المال للطلب 2040",
    ],
)
def test_a_language_that_is_not_read(text: str) -> None:
    assert not is_read(text)


@given(st.text(max_size=400))
def test_never_raises(text: str) -> None:
    is_read(text)
