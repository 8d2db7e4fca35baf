#!/bin/bash
# examples.sh: every example that a --help shows works as it is written, in the order in which they are shown.
#
# Environment (from make check): HO_TEST_SRCDIR, HO_TEST_BUILDDIR, HETEROOPT_DATA.
. "$HO_TEST_SRCDIR/tests/tap.sh"
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
cd "$place" || exit 1
mkdir bin && ln -s "$HO_TEST_BUILDDIR/heteroopt" bin/heteroopt && PATH=$place/bin:$PATH
# What examples take as given: the quickstart's config, small here, and its database.
mkdir experiments && sed -E 's/^(replicates:).*/\1 1/; s/evaluations: [0-9]+/evaluations: 50/; s/times: [0-9]+/times: 5/' \
  "$HO_TEST_SRCDIR/experiments/quickstart.yaml" >experiments/quickstart.yaml
{ # 10 kernels
  echo op,precision,flops,bytes,time_us
  for k in 1 2 4 8 16; do echo "gemm,fp32,${k}e9,${k}e7,$((210 * k + 20))"$'\n'"relu,fp32,${k}e6,${k}8e6,$((29 * k + 12))"; done
} >times.csv

examples() { # COMMAND: the lines of its examples
  heteroopt "$1" --help | sed -n '/^Examples*:/,$s/^  //p'
}

for c in $(heteroopt --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
  while IFS= read -r line; do
    if grep -q quickstart.db <<<"$line" && [ ! -e quickstart.db ]; then
      cp experiments/quickstart.db .
    fi
    bash -c "set -o pipefail; $line" >out 2>err </dev/null
    ok $? "$line" "$(tail -n 3 err)"
  done < <(examples "$c")
done

finish
