"""The published schema of the local server's part of Shopify (Admin API 2026-07)."""

SCHEMA = """
directive @idempotent(key: String!) on FIELD

scalar DateTime
scalar Decimal
scalar Money
scalar URL
scalar UnsignedInt64

enum CurrencyCode { EUR USD JPY GBP KWD }
enum OrderSortKeys { CREATED_AT UPDATED_AT }
enum FulfillmentStatus { CANCELLED ERROR FAILURE OPEN PENDING SUCCESS }
enum OrderCancelReason { CUSTOMER DECLINED FRAUD INVENTORY OTHER STAFF }
enum OrderTransactionKind { REFUND }
enum OrderDisplayFulfillmentStatus {
  FULFILLED IN_PROGRESS ON_HOLD OPEN PARTIALLY_FULFILLED PENDING_FULFILLMENT RESTOCKED UNFULFILLED
}
enum FulfillmentDisplayStatus { DELIVERED FULFILLED IN_TRANSIT OUT_FOR_DELIVERY }
enum OrderCancelUserErrorCode { INTERNAL_ERROR INVALID NOT_FOUND NO_REFUND_PERMISSION }

type MoneyV2 { amount: Decimal! currencyCode: CurrencyCode! }
type MoneyBag { shopMoney: MoneyV2! presentmentMoney: MoneyV2! }

type FulfillmentTrackingInfo { url: URL }
type Fulfillment {
  status: FulfillmentStatus!
  displayStatus: FulfillmentDisplayStatus
  trackingInfo(first: Int): [FulfillmentTrackingInfo!]!
}
type LineItem { title: String! quantity: Int! }
type LineItemConnection { nodes: [LineItem!]! }

type OrderTransaction { id: ID! }
type SuggestedOrderTransaction {
  gateway: String
  parentTransaction: OrderTransaction
  maximumRefundableSet: MoneyBag
}
type SuggestedRefund {
  maximumRefundableSet: MoneyBag!
  suggestedTransactions: [SuggestedOrderTransaction!]!
}
type Refund { id: ID! note: String }

type Order {
  id: ID!
  name: String!
  email: String
  note: String
  legacyResourceId: UnsignedInt64!
  createdAt: DateTime!
  updatedAt: DateTime!
  cancelledAt: DateTime
  displayFulfillmentStatus: OrderDisplayFulfillmentStatus!
  totalPriceSet: MoneyBag!
  totalRefundedSet: MoneyBag!
  suggestedRefund(suggestFullRefund: Boolean): SuggestedRefund
  fulfillments(first: Int): [Fulfillment!]!
  lineItems(first: Int): LineItemConnection!
  refunds(first: Int): [Refund!]!
}
type PageInfo { hasNextPage: Boolean! endCursor: String }
type OrderConnection { nodes: [Order!]! pageInfo: PageInfo! }
type Job { id: ID! done: Boolean! }

type Query {
  orders(
    first: Int, after: String, query: String, sortKey: OrderSortKeys, reverse: Boolean
  ): OrderConnection!
  order(id: ID!): Order
  job(id: ID!): Job
}

input OrderTransactionInput {
  orderId: ID!
  parentId: ID
  gateway: String!
  kind: OrderTransactionKind!
  amount: Money!
}
input RefundInput {
  orderId: ID!
  currency: CurrencyCode
  note: String
  notify: Boolean
  transactions: [OrderTransactionInput!]
}
input OrderCancelRefundMethodInput { originalPaymentMethodsRefund: Boolean }

type UserError { field: [String!] message: String! }
type RefundCreatePayload { order: Order refund: Refund userErrors: [UserError!]! }
type OrderCancelUserError { field: [String!] message: String! code: OrderCancelUserErrorCode }
type OrderCancelPayload { job: Job orderCancelUserErrors: [OrderCancelUserError!]! }

type Mutation {
  refundCreate(input: RefundInput!): RefundCreatePayload
  orderCancel(
    orderId: ID!
    reason: OrderCancelReason!
    restock: Boolean!
    notifyCustomer: Boolean
    staffNote: String
    refundMethod: OrderCancelRefundMethodInput
  ): OrderCancelPayload
}
"""
