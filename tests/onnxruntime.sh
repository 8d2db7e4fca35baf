#!/bin/bash
# onnxruntime.sh: rewritten ONNX models give the same outputs as before under ONNX Runtime: the proof that rewrites are legal.
#
# Usage: onnxruntime.sh BUILD [--table]. ONNX Runtime comes from the folder of node modules HO_NODE_MODULES, or else from npm, without running
# the scripts of packages, into BUILD/onnxruntime. Needs node and python3; skips where they are not there.
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
modules=${HO_NODE_MODULES:-$build/onnxruntime/node_modules}
if [ ! -d "$modules/onnxruntime-node" ]; then
  command -v npm >/dev/null || skip_all "neither onnxruntime-node nor npm is on this machine"
  mkdir -p "$build/onnxruntime"
  (cd "$build/onnxruntime" && timeout 300 npm install --ignore-scripts --no-audit --no-fund --prefix . "onnxruntime-node@$version") \
    >"$build/onnxruntime/npm.log" 2>&1 || skip_all "npm could not install onnxruntime-node@$version"
fi
[ "$(NODE_PATH=$modules node -e 'process.stdout.write(typeof require("onnxruntime-node").InferenceSession)' 2>/dev/null)" = function ] ||
  skip_all "onnxruntime-node does not load on this machine"

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
export PYTHONDONTWRITEBYTECODE=1
python3 "$here/onnxruntime/models.py" "$folder" || exit 1
models=("$here/../experiments/small_residual.onnx" "$folder/convolutions.onnx" "$folder/encoder.onnx" "$folder/products.onnx")
shared=${HO_SHARED:-$here/../../shared}/onnx/files
for model in micro_kws_m_static_fp32.onnx micro_kws_m_static_qdq.onnx super_resolution_10.onnx genai_tiny_gpt2_past.onnx,batch_size=2; do
  [ -f "$shared/${model%%,*}" ] && models+=("$shared/$model")
done
python3 "$here/onnxruntime/check.py" "$build/heteroopt" "$modules" "${models[@]}" $table
