#!/bin/bash
# onnxruntime.sh: rewritten ONNX models give the same outputs as before under ONNX Runtime: the proof that rewrites are legal.
#
# Usage: onnxruntime.sh BUILD [--table]. Needs node, python3, and the package onnxruntime-node: in the folder of node modules HO_NODE_MODULES, in
# BUILD/onnxruntime, or among the machine's; skips where they are not there. Nothing is installed unless HO_ONNXRUNTIME=npm asks for it (`make
# check-onnxruntime` does): then npm puts the package into BUILD/onnxruntime, without running the scripts of packages.
# --table: the table of docs/validation.md in place of TAP.
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
table=$2
version=1.30.0

skip_all() {
  echo "ok 1 - rewritten models give the same outputs under ONNX Runtime # SKIP $1"
  echo "1..1"
  exit 0
}

command -v node >/dev/null || skip_all "node is not on this machine"
command -v python3 >/dev/null || skip_all "python3 is not on this machine"

find_modules() {
  local folder
  for folder in "$HO_NODE_MODULES" "$build/onnxruntime/node_modules" /usr/local/lib/node_modules /usr/lib/node_modules; do
    [ -n "$folder" ] && [ -d "$folder/onnxruntime-node" ] && echo "$folder" && return
  done
}

modules=$(find_modules)
if [ -z "$modules" ] && [ "$HO_ONNXRUNTIME" = npm ]; then
  command -v npm >/dev/null || skip_all "npm is not on this machine"
  echo "# installing onnxruntime-node@$version with npm in $build/onnxruntime"
  mkdir -p "$build/onnxruntime"
  (cd "$build/onnxruntime" && timeout 300 npm install --ignore-scripts --no-audit --no-fund --prefix . "onnxruntime-node@$version") \
    >"$build/onnxruntime/npm.log" 2>&1 || skip_all "npm could not install onnxruntime-node@$version"
  modules=$(find_modules)
fi
[ -n "$modules" ] || skip_all "onnxruntime-node is not on this machine: make check-onnxruntime installs it in the build folder, with npm"
[ "$(NODE_PATH=$modules node -e 'process.stdout.write(typeof require("onnxruntime-node").InferenceSession)' 2>/dev/null)" = function ] ||
  skip_all "onnxruntime-node does not load on this machine"

python=python3 # Debian's python3-onnx, which checks the files, is seen by Debian's Python only
python3 -c 'import onnx' 2>/dev/null || { /usr/bin/python3 -c 'import onnx' 2>/dev/null && python=/usr/bin/python3; }
$python -c 'import onnx' 2>/dev/null || echo "# onnx.checker is not there (python3-onnx): files are not checked by it"

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
export PYTHONDONTWRITEBYTECODE=1
python3 "$here/onnxruntime/models.py" "$folder" || exit 1
models=("$here/../experiments/small_residual.onnx" "$folder/convolutions.onnx" "$folder/encoder.onnx" "$folder/products.onnx" "$folder/skips.onnx" "$here/data/onnx/traps.onnx")
shared=${HO_SHARED:-$here/../../shared}/onnx/files
for model in micro_kws_m_static_fp32.onnx micro_kws_m_static_qdq.onnx super_resolution_10.onnx genai_tiny_gpt2_past.onnx,batch_size=2 \
  ort_fusion/matmul_add_fusion_3Input_gemm_relu.onnx ort_fusion/fusion_fuse-conv-bn-mul-add-unsqueeze-no-bias.onnx; do
  [ -f "$shared/${model%%,*}" ] && models+=("$shared/$model")
done
$python "$here/onnxruntime/check.py" "$build/heteroopt" "$modules" "${models[@]}" $table
