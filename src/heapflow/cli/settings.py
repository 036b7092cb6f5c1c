"""`heapflow config`: the settings that hold here, and where each comes from."""

from __future__ import annotations

from typing import Any

import click

from heapflow.api.apply import apply_settings, limits_of
from heapflow.cli.choices import setting_options, settings_from
from heapflow.cli.said import show
from heapflow.config import Config
from heapflow.settings.settings import dump_settings


@click.command(name="config")
@setting_options
@click.option("--limits", "show_limits", is_flag=True, help="List every limit with its value.")
def command(show_limits: bool, **options: Any) -> None:
    """Print the effective settings, each with its origin.

    The output is valid TOML. Options are those of `check`, to see what they change.
    """
    settings = settings_from(options)
    config = apply_settings(Config(), settings, ())
    show(dump_settings(settings))
    if not show_limits:
        return
    for phase, table in limits_of(config).items():
        if phase not in settings.limits:
            click.echo(f"\n[limits.{phase}]  # default")
        for name, value in table.items():
            text = str(value).lower() if isinstance(value, bool) else str(value)
            if name not in settings.limits.get(phase, {}):
                click.echo(f"# {name} = {text}")
