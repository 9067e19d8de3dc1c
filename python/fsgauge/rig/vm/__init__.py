"""The virtual rig: machines of QEMU with stock kernels, built and run by an ordinary user. The
guest runs the host rig's own code: Python, the lab and the engine of this machine are in it."""
