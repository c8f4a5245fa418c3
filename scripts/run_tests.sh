#!/bin/sh
# The tests of these markers: first together, on two processes with servers of their own, then one by
# one what measures time or loads the machine. ORDER=random shuffles the files and what is in them;
# SEED=… repeats such an order.
#
#     sh scripts/run_tests.sh "not slow"
set -u
chosen=${1:-}
order=""
if [ "${ORDER:-}" = random ]; then
    seed=${SEED:-$(date +%s)}
    order="--random-order --random-order-bucket=module --random-order-seed=$seed"
    echo "in random order: SEED=$seed"
fi
begun=$(date +%s)

run() {
    # $order is several words, or none.
    # shellcheck disable=SC2086
    .venv/bin/python -m pytest --durations=30 $order -m "$@"
}
run "not alone${chosen:+ and $chosen}" -n 2 --dist loadfile --no-loadscope-reorder
together=$?
run "alone${chosen:+ and $chosen}"
alone=$?

echo "all tests: $(($(date +%s) - begun)) seconds"
[ "$together" -eq 0 ] && [ "$alone" -eq 0 ]
