"""`heapflow manual`: the man page, made of what `--help` says."""

from __future__ import annotations

import re

import click

from heapflow.version import __version__

_STATUS = (
    ("0", "nothing found, or notes only"),
    ("1", "leaks found"),
    ("2", "could not run: wrong arguments, no input"),
    ("3", "ran, but a part of the program could not be analysed; there may be findings as well"),
)
_FILES = (
    ("compile_commands.json", "the compile database, as `heapflow capture` and CMake write it"),
    ("heapflow.toml, pyproject.toml", "settings; the nearest holds (`heapflow config` shows them)"),
    ("~/.config/heapflow/heapflow.toml", "settings of the user"),
    ("~/.cache/heapflow", "compiled files; HEAPFLOW_CACHE_DIR names another directory"),
)


@click.command(name="manual")
@click.pass_context
def command(ctx: click.Context) -> None:
    """Print the man page.

    \b
    heapflow manual > ~/.local/share/man/man1/heapflow.1
    heapflow manual | man -l -
    """
    click.echo(man_page(ctx.find_root()), nl=False)


def man_page(root: click.Context) -> str:
    """The page in troff's man macros."""
    group = root.command
    assert isinstance(group, click.Group)
    lines = [
        f'.TH HEAPFLOW 1 "" "heapflow {__version__}" "User Commands"',
        ".SH NAME",
        "heapflow \\- a static memory\\-leak detector for C",
        ".SH SYNOPSIS",
    ]
    names = group.list_commands(root)
    for name in names:
        lines += [".B heapflow " + _text(name), _text(_usage(group, root, name)), ".br"]
    lines += [".SH DESCRIPTION", *_paragraphs(group.help or ""), ".SH COMMANDS"]
    for name in names:
        found = group.get_command(root, name)
        assert found is not None
        context = click.Context(found, info_name=name, parent=root)
        lines += [f".SS heapflow {_text(name)}", *_paragraphs(found.help or "")]
        lines += _options(found, context)
    lines.append(".SH EXIT STATUS")
    for status, meaning in _STATUS:
        lines += [".TP", f".B {status}", _text(meaning)]
    lines.append(".SH FILES")
    for file, meaning in _FILES:
        lines += [".TP", f".I {_text(file)}", _text(meaning)]
    return "\n".join(lines) + "\n"


def _usage(group: click.Group, root: click.Context, name: str) -> str:
    found = group.get_command(root, name)
    assert found is not None
    return " ".join(found.collect_usage_pieces(click.Context(found, info_name=name, parent=root)))


def _options(command: click.Command, context: click.Context) -> list[str]:
    lines: list[str] = []
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            lines += [".TP", f".B {_text(record[0])}", _text(record[1])]
    return lines


def _paragraphs(text: str) -> list[str]:
    """Help text: blocks that click leaves as they are stay lines."""
    lines: list[str] = []
    for block in re.split(r"\n\s*\n", text.strip()):
        kept = [line.strip() for line in block.splitlines()]
        if kept and kept[0] == "\b":
            lines += [".PP", ".nf", *map(_text, kept[1:]), ".fi"]
        else:
            lines += [".PP", *map(_text, kept)]
    return lines


def _text(text: str) -> str:
    """No character of it is an instruction to troff."""
    text = " ".join(text.split()).replace("…", "...")
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga")
    return "\\&" + text if text.startswith((".", "'")) else text
