#!/usr/bin/env python3
"""Writes small models with weights, a file each, for the comparison under ONNX Runtime: what the rules look for, and what could mislead them.

Usage: models.py FOLDER
convolutions.onnx  batch 4: grouped and depthwise convolutions, batch normalisation, a residual, pooling, an identity, a dropout
encoder.onnx       batch 4: one transformer layer with everything in pieces: layer normalisation, attention of 6 heads with a mask, GELU
products.onnx      Gemm with and without transposed and square weights, products of two activations, a bias of every shape
skips.onnx         additions before a normalisation that are read later too, three times over
traps.onnx         a branch for every operator that looks as if it split, and mixes samples, heads or operands by an attribute or the
                   order of its inputs; all sizes are 4. A copy lies in tests/data/onnx
"""
import os
import random
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "experiments"))
from small_residual import blob, ints, node, number, value, weight  # noqa: E402


def real(name, v):  # AttributeProto, type FLOAT
    return blob(5, blob(1, name) + bytes([2 << 3 | 5]) + struct.pack("<f", v) + number(20, 1))


def whole(name, v):  # AttributeProto, type INT
    return blob(5, blob(1, name) + number(3, v & (1 << 64) - 1) + number(20, 2))


def integers(name, values):  # TensorProto, INT64
    return blob(5, number(1, len(values)) + number(2, 7) + b"".join(number(7, v & (1 << 64) - 1) for v in values) + blob(8, name))


def scalar(name, v):  # TensorProto, FLOAT, rank 0
    return blob(5, number(2, 1) + blob(8, name) + blob(9, struct.pack("<f", v)))


def model(name, parts, opset=17):
    return number(1, 8) + blob(2, "heteroopt") + blob(7, blob(2, name) + b"".join(parts)) + blob(8, number(2, opset))


def positive(name, n):  # a variance: the squares of small numbers and a little
    return blob(5, number(1, n) + number(2, 1) + blob(8, name) + blob(9, struct.pack("<%df" % n, *(0.5 + random.random() for _ in range(n)))))


def norm(x, y, c):
    return [weight(y + "_s", [c]), weight(y + "_b", [c]), weight(y + "_m", [c]), positive(y + "_v", c),
            node("BatchNormalization", [x, y + "_s", y + "_b", y + "_m", y + "_v"], y)]


