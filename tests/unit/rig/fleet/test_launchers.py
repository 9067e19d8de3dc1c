"""What Slurm and Kubernetes are handed: compared with the files in tests/data/fleet."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import pytest

from fsgauge.errors import FsgaugeError, InputError
from fsgauge.rig.fleet.choice import chosen_fleet, is_submitted
from fsgauge.rig.fleet.launcher import command as commands
from fsgauge.rig.fleet.launcher import kubernetes
from fsgauge.rig.fleet.launcher.command import ssh_command
from fsgauge.rig.fleet.launcher.kubernetes import Pods, manifest, read_pods
from fsgauge.rig.fleet.model import Host
from fsgauge.rig.rig import FleetChoice

DATA = Path(__file__).parents[3] / "data" / "fleet"


def command(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("FSGAUGE_PATH", str(folder))
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder


def test_the_batch_script(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/opt/fsgauge/bin/python")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    words = [
        "fsgauge",
        "run",
        "overhead",
        "--rig",
        "fleet",
        "--hosts",
        "slurm:4",
        "--storage",
        "path:/a b",
    ]
    found = commands.batch_script(4, words, Path("/home/me/my study"), 3000.0)
    assert found == (DATA / "slurm.sh").read_text()


def test_the_step_of_a_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/opt/fsgauge/bin/python")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    found = " ".join(commands.slurm_command(Host(name="n07")))
    assert found + "\n" == (DATA / "slurm-step.txt").read_text()


def test_the_manifest() -> None:
    pods = Pods(
        image="registry/fsgauge:1",
        hosts=2,
        listen="10.0.0.1",
        namespace="bench",
        claim="data",
        node_selector={"disk": "nvme"},
    )
    found = manifest(pods, "fsgauge-ab", {0: "first", 1: "second"})
    assert found == (DATA / "kubernetes.json").read_text()


def test_a_job_gives_its_nodes(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command(programs, "scontrol", "printf 'n1\\nn2\\nn3\\n'")
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n[1-3]")
    assert [host.name for host in chosen_fleet(FleetChoice(slurm=2)).hosts] == ["n1", "n2"]
    with pytest.raises(InputError, match="asks for 4 nodes, and this job has 3"):
        chosen_fleet(FleetChoice(slurm=4))


def test_a_script_is_submitted(programs: Path, tmp_path: Path) -> None:
    command(programs, "sbatch", f"cat > {tmp_path}/script; echo '4711;cluster'")
    assert commands.submitted("#!/bin/bash\n") == "4711"
    assert (tmp_path / "script").read_text() == "#!/bin/bash\n"


def test_what_slurm_refuses_is_in_its_words(programs: Path) -> None:
    command(programs, "sbatch", "echo 'sbatch: error: invalid partition' >&2; exit 1")
    with pytest.raises(FsgaugeError, match="invalid partition"):
        commands.submitted("")


def test_outside_of_a_job_a_study_is_submitted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    assert is_submitted(FleetChoice(slurm=4))
    with pytest.raises(InputError, match="and this is none") as caught:
        chosen_fleet(FleetChoice(slurm=4))
    assert "salloc --nodes=4" in caught.value.next


def test_pods_are_made_once_and_taken_away(programs: Path, tmp_path: Path) -> None:
    command(programs, "kubectl", f'echo "$@" >> {tmp_path}/said; cat >> {tmp_path}/given')
    pods = Pods(image="i", hosts=1, listen="10.0.0.1")
    launcher = kubernetes.KubernetesLauncher(pods, "fsgauge-x")
    host = Host(name="fsgauge-x-0")
    assert launcher.start({host: _bootstrap()}).keys() == {"fsgauge-x-0"}
    with pytest.raises(FsgaugeError, match="is not started again"):
        launcher.start({host: _bootstrap()})
    assert launcher.end() and launcher.end()
    assert (tmp_path / "said").read_text().splitlines() == [
        "apply -f -",
        "delete job,secret fsgauge-x -n default --ignore-not-found",
    ]
    items = json.loads((tmp_path / "given").read_text())["items"]
    assert json.loads(items[0]["stringData"]["0"])["key"] == "k"


@pytest.mark.parametrize(
    ("text", "said", "place"),
    [
        ('image = "x"\nhosts = 0\nlisten = "a"\n', '"hosts" is not valid', (2, 9)),
        ('image = "x"\nhosts = 1\nlisen = "a"\n', 'unknown key "lisen"', (3, 1)),
        ('image = "x\n', "this is not TOML", (1, 11)),
    ],
    ids=["value", "key", "no TOML"],
)
def test_a_mistake_in_a_file_of_pods_has_its_place(
    text: str, said: str, place: tuple[int, int], tmp_path: Path
) -> None:
    path = tmp_path / "pods.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=said) as caught:
        read_pods(path)
    assert caught.value.location is not None
    assert (caught.value.location.line, caught.value.location.column) == place
    assert str(path) in caught.value.render()


def test_a_file_of_pods_that_lacks_a_key_says_which(tmp_path: Path) -> None:
    path = tmp_path / "pods.toml"
    path.write_text('image = "x"\nhosts = 1\n')
    with pytest.raises(InputError, match='does not say "listen"'):
        read_pods(path)
    with pytest.raises(InputError, match=r"the file of pods .* cannot be read: No such file"):
        read_pods(tmp_path / "none.toml")


def _bootstrap() -> kubernetes.Bootstrap:
    return kubernetes.Bootstrap(
        scheduler="tls://x:1", name="fsgauge-x-0", authority="a", certificate="c", key="k"
    )


def test_ssh_asks_nothing_and_never_takes_a_host_for_an_option() -> None:
    host = Host(name="a", address="10.0.0.1", user="bench", port=2222, fsgauge="/opt/my fs/fsgauge")
    command = ssh_command(host, Path("/run/c"))
    assert command[0] == "ssh" and "BatchMode=yes" in command
    assert "ControlPath=/run/c/%C" in command
    assert command[-7:] == [
        *("-l", "bench", "-p", "2222", "--", "10.0.0.1"),
        "'/opt/my fs/fsgauge' fleet-host",
    ]
