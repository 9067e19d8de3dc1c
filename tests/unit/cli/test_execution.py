"""What a run leaves for the next plan."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fsgauge.cli.execution import _conclude, _keep_noise, make_report, report_in
from fsgauge.errors import Interrupted
from fsgauge.rig.host.rig import HostRig
from fsgauge.store import read_results
from fsgauge.study.model import Study
from fsgauge.study.parse import load_study
from tests.laboratory import NoDiskEngine, run


class KeepingRig(HostRig):
    """Tells what it is to keep."""

    def keep_noise(self, study: Study, noise_percent: float, blocks: int, results: str) -> None:
        raise AssertionError(f"{noise_percent} of {blocks} blocks of {study.name} in {results}")


@pytest.mark.parametrize("spoilt", ["nothing", "not valid", "throttled", "own number"])
def test_the_noise_of_a_study_that_says_little_of_its_storage_is_not_kept(
    tmp_path: Path, spoilt: str
) -> None:
    directory = run(tmp_path, NoDiskEngine(0)).directory
    make_report(directory)
    report = report_in(directory)
    if spoilt == "not valid":
        report["sureness"]["valid"] = False
    elif spoilt == "throttled":
        report["findings"].append({"code": "limits.throttled"})
    (directory / "report.json").write_text(json.dumps(report))
    study = Study.model_validate(read_results(directory).study.study)
    if spoilt == "nothing":
        with pytest.raises(AssertionError, match="of 4 blocks"):
            _keep_noise(KeepingRig(), study, directory)
    else:
        if spoilt == "own number":  # pgbench -T 5 takes five seconds on any storage
            study = load_study("command-pgbench")
        _keep_noise(KeepingRig(), study, directory)


def test_ctrl_c_while_the_page_is_written_names_what_writes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ "interrupted" alone was printed, after hours of runs."""
    outcome = run(tmp_path, NoDiskEngine(0))

    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("fsgauge.cli.execution.make_report", stopped)
    with pytest.raises(Interrupted) as error:
        _conclude(outcome, None)
    assert f"next: fsgauge report {outcome.directory}" in error.value.render()
