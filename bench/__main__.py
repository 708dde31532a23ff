"""`python -m bench COMMAND`: measure, print a table, and keep it with `--save`."""

from __future__ import annotations

import argparse
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from bench import limit, machine, programs, report

COMMANDS = {
    "limit": (limit, "useful gradients per second of NUTS against a bare loop of gradients"),
    "programs": (programs, "the small programs of the tests: strategies, schedules, batch sizes"),
}


def main() -> None:
    """Read the command line and run one benchmark."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (module, purpose) in COMMANDS.items():
        command = commands.add_parser(
            name,
            help=purpose,
            description=module.__doc__,
            formatter_class=argparse.ArgumentDefaultsHelpFormatter,
        )
        module.add_arguments(command)
        command.add_argument("--save", action="store_true", help="write JSON to bench/results/")
    options = parser.parse_args()
    print("  ".join(f"{key}: {value}" for key, value in machine.describe().items()), flush=True)
    rows = COMMANDS[options.command][0].run(options)
    print()
    print(report.table(rows))
    if options.save:
        print(f"saved to {report.save(options.command, vars(options), rows)}")


if __name__ == "__main__":
    main()
