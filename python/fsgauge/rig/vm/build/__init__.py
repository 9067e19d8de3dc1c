"""Making the guest: packages of the distribution, a kernel, and the lab of this machine."""
