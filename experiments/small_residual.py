#!/usr/bin/env python3
"""Writes small_residual.onnx: a residual network of three blocks on 32 x 32 images, weights included.

The file of onnx-example.yaml. It is made by hand, field by field (numbers from onnx.proto3), so that nothing has to be installed.
Usage: python3 small_residual.py > small_residual.onnx
"""
import random
import struct
import sys


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def number(field, n):
    return varint(field << 3) + varint(n)


def blob(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def ints(name, values):  # AttributeProto, type INTS
    return blob(5, blob(1, name) + b"".join(number(8, v) for v in values) + number(20, 7))


def node(kind, inputs, output, *attributes):  # NodeProto
    return blob(1, b"".join(blob(1, i) for i in inputs) + blob(2, output) + blob(3, output + "_op") + blob(4, kind) + b"".join(attributes))


def weight(name, shape):  # TensorProto, FLOAT, raw_data
    n = 1
    for d in shape:
        n *= d
    data = struct.pack("<%df" % n, *(random.uniform(-0.1, 0.1) for _ in range(n)))
    return blob(5, b"".join(number(1, d) for d in shape) + number(2, 1) + blob(8, name) + blob(9, data))


def value(field, name, shape):  # ValueInfoProto, FLOAT
    dims = b"".join(blob(1, number(1, d)) for d in shape)
    return blob(field, blob(1, name) + blob(2, blob(1, number(1, 1) + blob(2, dims))))


def network(channels=8, blocks=3, classes=10):
    random.seed(1)
    nodes, weights = [], []

    def conv(source, name, inputs, size):
        weights.append(weight(name + "_w", [channels, inputs, size, size]))
        nodes.append(node("Conv", [source, name + "_w"], name, ints("kernel_shape", [size, size]), ints("pads", [size // 2] * 4)))
        return name

    def apply(kind, sources, name, *attributes):
        nodes.append(node(kind, sources, name, *attributes))
        return name

    x = apply("Relu", [conv("image", "stem", 3, 3)], "stem_relu")
    for i in range(blocks):
        a = apply("Relu", [conv(x, "block%d_a" % i, channels, 3)], "block%d_relu" % i)
        b = conv(a, "block%d_b" % i, channels, 3)
        x = apply("Relu", [apply("Add", [b, x], "block%d_sum" % i)], "block%d" % i)
    x = apply("Flatten", [apply("GlobalAveragePool", [x], "pool")], "flat")
    weights.append(weight("head_w", [channels, classes]))
    apply("MatMul", [x, "head_w"], "scores")
    return b"".join(nodes) + blob(2, "small_residual") + b"".join(weights) + value(11, "image", [1, 3, 32, 32]) + value(12, "scores", [1, classes])


if __name__ == "__main__":
    model = number(1, 8) + blob(2, "small_residual.py") + blob(7, network()) + blob(8, blob(1, "") + number(2, 13))
    sys.stdout.buffer.write(model)
