"""What the report shows of a study of churn, and of no other."""
