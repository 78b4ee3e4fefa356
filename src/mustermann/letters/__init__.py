"""The clinical-letter half: attributes, skeletons, rendering, verification."""
