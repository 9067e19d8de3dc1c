#!/bin/bash
#SBATCH --job-name=fsgauge
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --time=100
#SBATCH --output=fsgauge-%j.log
cd '/home/me/my study' || exit 3
exec /opt/fsgauge/bin/python -P -m fsgauge run overhead --rig fleet --hosts slurm:4 --storage 'path:/a b'
