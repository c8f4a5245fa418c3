"""The GraphQL documents used by the Shopify connector, tested against the 2026-07 schema.

Each costs a few of the points that a shop grants per second. A query's limit is 1000 points.
"""

from typing import Final

FIND: Final = """
query FindOrder($query: String!) {
  orders(first: 5, query: $query, sortKey: CREATED_AT, reverse: true) {
    nodes {
      id name email note createdAt cancelledAt displayFulfillmentStatus
      totalPriceSet { shopMoney { amount currencyCode } }
      suggestedRefund(suggestFullRefund: true) {
        maximumRefundableSet { shopMoney { amount currencyCode } }
      }
      fulfillments(first: 5) { displayStatus trackingInfo(first: 1) { url } }
      lineItems(first: 10) { nodes { title quantity } }
    }
  }
}
"""

REFUNDABLE: Final = """
query Refundable($id: ID!) {
  order(id: $id) {
    refunds(first: 100) { id note }
    suggestedRefund(suggestFullRefund: true) {
      maximumRefundableSet {
        shopMoney { amount currencyCode } presentmentMoney { amount currencyCode }
      }
      suggestedTransactions {
        gateway
        parentTransaction { id }
        maximumRefundableSet { presentmentMoney { amount currencyCode } }
      }
    }
  }
}
"""

REFUND: Final = """
mutation Refund($input: RefundInput!, $key: String!) {
  refundCreate(input: $input) @idempotent(key: $key) {
    refund { id }
    userErrors { field }
  }
}
"""

CANCEL: Final = """
mutation Cancel($id: ID!, $note: String!) {
  orderCancel(
    orderId: $id
    reason: CUSTOMER
    restock: true
    notifyCustomer: false
    refundMethod: { originalPaymentMethodsRefund: true }
    staffNote: $note
  ) {
    job { id }
    orderCancelUserErrors { code }
  }
}
"""

CANCELLED: Final = """
query Cancelled($id: ID!) {
  order(id: $id) { cancelledAt }
}
"""

CANCELLING: Final = """
query Cancelling($id: ID!, $job: ID!) {
  order(id: $id) { cancelledAt }
  job(id: $job) { done }
}
"""
