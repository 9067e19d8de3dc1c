"""Which kernel brought a loss: a study of a good kernel and another, halving what is between."""
