# tap.sh: what the shell tests share; sourced, not run. Each law is one TAP line, the plan comes last.
n=0

ok() { # ok STATUS NAME [DETAILS…]: one law; details are shown when it does not hold
  n=$((n + 1))
  if [ "$1" -eq 0 ]; then
    echo "ok $n - $2"
  else
    echo "not ok $n - $2"
    shift 2
    [ $# -gt 0 ] && printf '%s\n' "$@" | sed 's/^/# /'
  fi
  return 0
}

skip() { # skip NAME REASON
  n=$((n + 1))
  echo "ok $n - $1 # SKIP $2"
}

finish() { echo "1..$n"; }
