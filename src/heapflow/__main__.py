"""`python -m heapflow` is the `heapflow` command."""

from heapflow.cli import start

if __name__ == "__main__":
    start()
