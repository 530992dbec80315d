#!/bin/sh
# One report of each node of a job, in a folder that all nodes see:
#   salloc --nodes=100 --exclusive sh slurm/srun.sh /shared/fleet
# sql/load.sql loads /shared/fleet/reports. Without --exclusive, the waits are those of a busy node.
set -eu

reports=${1:?the folder of the fleet}/reports/$(date -u +%F)
mkdir -p "$reports"
# shellcheck disable=SC2016 # Each node expands its own name.
exec srun --ntasks-per-node=1 sh -c \
    'exec chronoscope --quiet --export "ndjson=$1/$(hostname -s).ndjson" > /dev/null' sh "$reports"
