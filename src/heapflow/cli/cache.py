"""`heapflow cache`: what is kept between runs."""

from __future__ import annotations

import click

from heapflow.cli.said import show
from heapflow.frontend.cache import (
    DEFAULT_LIMIT,
    Cache,
    cache_directory,
    format_size,
    parse_size,
)


@click.group(name="cache", invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Show, trim or clear the cache of compiled files."""
    if ctx.invoked_subcommand is None:
        use = Cache(cache_directory()).use()
        show(f"directory  {use.path}\n")
        click.echo(f"entries    {use.entries}")
        click.echo(f"size       {format_size(use.size)} of {format_size(DEFAULT_LIMIT)}")


@command.command(name="trim")
@click.option("--to", "size", metavar="SIZE", help="Keep at most this much, such as 500M.")
def trim(size: str | None) -> None:
    """Remove what has not been used for longest."""
    limit = parse_size(size) if size is not None else DEFAULT_LIMIT
    freed = Cache(cache_directory()).trim(limit)
    click.echo(f"freed {format_size(freed)}")


@command.command(name="clear")
def clear() -> None:
    """Remove everything from the cache."""
    click.echo(f"freed {format_size(Cache(cache_directory()).clear())}")
