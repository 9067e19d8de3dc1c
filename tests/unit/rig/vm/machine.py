"""A program in QEMU's place: it takes the same arguments, and plays the guest and the monitor."""

from __future__ import annotations

import sys
from pathlib import Path

from fsgauge.rig.vm.cache import Guest, GuestFacts, Kernel, KernelFacts
from fsgauge.rig.vm.node import Node
from fsgauge.rig.vm.qemu import Disk, MachineSpec, Qemu

_PROGRAM = """#!{python}
import json, re, socket, sys, threading, time
words = " ".join(sys.argv)
opened = {{
    name: socket.socket(fileno=int(re.search(rf"id={{name}},fd=(\\d+)", words)[1]))
    for name in ("port", "monitor")
}}
console = re.search(r"-serial file:(\\S+)", words)[1].replace("/dev/fdset", "/proc/self/fd")
version, place, name = {version!r}, {place!r}, {name!r}

def write(text):
    with open(console, "a") as file:
        file.write(text + "\\n")

def say(**reply):
    opened["port"].sendall(json.dumps(reply).encode() + b"\\n")

def lines(name):
    for line in opened[name].makefile("rb"):
        with open(place + "/" + name, "ab") as file:
            file.write(line)
        yield json.loads(line)

def monitor():
    opened["monitor"].sendall(b'{{"QMP": {{}}}}\\r\\n')
    decoder, heard = json.JSONDecoder(), ""
    while piece := opened["monitor"].recv(4096):
        heard += piece.decode()
        while heard:
            try:
                asked, end = decoder.raw_decode(heard)
            except ValueError:
                break
            heard = heard[end:]
            with open(place + "/monitor", "a") as file:
                file.write(json.dumps(asked) + "\\n")
            answer = {{"return": {{}}}}
            if "bad" in str(asked):
                answer = {{"error": {{"desc": "no such disk"}}}}
            for each in ({{"event": "RESUME"}}, answer):
                opened["monitor"].sendall((json.dumps(each) + "\\n").encode())

threading.Thread(target=monitor, daemon=True).start()
{behaviour}
"""


def fake_node(
    place: Path, behaviour: str, *serials: str, version: str = "", name: str = "node1"
) -> Node:
    """A machine whose guest does what `behaviour`, lines of Python, says."""
    from fsgauge import __version__

    tmp_path = place if name == "node1" else place / name
    tmp_path.mkdir(exist_ok=True)
    program = tmp_path / "qemu"
    program.write_text(
        _PROGRAM.format(
            python=sys.executable,
            version=version or __version__,
            place=str(tmp_path),
            name=name,
            behaviour=behaviour,
        )
    )
    program.chmod(0o755)
    facts = GuestFacts(recipe="", distribution="", packages=[], libraries=[], kinds=[])
    kernel = KernelFacts(package="", version="", recipe="", modules=[])
    spec = MachineSpec(
        name=name,
        guest=Guest(tmp_path, facts),
        kernel=Kernel(tmp_path, kernel),
        lab=tmp_path / "lab",
        memory_bytes=1 << 30,
        disks=tuple(Disk(serial, tmp_path / serial) for serial in serials),
    )
    images = (spec.guest.root, spec.kernel.image, spec.kernel.initramfs, spec.kernel.modules)
    for path in (*images, spec.lab, *(disk.image for disk in spec.disks)):
        path.touch()
    return Node(spec, Qemu(str(program), "7.2"), "tcg", tmp_path)
