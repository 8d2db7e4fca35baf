// compare.js: runs two ONNX models on the same inputs under ONNX Runtime and says how far their outputs lie apart.
//
// Reads lines of JSON, ["A.onnx", "B.onnx", {"name": n, …}] (values of symbolic dimensions; others are 1), and answers each with a line:
// {"outputs": n, "worst": largest difference over the largest value of its output, "absolute": largest difference}, or {"error": why}.
// Inputs: numbers in [-1, 1) out of a fixed sequence; whole numbers 0 or 1. The graphs run as they are: no optimisation of ONNX Runtime's own
// may undo or repeat what was rewritten.
'use strict';
const ort = require('onnxruntime-node');

let state;  // a 64-bit linear congruence (Knuth, MMIX)
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
  return ort.InferenceSession.create(file, {graphOptimizationLevel: 'disabled', intraOpNumThreads: 1, logSeverityLevel: 4});
}

function inputsOf(session, bound) {
  const feeds = {};
  state = 1n;
  for (const input of session.inputMetadata) {
    const shape = input.shape.map((d) => (typeof d === 'number' ? d : Number(bound[d] ?? 1)));
    if (!makers[input.type]) throw new Error(`input '${input.name}' is of type ${input.type}`);
    feeds[input.name] = new ort.Tensor(input.type, makers[input.type](shape.reduce((a, b) => a * b, 1)), shape);
  }
  return feeds;
}

function difference(name, p, q) {
  if (!q) throw new Error(`output '${name}' is gone`);
  if (p.dims.join() !== q.dims.join()) throw new Error(`output '${name}' is [${q.dims}] in place of [${p.dims}]`);
  let largest = 0, apart = 0;
  for (let i = 0; i < p.data.length; i++) {
    const u = Number(p.data[i]), v = Number(q.data[i]);
    if (Number.isNaN(u) !== Number.isNaN(v)) throw new Error(`output '${name}' is ${v} in place of ${u}`);
    largest = Math.max(largest, Math.abs(u) || 0);
    apart = Math.max(apart, u === v ? 0 : Math.abs(u - v) || 0);
  }
  return {absolute: apart, worst: apart ? apart / Math.max(largest, 1e-30) : 0};
}

async function compare(a, b, bound) {
  const first = await open(a), second = await open(b);
  const feeds = inputsOf(first, bound);
  const x = await first.run(feeds), y = await second.run(feeds);
  const answer = {outputs: first.outputNames.length, worst: 0, absolute: 0};
  for (const name of first.outputNames) {
    const d = difference(name, x[name], y[name]);
    answer.worst = Math.max(answer.worst, d.worst);
    answer.absolute = Math.max(answer.absolute, d.absolute);
  }
  await first.release();
  await second.release();
  return answer;
}

async function main() {
  for await (const line of require('readline').createInterface({input: process.stdin})) {
    const [a, b, bound] = JSON.parse(line);
    const answer = await compare(a, b, bound).catch((e) => ({error: String(e.message || e).split('\n')[0]}));
    console.log(JSON.stringify(answer));
  }
}

main();
