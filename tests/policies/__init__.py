"""Assumptions of stage 1."""
