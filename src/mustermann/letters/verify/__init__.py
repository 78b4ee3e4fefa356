"""The independent checker: re-derives every claim of a letter from its record alone.

It shares no code with what writes letters, so that it can contradict it. One check, one
file; each is a plugin in the group `mustermann.checks`.
"""
