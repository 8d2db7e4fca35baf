#!/bin/sh
# build_info.sh SOURCE_FOLDER OUTPUT FLAGS: writes the header that says which commit the sources are and how they are compiled. An unchanged text leaves the file as it
# is, so that nothing is built again. Without a repository of its own (a release's archive) the commit is "unknown".
set -eu
source=$(cd "$1" && pwd -P)
output=$2
flags=$(printf %s "$3" | sed 's/[\\"]/\\&/g')
commit=unknown
top=$(git -C "$source" rev-parse --show-toplevel 2>/dev/null || true)
if [ -n "$top" ] && [ "$(cd "$top" && pwd -P)" = "$source" ]; then
  commit=$(git -C "$source" rev-parse HEAD 2>/dev/null || echo unknown)
  [ -z "$(git -C "$source" status --porcelain --untracked-files=no 2>/dev/null)" ] || commit=$commit+changes
fi
mkdir -p "$(dirname "$output")"
{
  echo "/* Written by results/build_info.sh. */"
  echo "#define HO_BUILD_COMMIT \"$commit\""
  printf '#define HO_BUILD_FLAGS "%s"\n' "$flags"
} >"$output.new"
if cmp -s "$output.new" "$output"; then rm "$output.new"; else mv "$output.new" "$output"; fi
