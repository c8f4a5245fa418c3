#!/bin/sh
# The tests of these markers: first together, on two processes that share their servers, then one by
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
# Without what they have compiled, each process compiles 1,400 files anew.
unset PYTHONDONTWRITEBYTECODE
begun=$(date +%s)
said=$(mktemp -d)
trap 'rm -rf "$said"' EXIT

run() {
    name=$1
    shift
    {
        # $order is several words, or none.
        # shellcheck disable=SC2086
        .venv/bin/python -m pytest --durations=30 --junitxml="$said/$name.xml" $order -m "$@"
        echo $? >"$said/$name.code"
    } | tee "$said/$name.out"
}
run together "not alone${chosen:+ and $chosen}" -n 2 --dist loadfile --no-loadscope-reorder
# Only their files: to collect all the others takes longer than some of these tests.
# shellcheck disable=SC2046
run alone "alone${chosen:+ and $chosen}" $(grep -rlE 'mark\.alone\b' tests --include='test_*.py')

echo "the slowest 30 of both:"
cat "$said"/*.out | grep -E '^[0-9.]+s +(call|setup|teardown) ' | sort -rn | head -30
echo "all tests: $(($(date +%s) - begun)) seconds"
rows=0
if [ -z "$chosen" ]; then  # a whole run: what came of it goes into docs/reliability.md
    .venv/bin/python -m scripts.reliability_table "$said/together.xml" "$said/alone.xml" || rows=1
fi
[ "$(cat "$said/together.code" "$said/alone.code" | tr -d '\n')$rows" = 000 ]
