"""Daily metrics and the weekly prediction of churn."""
