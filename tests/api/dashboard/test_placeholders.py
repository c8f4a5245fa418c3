"""Placeholders of templates as shown to members."""

from api.dashboard.placeholders import named_gaps, named_placeholders

NAMES = {"greeting": "your greeting", "order_number": "order number"}


def test_known_placeholders_are_named() -> None:
    body = "{{ greeting }}\n\nOrder {{ order_number | unknown }} is here. {{ custom }}"
    assert named_placeholders(body, NAMES) == (
        "[your greeting]\n\nOrder [order number] is here. {{ custom }}"
    )


def test_a_text_without_placeholders_is_unchanged() -> None:
    assert named_placeholders("No placeholder { here }", NAMES) == "No placeholder { here }"
    assert named_placeholders("", NAMES) == ""


def test_gaps_of_an_inserted_template_are_named() -> None:
    text = "Order [order_number]: [delivery_day] [sic]"
    assert named_gaps(text, NAMES) == "Order [order number]: [delivery day] [sic]"
