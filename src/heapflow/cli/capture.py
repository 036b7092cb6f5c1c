"""`heapflow capture`: run a build and record what it compiles and links."""

from __future__ import annotations

from pathlib import Path

import click

from heapflow.cli.outputs import check_place
from heapflow.cli.said import tell
from heapflow.frontend.capture import Earlier, capture_build, read_earlier, write_database
from heapflow.frontend.capture.entries import Captured
from heapflow.frontend.database import DATABASE_NAME
from heapflow.frontend.units import display_path
from heapflow.report.wording import count
from heapflow.support.errors import UserError


class _BuildCommand(click.Command):
    """Everything after `--` is the build, whatever it looks like."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.obj = ()
        if "--" in args:
            split = args.index("--")
            args, ctx.obj = args[:split], tuple(args[split + 1 :])
        return super().parse_args(ctx, args)


@click.command(cls=_BuildCommand, name="capture", options_metavar="[OPTIONS] -- BUILD COMMAND")
@click.option(
    "-o",
    "output",
    type=click.Path(),
    default=DATABASE_NAME,
    metavar="FILE",
    help="Database to write.",
)
@click.option("--cc", "compilers", multiple=True, metavar="NAME", help="Another compiler's name.")
@click.option("--fresh", is_flag=True, help="Forget what an earlier capture recorded.")
@click.option("--append", is_flag=True, hidden=True)  # what is done anyhow
@click.option(
    "--method",
    type=click.Choice(["auto", "shims"]),
    default="auto",
    help="auto: preload a library; shims: stand-ins on PATH.",
)
@click.option("-q", "--quiet", is_flag=True, help="Say nothing of what was recorded.")
@click.pass_context
def command(
    ctx: click.Context,
    output: str,
    compilers: tuple[str, ...],
    fresh: bool,
    append: bool,
    method: str,
    quiet: bool,
) -> int:
    """Record a compile database from a build.

    The build runs as usual and its exit status is passed on. Build from scratch (make clean): what is
    not compiled is not seen. Files that an earlier capture recorded and this build does not compile
    stay in the database, unless they are gone or --fresh is given.
    """
    if not ctx.obj:
        raise UserError(
            "no build command\n  write it after two dashes:  heapflow capture -- make -j4"
        )
    path = Path(output)
    path = path / DATABASE_NAME if path.is_dir() else path
    check_place(path)
    earlier = Earlier() if fresh else read_earlier(path)
    outcome = capture_build(ctx.obj, compilers, method)
    old: list[str] = []
    if outcome.captured.entries:
        old = write_database(outcome.captured, path, earlier)
    if not quiet:
        tell(f"heapflow: {_summary(outcome.captured, path, old)}")
        if outcome.status:
            tell(
                f"  the build ended with status {outcome.status}: what it did not reach is missing"
            )
    return outcome.status


def _summary(captured: Captured, path: Path, old: list[str]) -> str:
    if not captured.entries:
        kept = f"; {path} is left as it was" if path.exists() else ""
        return (
            f"the build compiled no C file{kept}\n"
            "  if everything was up to date, clean first:  make clean\n"
            "  if the compiler has a name of its own:      heapflow capture --cc NAME -- make"
        )
    linked = len(captured.targets)
    targets = "1 program or library" if linked == 1 else f"{linked} programs and libraries"
    lines = [f"{count(len(captured.entries), 'compiled file')} and {targets} in {path}"]
    if old:
        more = "" if len(old) == 1 else f" and {len(old) - 1} more"
        lines.append(
            f"  {display_path(Path(old[0]))}{more}: not compiled now, kept from an earlier capture; "
            "--fresh forgets"
        )
    if captured.vanished:
        lines.append(
            f"  {len(captured.vanished)} sources are gone, such as {captured.vanished[0]}: not in it"
        )
    if captured.from_stdin:
        lines.append(f"  {captured.from_stdin} programs were compiled from a pipe: not in it")
    return "\n".join(lines)
