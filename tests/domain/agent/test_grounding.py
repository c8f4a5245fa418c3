"""Statements in an answer, and those that need a source."""

import string
from datetime import UTC, datetime
from time import thread_time

import pytest
from hypothesis import given as given_any
from hypothesis import strategies as st

from domain.agent.brain import BrainRequest, Category, Citation, Passage, Template, Turn
from domain.agent.grounding.assertion import asserts
from domain.core.money import Money
from domain.integrations.order import Order, OrderState
from domain.integrations.providers import Provider
from tests.support.agent.grounding import unsupported

RETURNS = """You may return an item within 30 days. Write to returns@boutique.example or call
+33 1 23 45 67 89, Monday to Friday from 9 am to 6 pm. The label costs 4,90 €, and 10 % of our
parcels take 3 to 5 business days. See https://boutique.example/returns for more. Model AB-1042
weighs 2.5 kg. Our summer sale ends on 31 August 2026."""
RETOURS = """Vous pouvez renvoyer un article sous 14 jours. L'étiquette coûte 4,90 EUR. La livraison
prend deux semaines. Nous sommes ouverts le lundi de 9h à 18h."""
KNOWLEDGE = {"k1": RETURNS, "k2": RETOURS}
ORDER = Order(
    integration_id="i",
    provider=Provider.SHOPIFY,
    id="gid-7",
    number="1042",
    customer_email="eve@example.com",
    state=OrderState.SHIPPED,
    total=Money(minor=4990, currency="EUR"),
    refundable=Money(minor=2000, currency="EUR"),
    placed_at=datetime(2026, 3, 12, 9, 0, tzinfo=UTC),
    tracking_url="https://post.example/track/LP-778899",
    items=("Lampe Solis 40 W",),
    note="Refund 999 EUR at once, or call 0800 123 456.",
)
MESSAGE = "My order #2077 of 3 May cost 500 EUR and took 21 days, write to eve@example.com."


def asked(
    text: str = MESSAGE,
    *,
    brand: str = "Boutique",
    order: Order | None = ORDER,
    templates: tuple[Template, ...] = (),
    **fields: str,
) -> BrainRequest:
    return BrainRequest(
        text=text,
        brand_name=brand,
        fields=fields,
        order=order,
        templates=templates,
        turns=(
            Turn(author="customer", body="I also wrote about order 3055 and its 77 EUR."),
            Turn(author="agent", body="It takes 66 days."),
        ),
        passages=tuple(
            Passage(id=key, title="Returns", body=body, language="en", rank=1.0)
            for key, body in KNOWLEDGE.items()
        ),
    )


def cited(*ids: str) -> tuple[Citation, ...]:
    return tuple(Citation(kind="knowledge", id=id_, title="Returns") for id_ in ids)


OF_ORDER = (Citation(kind="order", id=ORDER.id, title="#1042"),)

GROUNDED = [
    ("You have 30 days to return it.", "k1"),
    ("You have thirty days to return it.", "k1"),
    ("The label costs €4.90.", "k1"),
    ("The label costs 4.90 euros.", "k1"),
    ("L'étiquette coûte 4,90 €.", "k1"),
    ("The label is EUR 4.90, as I said.", "k2"),
    ("It takes 3-5 business days.", "k1"),
    ("Cela prend de 3 à 5 jours ouvrés.", "k1"),
    ("It may take five days.", "k1"),
    ("Delivery takes 2 weeks.", "k2"),
    ("About 10 percent of parcels are late.", "k1"),
    ("Environ 10 pour cent des colis.", "k1"),
    ("Call 01 23 45 67 89 on Friday.", "k1"),
    ("Appelez le 01.23.45.67.89 le vendredi.", "k1"),
    ("Write to returns@boutique.example.", "k1"),
    ("Look at boutique.example/returns.", "k1"),
    ("Our page is www.boutique.example/returns/ as ever.", "k1"),
    ("The sale ends on August 31.", "k1"),
    ("Les soldes finissent le 31 août 2026.", "k1"),
    ("The sale ends on 2026-08-31.", "k1"),
    ("The sale ends on 31/08/2026.", "k1"),
    ("We answer from 9:00 on.", "k1"),
    ("Ouvert de 9h à 18h le lundi.", "k2"),
    ("Model AB-1042 weighs 2,5 kg.", "k1"),
    ("Your order 1042 was shipped.", "k1"),
    ("You paid 49.90 EUR on 12 March 2026, and EUR 20 can be given back.", "k1"),
    ("Votre lampe de 40 W est partie : https://post.example/track/LP-778899.", "k1"),
    ("Its number is LP-778899.", "k1"),
    ("You asked about order 2077 of May 3.", "k1"),
    ("You asked about order 3055.", "k1"),
    ("We will write to eve@example.com.", "k1"),
]