def conv(x, y, cin, cout, k, groups=1, bias=True):
    w = [weight(y + "_w", [cout, cin // groups, k, k])] + ([weight(y + "_c", [cout])] if bias else [])
    pads = [k // 2] * 4
    return w + [node("Conv", [x, y + "_w"] + ([y + "_c"] if bias else []), y, ints("pads", pads), ints("kernel_shape", [k, k]), whole("group", groups))]


def convolutions():
    p = [value(11, "image", [4, 6, 12, 12])]
    p += conv("image", "a", 6, 12, 3, bias=False) + norm("a", "a_n", 12) + [node("Relu", ["a_n"], "a_r")]
    p += conv("a_r", "b", 12, 12, 3, groups=12) + [node("Clip", ["b", "low", "high"], "b_r"), scalar("low", 0.0), scalar("high", 6.0)]
    p += conv("b_r", "c", 12, 12, 1, groups=3) + norm("c", "c_n", 12)
    p += [node("Add", ["c_n", "a_r"], "sum"), node("Relu", ["sum"], "sum_r"), node("Identity", ["sum_r"], "same")]
    p += [node("MaxPool", ["same"], "pool", ints("kernel_shape", [2, 2]), ints("strides", [2, 2]))]
    p += [weight("per_channel", [12, 1, 1]), node("Mul", ["pool", "per_channel"], "scaled"), weight("per_column", [6]), node("Add", ["scaled", "per_column"], "shifted")]
    p += [node("Dropout", ["shifted"], "kept"), node("GlobalAveragePool", ["kept"], "mean"), node("Flatten", ["mean"], "flat")]
    p += [weight("fc_w", [10, 12]), weight("fc_b", [10]), node("Gemm", ["flat", "fc_w", "fc_b"], "scores", whole("transB", 1))]
    return model("convolutions", p + [value(12, "scores", [4, 10])])


def linear(x, y, a, b):
    return [weight(y + "_w", [a, b]), weight(y + "_c", [b]), node("MatMul", [x, y + "_w"], y + "_p"), node("Add", [y + "_p", y + "_c"], y)]


def layernorm(x, y, width):
    return [node("ReduceMean", [x], y + "_m", ints("axes", [-1 & (1 << 64) - 1])), node("Sub", [x, y + "_m"], y + "_d"),
            scalar(y + "_two", 2.0), node("Pow", [y + "_d", y + "_two"], y + "_q"),
            node("ReduceMean", [y + "_q"], y + "_v", ints("axes", [-1 & (1 << 64) - 1])), scalar(y + "_e", 1e-5),
            node("Add", [y + "_v", y + "_e"], y + "_ve"), node("Sqrt", [y + "_ve"], y + "_r"), node("Div", [y + "_d", y + "_r"], y + "_n"),
            weight(y + "_g", [width]), weight(y + "_b", [width]), node("Mul", [y + "_n", y + "_g"], y + "_s"), node("Add", [y + "_s", y + "_b"], y)]


def gelu(x, y):
    return [scalar(y + "_k", 2 ** 0.5), node("Div", [x, y + "_k"], y + "_a"), node("Erf", [y + "_a"], y + "_f"), scalar(y + "_1", 1.0),
            node("Add", [y + "_f", y + "_1"], y + "_g"), node("Mul", [x, y + "_g"], y + "_h"), scalar(y + "_5", 0.5), node("Mul", [y + "_h", y + "_5"], y)]


def encoder():
    b, s, h, d = 4, 10, 6, 8
    w = h * d
    p = [value(11, "x", [b, s, w]), value(11, "mask", [b, 1, 1, s]), integers("heads", [b, s, h, d]), integers("merged", [0, 0, -1])]
    p += layernorm("x", "ln1", w)
    for name, order in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
        p += linear("ln1", name, w, w) + [node("Reshape", [name, "heads"], name + "_h"), node("Transpose", [name + "_h"], name + "_t", ints("perm", order))]
    p += [node("MatMul", ["q_t", "k_t"], "scores"), scalar("root", d ** 0.5), node("Div", ["scores", "root"], "scaled"), node("Add", ["scaled", "mask"], "masked"),
          node("Softmax", ["masked"], "weights", whole("axis", -1)), node("MatMul", ["weights", "v_t"], "context"),
          node("Transpose", ["context"], "context_t", ints("perm", [0, 2, 1, 3])), node("Reshape", ["context_t", "merged"], "joined")]
    p += linear("joined", "o", w, w) + [node("Add", ["o", "x"], "skip1")] + layernorm("skip1", "ln2", w)
    p += linear("ln2", "up", w, 2 * w) + gelu("up", "act") + linear("act", "down", 2 * w, w) + [node("Add", ["down", "skip1"], "y")]
    return model("encoder", p + [value(12, "y", [b, s, w])])


def products():
    p = [value(11, "x", [8, 8]), value(11, "z", [8, 8])]
    p += [weight("w1", [8, 8]), weight("c1", [8]), node("Gemm", ["x", "w1", "c1"], "a", whole("transB", 1), real("alpha", 0.5))]
    p += [weight("w2", [8, 8]), weight("c2", [8, 1]), node("Gemm", ["a", "w2", "c2"], "b"), node("Relu", ["b"], "b_r")]
    p += [node("MatMul", ["z", "b_r"], "c"), node("MatMul", ["b_r", "z"], "d"), weight("w3", [8, 8]), node("Gemm", ["c", "w3"], "e", whole("transA", 1))]
    p += [weight("w4", [8, 6]), weight("c4", [1, 6]), node("Gemm", ["d", "w4", "c4"], "f", real("beta", 2.0)), node("Tanh", ["f"], "f_t")]
    p += [weight("w5", [6, 8]), node("MatMul", ["f_t", "w5"], "g"), weight("grid", [8, 8]), node("Add", ["g", "grid"], "h"), node("Mul", ["h", "e"], "y")]
    return model("products", p + [value(12, "y", [8, 8])])


def skips():
    p, x = [value(11, "x", [4, 6, 8])], "x"
    for i in "123":
        p += linear(x, "l" + i, 8, 8) + [node("Add", ["l" + i, x], "s" + i), weight("g" + i, [8]), weight("b" + i, [8]),
                                         node("LayerNormalization", ["s" + i, "g" + i, "b" + i], "n" + i), node("Add", ["n" + i, "s" + i], "y" + i)]
        x = "y" + i
    return model("skips", p + [value(12, x, [4, 6, 8])])


TRAPS = {  # name: rank of what it reads, operator, constants that it reads too (None: the same again), attributes, shape if another
    "softmax_first": (2, "Softmax", [], [whole("axis", 0)]),
    "softmax_second": (3, "Softmax", [], [whole("axis", 1)]),
    "softmax_last": (3, "Softmax", [], []),
    "logsoftmax_first": (2, "LogSoftmax", [], [whole("axis", -2)]),
    "hardmax_first": (2, "Hardmax", [], [whole("axis", 0)]),
    "layernorm_first": (2, "LayerNormalization", [(weight, "ln_s", [4, 4]), (weight, "ln_b", [4, 4])], [whole("axis", 0)]),
    "layernorm_last": (3, "LayerNormalization", [(weight, "ln_l", [4]), (weight, "ln_m", [4])], []),
    "lpnorm_first": (2, "LpNormalization", [], [whole("axis", 0)]),
    "meanvariance": (4, "MeanVarianceNormalization", [], []),
    "meanvariance_inner": (4, "MeanVarianceNormalization", [], [ints("axes", [2, 3])]),
    "pad_shifts": (2, "Pad", [(integers, "pads_s", [1, 0, -1, 0])], []),
    "pad_columns": (2, "Pad", [(integers, "pads_c", [0, 1, 0, 0])], [], [4, 5]),
    "slice_backwards": (2, "Slice", [(integers, "sl_b", [3]), (integers, "sl_e", [-9]), (integers, "sl_a", [0]), (integers, "sl_s", [-1])], []),
    "slice_columns": (2, "Slice", [(integers, "sl_B", [3]), (integers, "sl_E", [-9]), (integers, "sl_A", [1]), (integers, "sl_S", [-1])], []),
    "gather_rows": (2, "Gather", [(integers, "rows_i", [2, 0, 3, 1])], [whole("axis", 0)]),
    "gather_columns": (2, "Gather", [(integers, "columns_i", [2, 0, 3, 1])], [whole("axis", 1)]),
    "gather_heads": (3, "Gather", [(integers, "heads_i", [2, 0, 3, 1])], [whole("axis", 1)]),
    "expand_outside": (2, "Expand", [(integers, "cube", [4, 4, 4])], [], [4, 4, 4]),
    "transpose": (2, "Transpose", [], [ints("perm", [1, 0])]),
    "mean_first": (2, "ReduceMean", [], [ints("axes", [0])], [1, 4]),
    "sum_first": (3, "ReduceMax", [], [ints("axes", [0]), whole("keepdims", 0)], [4, 4]),
    "product_left": (2, "MatMul", [(weight, "left_w", [4, 4])], []),  # the constant is on the left
    "product_self": (2, "MatMul", None, []),
    "product_stacked": (3, "MatMul", [(weight, "stack_w", [4, 4, 4])], []),
    "product_spread": (2, "MatMul", [(weight, "spread_w", [4, 4, 4])], [], [4, 4, 4]),
    "gemm_turned": (2, "Gemm", [(weight, "turned_w", [4, 4])], [whole("transA", 1)]),
    "gemm_bias_rows": (2, "Gemm", [(weight, "rows_w", [4, 5]), (weight, "rows_c", [4, 5])], [], [4, 5]),
    "gemm_bias_square": (2, "Gemm", [(weight, "square_w", [4, 4]), (weight, "square_c", [4, 4])], [whole("transB", 1)]),
    "conv_dynamic": (4, "Conv", None, [ints("pads", [1, 1, 1, 1])], [4, 4, 3, 3]),
    "prelu": (3, "PRelu", [(weight, "slope", [4, 1, 1])], []),
    "add_column": (2, "Add", [(weight, "column", [4, 1])], []),
    "heads_mixed": (4, "Softmax", [], [whole("axis", 1)]),
}


def traps():
    p = [value(11, "x%d" % rank, [4] * rank) for rank in (2, 3, 4)]
    for name, (rank, kind, more, attributes, *shape) in TRAPS.items():
        x = name + "_in"
        inputs = [x, x] if more is None else [x] + [constant for _, constant, _ in more]
        if name == "product_left":
            inputs.reverse()
        p += [node("Tanh", ["x%d" % rank], x), node(kind, inputs, name, *attributes), node("Sigmoid", [name], name + "_out")]
        p += [make(constant, values) for make, constant, values in more or []]
        p.append(value(12, name + "_out", shape[0] if shape else [4] * rank))
    return model("traps", p)


def main():
    for build in (convolutions, encoder, products, skips, traps):
        random.seed(20261)
        with open(os.path.join(sys.argv[1], build.__name__ + ".onnx"), "wb") as f:
            f.write(build())


if __name__ == "__main__":
    main()
