"""What a letter is about, sampled before a word of it is written."""
