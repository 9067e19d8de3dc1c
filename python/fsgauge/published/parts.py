"""The studies that a publication's claims are judged by, and what each needs to be run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fsgauge import kinds
from fsgauge.published.ledger import Ledger
from fsgauge.published.trial import Trial


@dataclass(frozen=True)
class StudyPart:
    """One study: its file, the rig it is for, and the trials that it decides."""

    study: str
    path: Path
    rig: str
    trials: tuple[Trial, ...]

    @property
    def needs_heads(self) -> bool:
        """Whether nothing of it is decided on storage that does not seek."""
        deciding = [each for each in self.trials if not each.no_proof]
        return bool(deciding) and all("heads" in each.needs for each in deciding)


def parts_of(folder: str, ledger: Ledger) -> list[StudyPart]:
    """Every study that a claim asks for, the simulated ones first."""
    trials: dict[str, list[Trial]] = {}
    for claim in ledger.claim:
        for prediction in claim.predictions:
            for study in prediction.studies:
                trials.setdefault(study, [])
        for trial in claim.trials:
            trials.setdefault(trial.study, []).append(trial)
    files = kinds.verdict_files(folder)
    found = [_part(study, files[f"{study}.toml"], each) for study, each in trials.items()]
    return sorted(found, key=lambda part: (part.rig != "simulator", part.rig == "vm", part.study))


def _part(study: str, path: Path, trials: list[Trial]) -> StudyPart:
    text = path.read_text(encoding="utf-8")
    rig = "vm" if "\n[rig]\n" in text else "host"
    return StudyPart(study, path, "simulator" if not trials else rig, tuple(trials))
