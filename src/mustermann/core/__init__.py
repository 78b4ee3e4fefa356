"""What both halves stand on; imports nothing else of ours."""
