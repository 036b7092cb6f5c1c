"""`python -m heapflow` is the `heapflow` command."""

from heapflow.cli import main

if __name__ == "__main__":
    main()
