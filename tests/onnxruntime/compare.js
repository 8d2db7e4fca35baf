// compare.js: runs two ONNX models on the same inputs under ONNX Runtime and prints how far their outputs lie apart.
//
// Usage: node compare.js A.onnx B.onnx [NAME=N]…      (values of symbolic dimensions; others are 1)
// Inputs: numbers in [-1, 1) out of a fixed sequence; whole numbers 0 or 1. The graphs run as they are: no optimisation of ONNX Runtime's own
// may undo or repeat what was rewritten. Prints one line per output: name, elements, largest value, largest difference.
'use strict';
const ort = require('onnxruntime-node');

let state = 1n;  // a 64-bit linear congruence (Knuth, MMIX)
function next() {
  state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
  return Number(state >> 40n) / 2 ** 24;
}

const makers = {
  float32: (n) => Float32Array.from({length: n}, () => 2 * next() - 1),
  float64: (n) => Float64Array.from({length: n}, () => 2 * next() - 1),
  int64: (n) => BigInt64Array.from({length: n}, () => (next() < 0.5 ? 0n : 1n)),
  int32: (n) => Int32Array.from({length: n}, () => (next() < 0.5 ? 0 : 1)),
  uint8: (n) => Uint8Array.from({length: n}, () => Math.floor(256 * next())),
  int8: (n) => Int8Array.from({length: n}, () => Math.floor(256 * next()) - 128),
  bool: (n) => Uint8Array.from({length: n}, () => (next() < 0.5 ? 0 : 1)),
};

async function open(file) {
  return ort.InferenceSession.create(file, {graphOptimizationLevel: 'disabled', intraOpNumThreads: 1, logSeverityLevel: 3});
}

function inputsOf(session, bound) {
  const feeds = {};
  for (const input of session.inputMetadata) {
    const shape = input.shape.map((d) => (typeof d === 'number' ? d : Number(bound[d] ?? 1)));
    if (!makers[input.type]) throw new Error(`input '${input.name}' is of type ${input.type}`);
    feeds[input.name] = new ort.Tensor(input.type, makers[input.type](shape.reduce((a, b) => a * b, 1)), shape);
  }
  return feeds;
}

async function main() {
  const [a, b, ...bindings] = process.argv.slice(2);
  const bound = Object.fromEntries(bindings.map((x) => x.split('=')));
  const first = await open(a), second = await open(b);
  const feeds = inputsOf(first, bound);
  const x = await first.run(feeds), y = await second.run(feeds);
  for (const name of first.outputNames) {
    const p = x[name], q = y[name];
    if (!q) throw new Error(`output '${name}' is gone`);
    if (p.dims.join() !== q.dims.join()) throw new Error(`output '${name}' is [${q.dims}] in place of [${p.dims}]`);
    let largest = 0, difference = 0;
    for (let i = 0; i < p.data.length; i++) {
      const u = Number(p.data[i]), v = Number(q.data[i]);
      if (Number.isNaN(u) !== Number.isNaN(v)) difference = Infinity;
      largest = Math.max(largest, Math.abs(u) || 0);
      difference = Math.max(difference, u === v ? 0 : Math.abs(u - v) || 0);
    }
    console.log([name, p.data.length, largest, difference].join('\t'));
  }
}

main().catch((e) => {
  console.error(String(e.message || e).split('\n')[0]);
  process.exit(1);
});
