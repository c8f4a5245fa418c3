#!/bin/sh
# Run the tests that match a marker expression. Most tests run on three parallel processes that
# share their servers. Then the tests marked `alone` run one by one, because they measure time or
# load the machine. ORDER=random shuffles the files and their tests; SEED=… repeats an order.
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
# Without the cached bytecode, each process would compile 1,400 files again.
unset PYTHONDONTWRITEBYTECODE
begun=$(date +%s)
said=$(mktemp -d)
trap 'rm -rf "$said"' EXIT

run() {
    name=$1
    shift
    {
        # $order has several words, or none.
        # shellcheck disable=SC2086
        .venv/bin/python -m pytest --durations=30 --junitxml="$said/$name.xml" $order -m "$@"
        echo $? >"$said/$name.code"
    } | tee "$said/$name.out"
}
run together "not alone${chosen:+ and $chosen}" -n 3 --dist loadfile --no-loadscope-reorder
# Only these tests' files are named: collecting all other files takes longer than some of the tests.
# shellcheck disable=SC2046
run alone "alone${chosen:+ and $chosen}" $(grep -rlE 'mark\.alone\b' tests --include='test_*.py')

echo "the slowest 30 of both:"
cat "$said"/*.out | grep -E '^[0-9.]+s +(call|setup|teardown) ' | sort -rn | head -30
echo "all tests: $(($(date +%s) - begun)) seconds"
rows=0
if [ -z "$chosen" ]; then  # a whole run writes its results to docs/reliability.md
    .venv/bin/python -m scripts.reliability_table "$said/together.xml" "$said/alone.xml" || rows=1
fi
[ "$(cat "$said/together.code" "$said/alone.code" | tr -d '\n')$rows" = 000 ]
