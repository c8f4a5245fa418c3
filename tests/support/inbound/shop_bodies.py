"""Shop webhook bodies with the documented fields."""

from typing import Any

Body = dict[str, Any]


def shopify_order(**changed: object) -> Body:
    return {
        "id": 820982911946154508,
        "admin_graphql_api_id": "gid://shopify/Order/820982911946154508",
        "name": "#1001",
        "order_number": 1001,
        "email": "lea@example.com",
        "contact_email": "lea@example.com",
        "created_at": "2026-03-01T10:00:00-05:00",
        "updated_at": "2026-03-02T04:30:00-05:00",
        "cancelled_at": None,
        "currency": "EUR",
        "presentment_currency": "EUR",
        "total_price": "49.90",
        "financial_status": "paid",
        "fulfillment_status": None,
        "customer": {"id": 1, "email": "lea@example.com", "first_name": "Léa", "last_name": "M"},
        "line_items": [
            {"id": 1, "title": "Thé vert", "quantity": 2, "price": "19.95", "sku": "T-1"},
            {"id": 2, "title": "Tasse", "quantity": 1, "price": "10.00", "sku": "C-1"},
        ],
        "fulfillments": [],
        "refunds": [],
        **changed,
    }


def shopify_parcel(**changed: object) -> Body:
    return {
        "id": 255858046,
        "order_id": 820982911946154508,
        "status": "success",
        "shipment_status": None,
        "created_at": "2026-03-02T05:00:00-05:00",
        "updated_at": "2026-03-02T05:00:00-05:00",
        "tracking_company": "Colissimo",
        "tracking_number": "6A123",
        "tracking_url": "https://track.example/6A123",
        "name": "#1001.1",
        "line_items": [],
        **changed,
    }


def shopify_refund(amount: str, *, currency: str = "EUR", status: str = "success") -> Body:
    return {
        "id": 509562969,
        "order_id": 820982911946154508,
        "created_at": "2026-03-02T05:10:00-05:00",
        "note": "",
        "transactions": [
            {"id": 1, "kind": "refund", "status": status, "amount": amount, "currency": currency}
        ],
    }


def woocommerce_order(**changed: object) -> Body:
    return {
        "id": 727,
        "number": "1001",
        "status": "processing",
        "currency": "EUR",
        "total": "49.90",
        "date_created_gmt": "2026-03-01T10:00:00",
        "date_modified_gmt": "2026-03-02T09:30:00",
        "date_paid_gmt": "2026-03-01T10:00:05",
        "customer_note": "Please ring twice",
        "billing": {
            "first_name": "Léa",
            "last_name": "M",
            "email": "lea@example.com",
            "phone": "",
        },
        "line_items": [
            {"id": 1, "name": "Thé vert", "product_id": 9, "quantity": 2, "total": "39.90"},
            {"id": 2, "name": "Tasse", "product_id": 8, "quantity": 1, "total": "10.00"},
        ],
        "refunds": [],
        **changed,
    }


def stripe_charge(**changed: object) -> Body:
    return {
        "id": "ch_1",
        "object": "charge",
        "amount": 4990,
        "amount_captured": 4990,
        "amount_refunded": 1500,
        "billing_details": {"email": "lea@example.com"},
        "created": 1_772_359_200,
        "currency": "eur",
        "disputed": False,
        "metadata": {"order_number": "#1001"},
        "payment_intent": "pi_1",
        "receipt_email": None,
        **changed,
    }


def stripe_thing(**changed: object) -> Body:
    return {
        "id": "du_1",
        "amount": 4990,
        "charge": "ch_1",
        "payment_intent": "pi_1",
        "created": 1_772_359_200,
        "currency": "eur",
        "metadata": {},
        "status": "needs_response",
        **changed,
    }
