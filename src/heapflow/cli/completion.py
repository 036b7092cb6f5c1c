"""`heapflow completion`: the script that teaches a shell heapflow's commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

_VARIABLE = "_HEAPFLOW_COMPLETE"


@click.command(name="completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script of a SHELL.

    \b
    bash:  heapflow completion bash > ~/.local/share/bash-completion/completions/heapflow
    zsh:   heapflow completion zsh > "${fpath[1]}/_heapflow"
    fish:  heapflow completion fish > ~/.config/fish/completions/heapflow.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    script = kind(ctx.find_root().command, {}, "heapflow", _VARIABLE)
    click.echo(script.source_template % script.source_vars())
