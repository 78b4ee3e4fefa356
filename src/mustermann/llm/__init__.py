"""Language models behind an OpenAI-compatible server: asked, recorded, replayed."""
