"""What hosts must be: of one version, each a machine of its own; and how many can be held."""

from __future__ import annotations

import json
import resource
from pathlib import Path

import pytest

from fsgauge.errors import FsgaugeError, InputError
from fsgauge.rig.fleet import identity
from fsgauge.rig.fleet.host_answers import digest_of, use_engine
from fsgauge.rig.fleet.hosts import require_descriptors


def host(**more: object) -> identity.HostIdentity:
    own = identity.own_identity().model_copy(update={"machine": "m1", "boot": "b1"})
    return own.model_copy(update=more)


def test_two_names_of_one_machine_are_seen() -> None:
    found = {"a": host(), "b": host(machine="m2"), "c": host(process=7)}
    with pytest.raises(InputError, match="a and c are two names of one machine"):
        identity.require_alike(found, one_machine=False)
    identity.require_alike(found, one_machine=True)


def test_one_image_on_two_machines_is_two() -> None:
    identity.require_alike({"a": host(), "b": host(boot="b2")}, one_machine=False)


def test_another_version_is_refused_also_where_it_says_more_of_itself() -> None:
    said = json.dumps({**host(fsgauge="9.9").model_dump(), "more": 1})
    with pytest.raises(InputError, match=r"b has fsgauge 9.9, and this is fsgauge") as caught:
        identity.identity_from("b", said)
    assert "on b: pipx install --force" in caught.value.next


def test_another_engine_is_refused() -> None:
    with pytest.raises(FsgaugeError, match="b has another build of the engine"):
        identity.require_alike({"b": host(engine_sha256="0" * 64)}, one_machine=False)


def test_a_host_without_an_engine_is_named() -> None:
    missing = host(engine_sha256=None, engine_missing="the engine is not installed")
    with pytest.raises(FsgaugeError, match="b: the engine is not installed"):
        identity.require_alike({"b": missing}, one_machine=False)


def test_too_few_descriptors_are_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 1024))
    with pytest.raises(InputError, match="1000 hosts need 4200 open files here") as caught:
        require_descriptors(1000)
    assert "206 hosts at most" in caught.value.next


def test_the_limit_is_raised_as_far_as_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    raised = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 4096))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: raised.append(limits))
    require_descriptors(100)
    assert raised == [(600, 4096)]


def test_hosts_that_differ_are_refused_where_equal_ones_are_asked_for() -> None:
    alike = {"a": host(), "b": host(machine="m2")}
    identity.require_same(alike)
    for change, said in [
        ({"kernel": "Linux 9.9"}, "b has another kernel than a, and same:HOSTS wants equal ones"),
        ({"processor": "slow"}, "b has another processor than a"),
        ({"processor_count": 77}, "b has another number of processors than a"),
    ]:
        with pytest.raises(InputError, match=said) as caught:
            identity.require_same({**alike, "b": host(machine="m2", **change)})
        assert any("b: " in line for line in caught.value.details)


def test_an_engine_that_is_sent_is_used_once_its_digest_is_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FSGAUGE_ENGINE", "/nowhere")
    assert identity.own_identity().engine_sha256 is None
    binary = b"#!/bin/sh\n"
    assert "damaged" in use_engine(binary, digest_of(binary + b"x"), tmp_path)
    assert identity.own_identity().engine_sha256 is None
    assert use_engine(binary, digest_of(binary), tmp_path) == ""
    assert identity.own_identity().engine_sha256 == digest_of(binary)
    assert "cannot be stored" in use_engine(binary, digest_of(binary), tmp_path / "none")
