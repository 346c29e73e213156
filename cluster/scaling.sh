#!/bin/bash
# How well a game scales on this machine: threads of one process, ranks of one thread, and solves that share nothing.
#   cluster/scaling.sh connect4:rows=5,cols=6
#   COUNTS="8" ROUNDS=5 cluster/scaling.sh xiangqi:material=KPPkpp --memory 2G
# Every round runs each of them once, in turn, so that a machine that is slow for a while is slow for all. Solves apart
# are what the machine gives so many cores at a time: caches, memory and clock included.
set -euo pipefail
: "${1:?which game? cluster/scaling.sh GAME[:OPTIONS] [more options of zermelo solve]}"

ZERMELO=${ZERMELO:-target/release/zermelo}
COUNTS=${COUNTS:-2 4 8 16}
ROUNDS=${ROUNDS:-3}
# What is run besides one thread.
WAYS=${WAYS:-threads ranks apart}
# In memory where that is possible: the disk is not what is measured.
DATA=$(mktemp -d "${ZERMELO_DATA:-/dev/shm}/scaling-XXXXXX")
trap 'rm -rf "$DATA"' EXIT
MPIRUN=${MPIRUN:-mpirun --allow-run-as-root --oversubscribe --bind-to none}

# Solves anew with so many threads into a folder; "seconds CPU-seconds".
solve() {
    local folder=$1 threads=$2
    shift 2
    "${LAUNCH[@]}" "$ZERMELO" solve "$@" --yes --threads "$threads" --data "$folder" --fresh --json 2>"$folder.told" |
        awk -F'[:,]' '/^  "seconds"/ { seconds = $2 } /^  "cpu_seconds"/ { print seconds, $2 }'
    [ "${PIPESTATUS[0]}" = 0 ] || tail -n 3 "$folder.told" >&2
    rm -rf "$folder"
}

# What a solve is started by.
LAUNCH=()

threads() { solve "$DATA/threads" "$@"; }

# CPU time is that of all ranks, with their waiting for messages.
ranks() {
    local count=$1 LAUNCH
    shift
    read -ra LAUNCH <<<"$MPIRUN -n $count"
    solve "$DATA/ranks" 1 "$@"
}

# The time in which so many cores do one solve: each one's speed, added up.
apart() {
    local count=$1
    shift
    for n in $(seq "$count"); do
        solve "$DATA/apart-$n" 1 "$@" &
    done | awk '{ speed += 1 / $1; cpu += $2 } END { print 1 / speed, cpu / NR }'
    wait
}

run() { # way count: tells and keeps what it took
    local way=$1 count=$2
    shift 2
    read -r seconds cpu <<<"$("$way" "$count" "$@")"
    [ -n "$seconds" ] || { echo "$way $count: failed" >&2; exit 1; }
    echo "$way $count $seconds $cpu" | tee -a "$DATA/log"
}

echo "$*: way, count, seconds, CPU seconds"
for _ in $(seq "$ROUNDS"); do
    run threads 1 "$@"
    for count in $COUNTS; do
        for way in $WAYS; do
            run "$way" "$count" "$@"
        done
    done
done

# Means, for the machine is as slow as it is; the efficiency is against one thread alone.
awk '{ key = $1 " " $2; if (!(key in many)) order[++keys] = key; many[key]++; sum[key] += $3; cpu[key] += $4 }
     END {
         one = sum["threads 1"] / many["threads 1"]
         print "way count: mean seconds, efficiency, CPU seconds"
         for (k = 1; k <= keys; k++) {
             key = order[k]; split(key, part, " "); mean = sum[key] / many[key]
             printf "%s: %.3f %.3f %.2f\n", key, mean, one / (mean * part[2]), cpu[key] / many[key]
         }
     }' "$DATA/log"
