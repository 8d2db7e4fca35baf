#!/usr/bin/env python3
"""Writes the small ONNX files of this directory, byte by byte from ONNX's public field numbers, without any ONNX library.

Run it here after a change; the files are committed, so that building and testing need no Python."""
import struct

FLOAT, UINT8, INT8, INT64, BOOL = 1, 2, 3, 7, 9


def varint(v):
    v &= (1 << 64) - 1
    out = b""
    while True:
        out += bytes([v & 0x7F | (0x80 if v > 0x7F else 0)])
        v >>= 7
        if not v:
            return out


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def fields(number, values):
    return b"".join(field(number, v) for v in values)


def tensor(name, kind, dims, data=None):
    out = fields(1, dims) + field(2, kind) + (field(8, name) if name else b"")
    if data is None:  # weights that nobody reads: another file, which is not there
        return out + field(13, field(1, "location") + field(2, "weights.bin")) + field(14, 1)
    code = {FLOAT: "f", UINT8: "B", INT8: "b", INT64: "q", BOOL: "?"}[kind]
    return out + field(9, struct.pack("<%d%s" % (len(data), code), *data))


def info(name, kind, dims):
    if dims is None:
        return field(1, name) + field(2, field(1, field(1, kind)))
    shape = b"".join(field(1, field(2, d) if isinstance(d, str) else field(1, d)) for d in dims)
    return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))


class Graph(bytes):
    pass


class Ref(str):
    """An attribute that takes the value of its function's attribute of this name."""


def attribute(name, v):
    out = field(1, name)
    if isinstance(v, Ref):
        return out + field(21, str(v)) + field(20, 2)
    if isinstance(v, Graph):
        return out + field(6, bytes(v)) + field(20, 5)
    if isinstance(v, bytes):
        return out + field(5, v) + field(20, 4)
    if isinstance(v, int):
        return out + field(3, v) + field(20, 2)
    if isinstance(v, float):
        return out + field(2, v) + field(20, 1)
    if isinstance(v, str):
        return out + field(4, v) + field(20, 3)
    return out + fields(8, v) + field(20, 7)


def node(op, inputs, outputs, name="", domain="", **attributes):
    out = fields(1, inputs.split(" ") if inputs else []) + fields(2, outputs.split(" ") if outputs else [])
    out = out.replace(field(1, "_"), field(1, "")).replace(field(2, "_"), field(2, ""))
    out += field(3, name) + field(4, op) + b"".join(field(5, attribute(k, v)) for k, v in attributes.items())
    return out + (field(7, domain) if domain else b"")


def graph(nodes, inputs=(), outputs=(), weights=(), values=(), name="g"):
    return Graph(fields(1, nodes) + field(2, name) + fields(5, weights) + fields(11, inputs) + fields(12, outputs) + fields(13, values))


def model(file, g, opset=17, domains=(), functions=()):
    out = field(1, 8) + field(2, "make.py") + field(7, bytes(g)) + field(8, field(1, "") + field(2, opset))
    out += b"".join(field(8, field(1, d) + field(2, 1)) for d in domains) + fields(25, functions)
    with open(file, "wb") as f:
        f.write(out)


def function(domain, name, inputs, outputs, nodes, attributes=(), defaults=()):
    out = field(1, name) + fields(4, inputs) + fields(5, outputs) + fields(6, attributes) + fields(7, nodes)
    return out + field(9, field(1, "") + field(2, 17)) + field(9, field(1, domain) + field(2, 1)) + field(10, domain) + fields(11, defaults)


