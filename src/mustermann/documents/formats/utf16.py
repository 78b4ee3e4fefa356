"""UTF-16 offsets, as Java tools count them, and code points, as we do."""

from __future__ import annotations


def utf16_offsets(text: str) -> list[int]:
    """Returns the UTF-16 offset of each code point, and of the end: len(text) + 1 numbers."""
    found, at = [0], 0
    for character in text:
        at += 2 if ord(character) > 0xFFFF else 1
        found.append(at)
    return found


def code_points(text: str) -> dict[int, int]:
    """Returns the index of the code point that begins at each UTF-16 offset, end included."""
    return {unit: point for point, unit in enumerate(utf16_offsets(text))}
