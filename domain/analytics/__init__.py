"""Analytics: daily metrics, knowledge gaps and the weekly churn prediction."""
