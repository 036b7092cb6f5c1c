"""Measurements on real programs. Not part of the tests; results.md has the figures."""
