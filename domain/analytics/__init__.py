"""Daily metrics and the weekly churn prediction."""
