#!/bin/sh
# criterion.sh: runs one Criterion program so that it prints TAP, one line per test. Called by automake's test driver.
exec "$1" --tap=- --timeout 300
