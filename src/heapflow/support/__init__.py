"""Algorithms and plumbing without a word of the domain: worklists, SCCs, errors, timing."""
