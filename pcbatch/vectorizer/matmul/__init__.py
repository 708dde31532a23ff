"""Matrix products, whose operands may lie with the batch last."""
