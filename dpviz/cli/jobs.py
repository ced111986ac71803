"""The commands that outgrow a page: every plan of a grid, and the composition experiment played many times."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

from dpviz.cli import arguments, terminal
from dpviz.cli.arguments import quantity, typed
from dpviz.cli.command import Answer, Command
from dpviz.cli.progress import Progress
from dpviz.cli.terminal import OVER, WITHIN
from dpviz.jobs import Grid, Runner, simulated, swept
from dpviz.jobs.frontier import MEASURES
from dpviz.jobs.run import WORKERS, written
from dpviz.jobs.simulate import ROUNDS, SEED
from dpviz.rounding import next_above
from dpviz.schemas import MEASURED, NUMBER, TEXT, TRUTH, WHOLE, Answered, described, listed, record

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


def add_sweep(command: argparse.ArgumentParser) -> None:
    """Add the grid, where its frontier goes, and how it is played."""
    command.add_argument("--grid", required=True, metavar="FILE", help="JSON: what may vary of which release")
    command.add_argument("-o", "--output", required=True, metavar="FILE", help="the CSV file to write")
    command.add_argument("--error", choices=tuple(MEASURES), help="what error is; default: largest, where it is known")
    _add_runner(command)


def add_simulate(command: argparse.ArgumentParser) -> None:
    """Add how often the experiment is played, and how."""
    rounds = typed(quantity(ROUNDS, "rounds"))
    command.add_argument("--rounds", type=rounds, default=10**8, help="of all plays together; default: 100000000")
    command.add_argument("--seed", type=typed(quantity(SEED, "seed")), default=1, help="default: 1")
    command.add_argument("-o", "--output", metavar="FILE", help="a CSV file to write, too")
    _add_runner(command)


def _add_runner(command: argparse.ArgumentParser) -> None:
    workers = typed(quantity(WORKERS, "workers"))
    command.add_argument("--workers", type=workers, help="processes; 1 is none beside this; default: all cores")
    command.add_argument("--dask", metavar="ADDRESS", help="of a Dask scheduler whose workers play instead")
    command.add_argument("--state", metavar="FILE", help="what is done, until all is; default: beside the output")


def sweep(options: argparse.Namespace) -> Answer:
    """Write the plans of a grid that nothing beats."""
    plan = arguments.opened(options)
    grid = Grid.read(plan, options.grid)
    runner = _runner(options, f"{options.output}.state")
    frontier = swept(grid, options.error, runner)
    written(options.output, frontier.to_csv())
    runner.finished()
    kept, best = len(frontier.frame), frontier.frame.iloc[0]
    measure, least, most = MEASURES[best.measure], best.epsilon, frontier.frame.epsilon.max()
    text = (
        f"Wrote {options.output}: of {terminal.counted(grid.size, 'plan')} nothing beats {kept:,}, from ε = "
        f"{terminal.cost(least)} to {terminal.cost(most)} at δ = {best.delta:.6g}.\nError: {measure}."
    )
    ends = {"epsilon_least": float(least), "epsilon_most": float(most), "delta": float(best.delta)}
    told = {"output": options.output, "plans": grid.size, "unbeaten": kept, **ends, "measure": best.measure}
    return Answer(text=text, told=told, asked=False)


def simulate(options: argparse.Namespace) -> Answer:
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
    told = [{str(name): terminal.finite(value) for name, value in row.items()} for row in frame.to_dict("records")]
    text = "\n".join([about, "", *terminal.columns(rows)])
    return Answer(WITHIN if frame.holds.all() else OVER, text, {"plays": int(plays), "observations": told})


def _runner(options: argparse.Namespace, state: str) -> Runner:
    told = Progress(sys.stderr) if sys.stderr and not options.quiet else None
    return Runner(options.workers, options.dask, options.state or state, told)


SWEEP = Answered(
    "sweep", 1, "What a sweep of dpviz found; the plans themselves stand in its CSV file",
    {
        "output": described(TEXT, "the CSV file"),
        "plans": described(WHOLE, "how many there are in the grid"),
        "unbeaten": described(WHOLE, "how many of them nothing beats"),
        **dict.fromkeys(("epsilon_least", "epsilon_most"), described(NUMBER, "of those")),
        "delta": NUMBER,
        "measure": described({"enum": list(MEASURES)}, "what error is"),
    },
)  # fmt: skip
_OBSERVED = record(
    {
        "what": described(TEXT, "what is observed: how often a guess is right, or a δ by some event"),
        "epsilon": described(MEASURED, "at which it is a δ"), "plays": WHOLE,
        **dict.fromkeys(("frequency", "low", "high"), described(MEASURED, "of the event, and the ends around it")),
        **dict.fromkeys(("observed", "observed_low", "observed_high"), MEASURED), "proved": MEASURED,
        "holds": described(TRUTH, "whether the interval does not lie above what is proved"),
    }
)  # fmt: skip
SIMULATION = Answered(
    "simulation", 1, "The composition experiment of dpviz, played", {"plays": WHOLE, "observations": listed(_OBSERVED)}
)
COMMANDS = (
    Command("sweep", "find the plans of a grid that nothing beats", SWEEP_EXAMPLES, sweep, add_sweep, SWEEP),
    Command("simulate", "play the composition experiment", SIMULATE_EXAMPLES, simulate, add_simulate, SIMULATION),
)
