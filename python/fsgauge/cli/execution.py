"""Run a study for a command: clean up after the dead, measure, report, say the last two lines."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from fsgauge.study.model import Study


def execute(study: Study, *, results: Path, destroy: str | None, style: str | None) -> int:
    """Gives the exit code: 0, or that of what ended the study early."""
    from fsgauge.cli.answer import make_report
    from fsgauge.engine import Engine
    from fsgauge.host.ledger import clean_up_after_the_dead
    from fsgauge.progress import progress_for
    from fsgauge.rig.host import HostRig
    from fsgauge.run import run_study

    for sentence in clean_up_after_the_dead():
        sys.stderr.write(f"{sentence}\n")
    engine = Engine()
    outcome = run_study(
        study,
        rig=HostRig(engine),
        engine=engine,
        results=results,
        destroy=destroy,
        command=["fsgauge", *sys.argv[1:]],
        progress=progress_for(style or "auto"),
    )
    if outcome.ended_by is not None:
        sys.stderr.write(
            f"{outcome.ended_by.render()}\nthe report below has what was measured until then\n"
        )
    answer, page = make_report(outcome.directory)
    if style == "json":
        sys.stdout.write(json.dumps({"event": "answer", "answer": answer, "report": str(page)}))
        sys.stdout.write("\n")
    else:
        sys.stdout.write(f"answer: {answer}\nreport: {page}\n")
    return outcome.ended_by.exit_code if outcome.ended_by else 0
