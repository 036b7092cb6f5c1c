"""What is known of a program before anything is followed: models, and beliefs about the rest.

In:    Program, models.     Out: `Known`.
"""

from __future__ import annotations

from dataclasses import dataclass

from heapflow.config import Config
from heapflow.ir.program import Program
from heapflow.modelled.take import ProgramModels, take_models
from heapflow.models.load import Models
from heapflow.ownership.ownership import Beliefs, form_beliefs
from heapflow.policies.inforce import Policies
from heapflow.policies.table import policies_without
from heapflow.stages.counts import count_limits
from heapflow.support.run import Run


@dataclass(frozen=True, slots=True)
class Known:
    """A program, and what its functions do as far as somebody says so."""

    program: Program  # functions that models stand for are declarations
    models: ProgramModels
    beliefs: Beliefs
    policies: Policies  # the assumptions of this run; how often each acted so far


def know(program: Program, models: Models, config: Config, run: Run) -> Known:
    """Take models, form beliefs about functions that have none."""
    with run.phase("models"):
        modelled = take_models(program, models, config.modelled)
        program = modelled.program
        run.count("functions of the program that are taken by their model", modelled.named)
        run.count("functions that those hand on to", modelled.handed)
    with run.phase("beliefs"):
        policies = policies_without(config.without)
        beliefs = form_beliefs(
            program, modelled.models, config.unknown_functions, config.beliefs, policies
        )
        count_limits(run, "models", modelled.limits_hit)
        count_limits(run, "beliefs", beliefs.limits_hit)
        return Known(program, beliefs.added_to(modelled.models), beliefs, policies)
