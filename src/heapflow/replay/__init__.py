"""Replay: candidates are executed, exactly, and a finding is what survives."""
