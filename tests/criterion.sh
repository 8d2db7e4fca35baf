#!/bin/sh
# criterion.sh: runs one Criterion program so that it prints TAP, one line per test. Called by automake's test driver.
#
# Exit status 1 only repeats that a test failed, which its own line says; anything above is a fault of the program itself. What
# sanitizers say about a test's process goes to a file, since Criterion discards its output, and is shown at the end.
reports=$(mktemp -d) || exit 1
trap 'rm -rf "$reports"' EXIT
ASAN_OPTIONS=log_path=$reports/report${ASAN_OPTIONS:+:$ASAN_OPTIONS}
UBSAN_OPTIONS=print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}
# What Criterion's own process leaks (it forks a child per test) would end it before its output is written.
echo leak:libcriterion >"$reports.suppressions"
trap 'rm -rf "$reports" "$reports.suppressions"' EXIT
LSAN_OPTIONS=suppressions=$reports.suppressions:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}
export ASAN_OPTIONS UBSAN_OPTIONS LSAN_OPTIONS
"$1" --tap=- --timeout 300
status=$?
for report in "$reports"/*; do
  [ -f "$report" ] && head -n 30 "$report" | sed 's/^/# /'
done
[ $status -le 1 ]
