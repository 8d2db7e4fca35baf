#!/bin/bash
# quickstart.sh: how ./quickstart deals with missing packages, on machines that are made up of a few commands in a folder.
#
# Environment (from make check): HO_TEST_SRCDIR.
. "$HO_TEST_SRCDIR/tests/tap.sh"
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
mkdir "$place/clone" "$place/bin"
cp "$HO_TEST_SRCDIR/quickstart" "$place/clone"
unset CONDA_PREFIX

command_that() { # command_that NAME: a command of the made-up machine, its body from standard input
  { echo '#!/bin/bash'; cat; } >"$place/bin/$1"
  chmod +x "$place/bin/$1"
}
for tool in bash cat dirname env mkdir nproc readlink tail tr; do ln -s "$(type -P $tool)" "$place/bin/$tool"; done
command_that dpkg-query <<<'for last; do :; done; case $last in libgsl-dev | help2man) exit 1 ;; *) echo installed ;; esac'
command_that apt-get <<<'echo "$0 $*" >>"$(dirname "$0")/called"; exit 100'
command_that id <<<'echo 1000'

quickstart() { # runs it on the made-up machine; sets $said and $status
  rm -f "$place/bin/called"
  said=$(env -i PATH="$place/bin" bash "$place/clone/quickstart" "$@" 2>&1 </dev/null)
  status=$?
}

quickstart
[ $status -eq 1 ] && [ "$said" = "quickstart: missing packages; run as root: apt-get update && apt-get install -y --no-install-recommends libgsl-dev help2man" ]
ok $? "without root and sudo it prints the one line to run and stops" "status $status" "$said"
[ ! -e "$place/bin/called" ]
ok $? "and installs nothing"

command_that sudo <<<'[ "$1" = -n ] && shift; exec "$@"'
ln -s "$(type -P true)" "$place/bin/true"
quickstart
[ $status -eq 1 ] && grep -qxF "installing: libgsl-dev help2man (sudo)" <<<"$said"
ok $? "with sudo it says what it installs" "status $status" "$said"
grep -q "apt-get install -y -q --no-install-recommends libgsl-dev help2man$" "$place/bin/called"
ok $? "and asks apt-get for exactly that" "$(cat "$place/bin/called")"
grep -q "run as root: apt-get update" <<<"$said"
ok $? "when apt-get fails it prints the one line to run" "$said"

command_that id <<<'echo 0'
quickstart
grep -qxF "installing: libgsl-dev help2man" <<<"$said"
ok $? "root needs no sudo" "$said"

quickstart frobnicate
[ $status -eq 2 ]
ok $? "an unknown word is wrong usage" "status $status" "$said"
finish