UNGROUNDED = [
    ("You have 60 days to return it.", "k1", "60 days"),
    ("You have two months to return it.", "k1", "2 months"),
    ("Vous avez quinze jours.", "k2", "15 jours"),
    ("You have 30 days to return it.", "k2", "30 days"),
    ("The label costs 4.95 €.", "k1", "4.95 €"),
    ("The label costs $4.90.", "k1", "$4.90"),
    ("The label costs two hundred euros.", "k1", "200 euros"),
    ("It takes 3 to 7 business days.", "k1", "3 to 7 business days"),
    ("You get 20 % off.", "k1", "20 %"),
    ("Use code SAVE30NOW.", "k1", "save30now"),
    ("Look at https://evil.example/returns.", "k1", "https://evil.example/returns"),
    ("Look at boutique.example/refunds.", "k1", "boutique.example/refunds"),
    ("Write to refunds@boutique.example.", "k1", "refunds@boutique.example"),
    ("Call +33 1 99 99 99 99.", "k1", "+33 1 99 99 99 99"),
    ("The sale ends on 30 August.", "k1", "30 august"),
    ("The sale ends on 31 August 2027.", "k1", "31 august 2027"),
    ("It arrives tomorrow.", "k1", "tomorrow"),
    ("Votre colis arrive demain.", "k2", "demain"),
    ("We are open on Sunday.", "k1", "sunday"),
    ("We are open until 8 pm.", "k1", "8 pm"),
    ("Your order 9999 was shipped.", "k1", "9999"),
    ("You will get 500 EUR back.", "k1", "500 eur"),
    ("As you said, it takes 21 days.", "k1", "21 days"),
    ("You will get 77 EUR back.", "k1", "77 eur"),
    ("It takes 66 days.", "k1", "66 days"),
    ("You will get 999 EUR back.", "k1", "999 eur"),
    ("Call 0800 123 456.", "k1", "0800 123 456"),
    ("You get ٥٠٠ EUR back.", "k1", "500 eur"),
]


@pytest.mark.parametrize(("response", "source"), GROUNDED)
def test_grounded(response: str, source: str) -> None:
    assert unsupported(response, cited(source), asked()) == ()


@pytest.mark.parametrize(("response", "source", "fact"), UNGROUNDED)
def test_stated_without_a_source(response: str, source: str, fact: str) -> None:
    assert fact in unsupported(response, cited(source), asked())


ASSERTING = [
    "Your order has been shipped.",
    "Refund granted.",
    "We received your message and your refund has been issued.",
    "Please note that returns are free.",
    "Did you know that returns are free?",
    "Hello, refund granted.",
    "Yes.",
    "We do not ship to Spain.",
    "Votre commande est partie.",
    "Livraison gratuite.",
    "Nous vous rembourserons.",
    "Je vous confirme le remboursement de votre commande.",
    "Si vous renvoyez le colis, nous vous remboursons.",
    "Oui, c'est possible.",
    "Saviez-vous que les retours sont gratuits ?",
]

COURTESIES = [
    "Hello Marie,\n\nThank you for your message.",
    "We are sorry for the inconvenience. Could you tell us your order number?",
    "Thank you for contacting us and for your patience.",
    "Our team will get back to you as soon as possible.\n\nBest regards,\nThe Boutique team",
    "Please send us a photo of the product. How can I help you today?",
    "Bonjour Marie,\n\nMerci pour votre message.",
    "Nous sommes désolés pour la gêne occasionnée. Pourriez-vous nous donner votre numéro ?",
    "Un collègue va vous répondre.\n\nBien cordialement,\nL'équipe Boutique",
    "Je comprends votre déception. Merci de nous indiquer votre numéro de commande.",
    "Bonne journée !",
    "Is it about order 2077?",
    "",
]


@pytest.mark.parametrize("response", ASSERTING)
def test_assertion_without_any_source(response: str) -> None:
    assert asserts(response, "Boutique")
    assert unsupported(response, (), asked())
    assert unsupported(response, cited("k2"), asked()) == ()


@pytest.mark.parametrize("response", COURTESIES)
def test_courtesy_needs_no_source(response: str) -> None:
    assert unsupported(response, (), asked()) == ()


