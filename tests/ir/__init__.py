"""The language: its analysis, verifier, printer and interpreter."""
