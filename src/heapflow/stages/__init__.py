"""The stages of a run, each as one function that `pipeline.py` calls."""
