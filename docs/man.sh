#!/bin/sh
# man.sh: the manual page, made by help2man from what heteroopt --help and heteroopt COMMAND --help print.
#
# usage: man.sh HETEROOPT OUTPUT     HELP2MAN names the program, default help2man
set -e
heteroopt=$1 output=$2
LC_ALL=C.UTF-8
export LC_ALL
include=$output.include
trap 'rm -f "$include"' EXIT

# One verbatim block per command: the text is laid out for a terminal already. Backslashes, and dots at the beginning of a line,
# mean something to roff.
{
  echo "[options of the commands]"
  "$heteroopt" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | while read -r command; do
    printf '.SS "heteroopt %s"\n.nf\n' "$command"
    "$heteroopt" "$command" --help | sed -e 's/\\/\\e/g' -e "s/^\([.']\)/\\\\\&\1/" -e 's/-/\\-/g'
    echo ".fi"
  done
} >"$include"

"${HELP2MAN:-help2man}" --no-info --locale=C.UTF-8 --name="schedule deep-learning graphs on unlike devices, and compare how" \
  --include="$include" --output="$output" "$heteroopt"