# A residual block as an old exporter writes it: initializers are inputs too, no names, no inferred shapes.
model("residual.onnx", graph(
    [node("Conv", "x w1", "c1", kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
     node("BatchNormalization", "c1 s b m v", "n1"),
     node("Relu", "n1", "r1"),
     node("Conv", "r1 w2", "c2", kernel_shape=[3, 3], pads=[1, 1, 1, 1], group=8),
     node("Add", "c2 r1", "sum"),
     node("GlobalAveragePool", "sum", "pool"),
     node("Flatten", "pool", "flat"),
     node("Gemm", "flat fc bias", "y", transB=1)],
    [info("x", FLOAT, ["N", 3, 16, 16]), info("w1", FLOAT, [8, 3, 3, 3])], [info("y", FLOAT, ["N", 10])],
    [tensor("w1", FLOAT, [8, 3, 3, 3]), tensor("s", FLOAT, [8]), tensor("b", FLOAT, [8]), tensor("m", FLOAT, [8]), tensor("v", FLOAT, [8]),
     tensor("w2", FLOAT, [8, 1, 3, 3]), tensor("fc", FLOAT, [10, 8]), tensor("bias", FLOAT, [10])]), opset=9)

# Splitting heads as PyTorch exports it: the sizes are computed by nodes, out of order in the file.
scalar = lambda v: tensor("", INT64, [], [v])
model("heads.onnx", graph(
    [node("Reshape", "x sizes", "split"),
     node("Shape", "x", "all"),
     node("Constant", "", "zero", value=scalar(0)),
     node("Constant", "", "one", value=scalar(1)),
     node("Constant", "", "two", value=scalar(2)),
     node("Constant", "", "heads", value=scalar(4)),
     node("Gather", "all zero", "batch", axis=0),
     node("Gather", "all one", "seq", axis=0),
     node("Gather", "all two", "width", axis=0),
     node("Div", "width heads", "size"),
     node("Unsqueeze", "batch axis0", "batch1"), node("Unsqueeze", "seq axis0", "seq1"),
     node("Unsqueeze", "heads axis0", "heads1"), node("Unsqueeze", "size axis0", "size1"),
     node("Concat", "batch1 seq1 heads1 size1", "sizes", axis=0),
     node("Transpose", "split", "q", perm=[0, 2, 1, 3]), node("Transpose", "split", "k", perm=[0, 2, 3, 1]),
     node("MatMul", "q k", "scores"), node("Softmax", "scores", "p")],
    [info("x", FLOAT, ["batch", "seq", 32])], [info("p", FLOAT, ["batch", 4, "seq", "keys"])], [tensor("axis0", INT64, [1], [0])]))

# An If whose condition is a constant, a Loop of five trips that reads a weight from outside, a Scan over seven steps.
dense = lambda w, y: graph([node("MatMul", "x " + w, y)], [], [info(y, FLOAT, None)])
model("control.onnx", graph(
    [node("If", "yes", "a", "choose", then_branch=dense("small", "a1"), else_branch=dense("large", "a2")),
     node("If", "maybe", "b", "either", then_branch=dense("small", "b1"), else_branch=dense("large", "b2")),
     node("Loop", "five _ x", "final slices", "repeat", body=graph(
         [node("MatMul", "v small", "next"), node("Identity", "go", "again"), node("ReduceSum", "next axis0", "slice", keepdims=0)],
         [info("i", INT64, []), info("go", BOOL, []), info("v", FLOAT, None)],
         [info("again", BOOL, []), info("next", FLOAT, None), info("slice", FLOAT, None)])),
     node("Loop", "n _ x", "last", "open", body=graph(
         [node("MatMul", "v small", "next"), node("Identity", "go", "again")],
         [info("i", INT64, []), info("go", BOOL, []), info("v", FLOAT, None)], [info("again", BOOL, []), info("next", FLOAT, None)])),
     node("Scan", "x steps", "state outs", "scan", num_scan_inputs=1, body=graph(
         [node("Add", "s step", "s1"), node("Relu", "s1", "o")],
         [info("s", FLOAT, None), info("step", FLOAT, None)], [info("s1", FLOAT, None), info("o", FLOAT, None)]))],
    [info("x", FLOAT, [2, 8]), info("maybe", BOOL, []), info("n", INT64, []), info("steps", FLOAT, [7, 2, 8])],
    [info(n, FLOAT, None) for n in ("a", "b", "final", "slices", "last", "outs")],
    [tensor("small", FLOAT, [8, 8]), tensor("large", FLOAT, [8, 8000]), tensor("yes", BOOL, [], [True]), tensor("five", INT64, [], [5]),
     tensor("axis0", INT64, [1], [0])]))

# A function with a referred attribute, a default and a call of another function; a second call leaves its optional input out.
leaky = function("mine", "Leaky", ["X"], ["Y"], [node("LeakyRelu", "X", "Y", "act", alpha=Ref("alpha"))], ["alpha"])
block = function("mine", "Block", ["X", "W", "B"], ["Y"],
                 [node("Conv", "X W B", "T", "conv", strides=Ref("strides"), kernel_shape=[3, 3], pads=[1, 1, 1, 1]),
                  node("Leaky", "T", "Y", "leaky", "mine", alpha=0.1)], ["strides"], [attribute("strides", [1, 1])])
model("functions.onnx", graph(
    [node("Block", "x w b", "h", "first", "mine", strides=[2, 2]), node("Block", "h w2", "y", "second", "mine")],
    [info("x", FLOAT, [1, 3, 8, 8])], [info("y", FLOAT, None)],
    [tensor("w", FLOAT, [4, 3, 3, 3]), tensor("b", FLOAT, [4]), tensor("w2", FLOAT, [4, 4, 3, 3])]), domains=["mine"], functions=[leaky, block])

# Operators that no rule knows, one of them with its shape stated; sizes that depend on data.
model("unknown.onnx", graph(
    [node("Mystery", "x", "m", "a", "com.acme"), node("Mystery", "x", "m2", "b", "com.acme"), node("Relu", "m", "r", "c"),
     node("Relu", "m2", "r2", "d"), node("NonZero", "x", "where", "e")],
    [info("x", FLOAT, [4, 5])], [info("r", FLOAT, None), info("r2", FLOAT, None), info("where", INT64, [2, "found"])], [],
    [info("m", FLOAT, [4, "new"])]), domains=["com.acme"])

# A convolution between QuantizeLinear and DequantizeLinear; int8 weights, uint8 activations.
model("quantised.onnx", graph(
    [node("QuantizeLinear", "x xs xz", "xq"), node("DequantizeLinear", "xq xs xz", "xd"), node("DequantizeLinear", "wq ws wz", "wd"),
     node("Conv", "xd wd", "y", kernel_shape=[1, 1])],
    [info("x", FLOAT, [1, 4, 5, 5])], [info("y", FLOAT, None)],
    [tensor("xs", FLOAT, [], [0.1]), tensor("xz", UINT8, [], [128]), tensor("wq", INT8, [6, 4, 1, 1], range(24)), tensor("ws", FLOAT, [], [0.01]),
     tensor("wz", INT8, [], [0])]))

# Weights as Constant nodes and as filled shapes, an optional input left out, nodes in reverse order, a name used for op and tensor.
model("constants.onnx", graph(
    [node("Clip", "z _ top", "y", "clip"), node("Add", "y0 filled", "z", "y0"), node("MatMul", "x k", "y0", "product"),
     node("ConstantOfShape", "dims", "filled", "fill"), node("Constant", "", "k", "const", value=tensor("", FLOAT, [4, 6], [0.5] * 24)),
     node("Constant", "", "top", "six", value_float=6.0), node("Dropout", "y", "out _", "drop")],
    [info("x", FLOAT, [2, 4])], [info("out", FLOAT, [2, 6])], [tensor("dims", INT64, [2], [2, 6])]))

# One product whose work is 2 MFLOP times its symbolic dimension: for calculations by hand.
model("product.onnx", graph([node("MatMul", "x w", "y", "product")], [info("x", FLOAT, ["seq", 1000])], [info("y", FLOAT, None)],
                            [tensor("w", FLOAT, [1000, 1000])]))
