"""`python -m nuts breast_cancer`: sample a posterior."""

from __future__ import annotations

import sys

from nuts.quiet_start import import_tensorflow


def main() -> int:
    """Import TensorFlow, and run the command line."""
    import_tensorflow()
    from nuts.command_line import main

    return main()


if __name__ == "__main__":
    sys.exit(main())
