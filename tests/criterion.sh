#!/bin/sh
# criterion.sh: runs one Criterion program so that it prints TAP, one line per test. Called by automake's test driver.
#
# Exit status 1 only repeats that a test failed, which its own line says; anything above is a fault of the program itself.
"$1" --tap=- --timeout 300
[ $? -le 1 ]
