"""The differential-privacy kit: knows tensors, not tables."""