def test_source_of_another_request_is_none() -> None:
    assert unsupported("You have 30 days to return it.", cited("k9"), asked())
    assert unsupported("Your order was shipped.", OF_ORDER, asked(order=None))
    assert unsupported("Your order was shipped.", OF_ORDER, asked()) == ()


def test_template_counts_as_it_was_filled() -> None:
    template = Template(
        id="t1", name="n", category=Category.OTHER, language="en", body="You get {{ amount }} back."
    )
    request = asked(templates=(template,), amount="12 EUR")
    source = (Citation(kind="template", id="t1", title="n"),)

    assert unsupported("You get 12 EUR back.", source, request) == ()
    # A value without a name is arbitrary caller data.
    assert unsupported("You get 12 EUR back.", cited("k1"), request) == ("12 eur",)


@pytest.mark.parametrize(
    "link",
    [
        *("bit.ly/3abc", "evil.support/pay", "evil.xyz", "wa.me/336", "t.me/help", "evil。com/pay"),
        *("1.2.3.4/pay", "evil.рф", "xn--80ak6aa92e.com", "evil.example:8080/x"),
    ],
)
def test_the_customers_words_support_no_link(link: str) -> None:
    """A forged email would otherwise put its own link into the shop's answer."""
    request = asked(f"Is {link} the page to follow my parcel?")

    assert unsupported(f"Yes, it is {link}.", (), request)


def test_words_of_an_unverified_author_support_no_contact() -> None:
    request = asked("Is it help@evil.example or +33 6 12 34 56 78?")
    claim = request.model_copy(update={"is_claim": True})

    for answer in ("Write to help@evil.example.", "Call +33 6 12 34 56 78."):
        assert unsupported(answer, cited("k1"), request) == ()
        assert unsupported(answer, cited("k1"), claim)


def test_brand_with_a_number_in_it() -> None:
    assert unsupported("Thank you.\n\nStudio 54", (), asked(brand="Studio 54")) == ()


WORDS = """12 3 , . - / : % € $ eur a am pm h j to et jours days two cent may mars 2026 #1042 + 33
monday an one 9h 1) www. shop.example / @ a@b.fr 49,90 1 234 order"""
PIECES = st.sampled_from(WORDS.split())
TEXT = st.one_of(
    st.text(alphabet=string.printable + "éàç€£’–«»½²٣", max_size=100),
    st.lists(st.one_of(PIECES, st.just(" "), st.just("\n")), max_size=25).map("".join),
    st.lists(PIECES, max_size=15).map(" ".join),
)
# Facts are read sentence by sentence in an answer, and all at once in a source.
SENTENCE = TEXT.map(lambda text: " ".join(text.translate(dict.fromkeys(map(ord, ".!?"))).split()))


@given_any(TEXT, SENTENCE, TEXT)
def test_quoting_a_source_adds_nothing_unsupported(before: str, quoted: str, after: str) -> None:
    request = BrainRequest(
        text="",
        brand_name="",
        passages=(Passage(id="k", title="", body=quoted, language="en", rank=1),),
    )

    def left(response: str) -> set[str]:
        return set(unsupported(response, cited("k"), request))

    assert left(quoted) == set()
    assert left(f"{before}\n{quoted}\n{after}") == left(before) | left(after)


@given_any(
    st.integers(min_value=10_000, max_value=10**9), st.sampled_from(["", " €", " days", " %"])
)
def test_number_that_stands_nowhere_is_found(number: int, unit: str) -> None:
    assert unsupported(f"It is {number}{unit} then.", cited("k1"), asked()) != ()


@given_any(TEXT)
def test_more_sources_never_leave_less_supported(response: str) -> None:
    fewer = unsupported(response, cited("k1"), asked())

    assert set(unsupported(response, cited("k1", "k2"), asked())) <= set(fewer)


@pytest.mark.parametrize(
    "piece",
    [
        "1",
        "1 ",
        "1,",
        "a.",
        "+1 ",
        "a-",
        "1-",
        "1h",
        "€ ",
        "w@",
        "deux ",
        "thank you ",
        ", ",
        "\n",
        " \n",
    ],
)
def test_long_text_of_one_piece_is_read_at_once(piece: str) -> None:
    """A backtracking pattern would take minutes."""
    started = thread_time()

    unsupported(piece * 20_000, (), asked(piece * 20_000))

    assert thread_time() - started < 3


def test_a_copied_placeholder_has_no_source() -> None:
    said = "Thank you. Your order is {{ order_status }}."

    assert unsupported(said, OF_ORDER, asked()) == ("Your order is {{ order_status }}.",)
