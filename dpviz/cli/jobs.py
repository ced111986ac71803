"""The commands that outgrow a page: every plan of a grid, and the composition experiment played many times."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

from dpviz.cli import arguments, terminal
from dpviz.cli.progress import Progress
from dpviz.cli.terminal import OVER, WITHIN
from dpviz.jobs import Grid, Runner, simulated, swept
from dpviz.jobs.frontier import MEASURES
from dpviz.jobs.run import WORKERS, written
from dpviz.jobs.simulate import ROUNDS, SEED
from dpviz.rounding import next_above

SWEEP_EXAMPLES = """\
examples:
  dpviz sweep examples/statistics-office.json --grid examples/grids/statistics-office.json -o frontier.csv
  dpviz sweep plan.json --grid grid.json -o frontier.csv --dask tcp://10.0.0.1:8786

GRID names releases, or "*" for all others, and lists of noise (factors), count, rate and cadence:
  {"*": {"noise": [0.5, 1, 2]}, "Visitors": {"count": [1, 2], "cadence": ["weekly", "daily"]}}

Stopped by Ctrl-C, it leaves a file of what is done; the same command goes on from there."""
SIMULATE_EXAMPLES = """\
examples:
  dpviz simulate examples/weekly-dashboard.json
  dpviz simulate examples/lecture-11.json --rounds 1e9 -o simulation.csv

Stopped by Ctrl-C, it leaves a file of what is done; the same command goes on from there.

exit status: 0 if no interval lies above what is proved, 1 if one does, 2 if the plan cannot be read."""
EXAMPLES = (SWEEP_EXAMPLES, SIMULATE_EXAMPLES)


def add(commands: object) -> None:
    """Add the commands with their arguments."""
    typed, quantity, command_of = arguments.typed, arguments.quantity, arguments.command_of
    swept_by = command_of(commands, "sweep", "find the plans of a grid that nothing beats", SWEEP_EXAMPLES, sweep)
    swept_by.add_argument("--grid", required=True, metavar="FILE", help="JSON: what may vary of which release")
    swept_by.add_argument("-o", "--output", required=True, metavar="FILE", help="the CSV file to write")
    swept_by.add_argument("--error", choices=tuple(MEASURES), help="what error is; default: largest, where it is known")
    played_by = command_of(commands, "simulate", "play the composition experiment", SIMULATE_EXAMPLES, simulate)
    rounds = typed(quantity(ROUNDS, "rounds"))
    played_by.add_argument("--rounds", type=rounds, default=10**8, help="of all plays together; default: 100000000")
    played_by.add_argument("--seed", type=typed(quantity(SEED, "seed")), default=1, help="default: 1")
    played_by.add_argument("-o", "--output", metavar="FILE", help="a CSV file to write, too")
    for command in (swept_by, played_by):
        workers = typed(quantity(WORKERS, "workers"))
        command.add_argument("--workers", type=workers, help="processes; 1 is none beside this; default: all cores")
        command.add_argument("--dask", metavar="ADDRESS", help="of a Dask scheduler whose workers play instead")
        command.add_argument("--state", metavar="FILE", help="what is done, until all is; default: beside the output")


def sweep(options: argparse.Namespace) -> tuple[int, str]:
    """Write the plans of a grid that nothing beats."""
    plan = arguments.opened(options)
    grid = Grid.read(plan, options.grid)
    runner = _runner(options, f"{options.output}.state")
    frontier = swept(grid, options.error, runner)
    written(options.output, frontier.to_csv())
    runner.finished()
    kept, best = len(frontier.frame), frontier.frame.iloc[0]
    measure, least, most = MEASURES[best.measure], best.epsilon, frontier.frame.epsilon.max()
    return WITHIN, (
        f"Wrote {options.output}: of {terminal.counted(grid.size, 'plan')} nothing beats {kept:,}, from ε = "
        f"{terminal.cost(least)} to {terminal.cost(most)} at δ = {best.delta:.6g}.\nError: {measure}."
    )


def simulate(options: argparse.Namespace) -> tuple[int, str]:
    """Print what attackers see in the composition experiment, beside what is proved."""
    plan = arguments.opened(options)
    name = options.output or f"{'plan' if options.plan == '-' else Path(options.plan).name}.simulation"
    runner = _runner(options, f"{name}.state")
    frame = simulated(plan, options.rounds, options.seed, runner=runner)
    if options.output:
        written(options.output, frame.to_csv(index=False, lineterminator="\n"))
    runner.finished()
    plays = 2 * frame.plays.iloc[0]
    about = f"{plays:,} plays, half of them in each world; with 99 % all of the intervals hold the truth."
    rows = [("", "ε", "observed", "from", "to", "proved", "")]
    for row in frame.itertuples():
        numbers = (f"{each:.4g}" for each in (row.observed, row.observed_low, row.observed_high))
        epsilon = "-" if math.isnan(row.epsilon) else terminal.cost(row.epsilon)
        what = row.what if math.isnan(row.epsilon) else f"δ by {row.what}"
        proved = f"{next_above(row.proved, 4):.4g}"
        rows.append((what, epsilon, *numbers, proved, "" if row.holds else "above what is proved"))
    return (WITHIN if frame.holds.all() else OVER), "\n".join([about, "", *terminal.columns(rows)])


def _runner(options: argparse.Namespace, state: str) -> Runner:
    told = Progress(sys.stderr) if sys.stderr else None
    return Runner(options.workers, options.dask, options.state or state, told)
