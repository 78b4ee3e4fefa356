"""Text with exact labels: spans, documents, corpora."""
