"""Kubernetes: hosts are the pods of one Indexed Job, at most one on a node.

The manifest is written by fsgauge and handed to kubectl; each pod finds its bootstrap, which is
secret, under its index in a Secret of the same name. A pod that is lost is not started again: its
host is left out of the study.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from fsgauge.errors import InputError, RigError
from fsgauge.plain_files.bounds import MOST_HOSTS
from fsgauge.rig.fleet.launcher.command import HOST_COMMAND
from fsgauge.rig.fleet.launcher.launcher import Bootstrap, Launcher, NotOurs, Started, answer_of
from fsgauge.rig.fleet.model import Address, Fleet, Host, TomlFile, read_text
from fsgauge.study.base import OneLine, StudyModel
from fsgauge.study.storage import AbsolutePath

_SECONDS = 120.0
_WEEK_SECONDS = 7 * 24 * 3600
_MOUNTED = "/var/run/fsgauge"
_EXAMPLE = 'a file of pods has image = "...", hosts = 4 and listen = "..."'


class Pods(StudyModel):
    """What the file of --hosts kubernetes:FILE says. `listen` is the coordinator's address as pods
    see it; `claim` is mounted at `path`."""

    image: OneLine
    hosts: Annotated[int, Field(ge=1, le=MOST_HOSTS)]
    listen: Address
    namespace: OneLine = "default"
    claim: OneLine | None = None
    path: AbsolutePath = "/data"
    node_selector: dict[str, str] = Field(default_factory=dict)


def read_pods(path: Path) -> Pods:
    """The settings of a file; InputError with the place of the first mistake."""
    text = read_text(path, "the file of pods", "--hosts kubernetes:FILE")
    file = TomlFile(text, str(path), keys=lambda _: tuple(Pods.model_fields), example=_EXAMPLE)
    return file.model(Pods)


@dataclass
class KubernetesLauncher(Launcher):
    """All pods of one Job, started at once and ended together: one that does not connect in time is
    lost, since kubectl alone knows more of it."""

    pods: Pods
    name: str
    register_seconds: float = 600.0
    """Nodes may have to fetch the image first."""
    _is_applied: bool = False

    def start(self, bootstraps: Mapping[Host, Bootstrap]) -> dict[str, Started]:
        """Make the Job; RigError for a single pod, which is not started again."""
        if self._is_applied:
            raise RigError(
                "a pod that was lost is not started again",
                cause="all pods belong to one Job, which has run",
                next=f"kubectl describe pods -n {self.pods.namespace} -l fsgauge/study={self.name}",
            )
        by_index = {
            index: bootstrap.model_dump_json()
            for index, bootstrap in enumerate(bootstraps.values())
        }
        self._is_applied = True
        _kubectl(["apply", "-f", "-"], manifest(self.pods, self.name, by_index))
        return {host.name: NotOurs() for host in bootstraps}

    def end(self) -> bool:
        """Take Job, pods and Secret away; whether that worked."""
        if not self._is_applied:
            return True
        words = ["delete", "job,secret", self.name, "-n", self.pods.namespace, "--ignore-not-found"]
        try:
            _kubectl(words)
        except (InputError, RigError):
            return False
        self._is_applied = False
        return True

    def by_hand(self, host: Host, *, looks: bool = False) -> str:  # noqa: ARG002 - all are alike
        if looks:
            return (
                f"kubectl describe job,pods -n {self.pods.namespace} -l fsgauge/study={self.name}"
            )
        return f"kubectl delete job,secret {self.name} -n {self.pods.namespace}"


def fleet_of_pods(pods: Pods, name: str) -> Fleet:
    hosts = [Host(name=f"{name}-{index}") for index in range(pods.hosts)]
    return Fleet(launcher="kubernetes", listen=pods.listen, host=hosts)


def manifest(pods: Pods, name: str, bootstraps: Mapping[int, str]) -> str:
    """Secret and Job as one JSON list, which kubectl takes like YAML."""
    volumes: list[dict[str, Any]] = [
        {"name": "bootstrap", "secret": {"secretName": name, "defaultMode": 0o400}}
    ]
    mounts: list[dict[str, Any]] = [{"name": "bootstrap", "mountPath": _MOUNTED, "readOnly": True}]
    if pods.claim is not None:
        volumes.append({"name": "data", "persistentVolumeClaim": {"claimName": pods.claim}})
        mounts.append({"name": "data", "mountPath": pods.path})
    labels = {"app.kubernetes.io/name": "fsgauge", "fsgauge/study": name}
    apart = {"labelSelector": {"matchLabels": labels}, "topologyKey": "kubernetes.io/hostname"}
    pod: dict[str, Any] = {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "terminationGracePeriodSeconds": 60,
        "affinity": {
            "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]}
        },
        "containers": [
            {
                "name": "host",
                "image": pods.image,
                "command": ["/bin/sh", "-c"],
                "args": [
                    f"exec fsgauge {HOST_COMMAND} --bootstrap {_MOUNTED}/$JOB_COMPLETION_INDEX"
                ],
                "volumeMounts": mounts,
            }
        ],
        "volumes": volumes,
    }
    if pods.node_selector:
        pod["nodeSelector"] = pods.node_selector
    metadata = {"name": name, "namespace": pods.namespace, "labels": labels}
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": metadata,
        "type": "Opaque",
        "stringData": {str(index): text for index, text in bootstraps.items()},
    }
    job = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata,
        "spec": {
            "completionMode": "Indexed",
            "completions": pods.hosts,
            "parallelism": pods.hosts,
            "backoffLimit": 0,
            "activeDeadlineSeconds": _WEEK_SECONDS,
            "ttlSecondsAfterFinished": 600,
            "template": {"metadata": {"labels": labels}, "spec": pod},
        },
    }
    listed = {"apiVersion": "v1", "kind": "List", "items": [secret, job]}
    return json.dumps(listed, indent=1, sort_keys=True) + "\n"


def _kubectl(words: list[str], text: str = "") -> None:
    answer_of(["kubectl", *words], text, seconds=_SECONDS, look="kubectl cluster-info")
