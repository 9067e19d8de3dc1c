"""`python -m fsgauge` and the installed launcher."""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    from fsgauge.cli import main as run_command_line

    run_command_line()


if __name__ == "__main__":
    main()
