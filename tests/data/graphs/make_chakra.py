#!/usr/bin/env python3
"""make_chakra.py: writes four_nodes.et, a Chakra trace of one rank, with nothing but the public field numbers of the format.

  7 aten::mm     COMP, num_ops 1000000, tensor_size 4096          no dependency
  3 aten::relu   COMP, 12 us, is_cpu_op                            data from 7
  9 allreduce    COMM_COLL, comm_type ALL_REDUCE, comm_size 8192   data from 3
  5 aten::mm     COMP, 30 us                                       control from 7, data from 9 (which comes later)
"""
import os


def varint(n):
    out = b""
    while n > 0x7F:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


def number(field, n):
    return varint(field << 3) + varint(n)


def text(field, value):
    value = value if isinstance(value, bytes) else value.encode()
    return varint(field << 3 | 2) + varint(len(value)) + value


def packed(field, values):
    return text(field, b"".join(varint(v) for v in values)) if values else b""


INT32, INT64, UINT64, BOOL = 7, 9, 13, 27  # fields of an attribute's value


def node(ident, name, kind, ctrl=(), data=(), micros=0, **attributes):
    out = number(1, ident) + text(2, name) + number(3, kind) + packed(4, ctrl) + packed(5, data)
    if micros:
        out += number(7, micros)
    for key, (field, value) in attributes.items():
        out += text(10, text(1, key) + number(field, value))
    return out


COMP, COLL = 4, 7
records = [
    text(1, "0.0.4"),
    node(5, "aten::mm", COMP, ctrl=[7], data=[9], micros=30),
    node(7, "aten::mm", COMP, num_ops=(INT64, 1000000), tensor_size=(UINT64, 4096)),
    node(3, "aten::relu", COMP, data=[7], micros=12, is_cpu_op=(BOOL, 1)),
    node(9, "allreduce", COLL, data=[3], comm_type=(INT64, 0), comm_size=(INT64, 8192)),
]
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "four_nodes.et"), "wb") as f:
    for record in records:
        f.write(varint(len(record)) + record)
