"""Which rule a finding breaks: decided from what was followed and executed, before anything is told."""
