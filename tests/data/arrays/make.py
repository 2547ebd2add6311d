#!/usr/bin/env python3
"""Makes the NPY and PNG files of this folder: NPY by NumPy, PNG by the encoder below, which shares nothing with libpng.

The value at (x, y, z) of element k is x + 10 y + 100 z + 1000 k in the NPY files (odd or not in bool ones, negative in signed ones
where x is odd), and the PNG files hold what `sample` says.
"""
import pathlib
import struct
import zlib

import numpy as np

HERE = pathlib.Path(__file__).parent


def ramp(shape, elements):
    places = shape[:-1] if elements else shape
    index = np.indices(shape)
    axes = list(index[: len(places)])[::-1]  # x, y, z
    value = sum(a * 10**i for i, a in enumerate(axes))
    if elements:
        value = value + 1000 * index[-1]
    return value, axes[0]


def npy(name, descr, shape, order="C", elements=False, version=(1, 0)):
    value, x = ramp(shape, elements)
    if descr[1] in "if":
        value = np.where(x % 2 == 1, -value, value)
    array = (value % 2 if descr[1] == "b" else value).astype(np.dtype(descr))
    if descr[1] == "f":
        array = array / 4
    array = np.asarray(array.astype(np.dtype(descr)), order=order)
    with open(HERE / f"{name}.npy", "wb") as file:
        np.lib.format.write_array(file, array, version=version)


def png_chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def packed(row, depth):
    if depth == 16:
        return b"".join(struct.pack(">H", s) for s in row)
    bits = "".join(format(s, f"0{depth}b") for s in row)
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8))


def sample(x, y, channel, depth):
    return (x * 37 + y * 1001 + channel * 77) % 2**depth


ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def png(name, kind, depth, interlaced=False, width=13, height=7):
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[kind]
    body = b""
    for x0, y0, dx, dy in ADAM7 if interlaced else [(0, 0, 1, 1)]:
        columns = range(x0, width, dx)
        for y in range(y0, height, dy):
            if len(columns):
                row = [sample(x, y, c, depth) for x in columns for c in range(channels)]
                body += b"\0" + packed(row, depth)
    data = b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, interlaced))
    if kind == 3:
        palette = bytes(v for i in range(2**depth) for v in (i * 5 % 256, i * 11 % 256, 255 - i * 3 % 256))
        data += png_chunk(b"PLTE", palette) + png_chunk(b"tRNS", bytes([0, 128]))
    data += png_chunk(b"gAMA", struct.pack(">I", 45455)) + png_chunk(b"IDAT", zlib.compress(body)) + png_chunk(b"IEND", b"")
    (HERE / f"{name}.png").write_bytes(data)


for kind in "|b1 |i1 |u1 <i2 >i2 <u2 >u2 <i4 >i4 <u4 >u4 <i8 >i8 <u8 >u8 <f4 >f4 <f8 >f8".split():
    order = {"<": "little", ">": "big", "|": "one"}[kind[0]]
    npy(f"{kind[1:]}_{order}", kind, (3, 5))
npy("nx", "<i4", (6,))
npy("nz_ny_nx", "<i4", (2, 3, 4))
npy("nz_ny_nx_fortran", ">i4", (2, 3, 4), order="F")
npy("ny_nx_n", "<i2", (3, 4, 2), elements=True)
npy("ny_nx_n_fortran", "<i2", (3, 4, 2), order="F", elements=True)
npy("nz_ny_nx_n", "<f8", (2, 3, 4, 5), elements=True)
npy("version2", "<i4", (3, 5), version=(2, 0))
npy("version3", "<i4", (3, 5), version=(3, 0))
np.save(HERE / "complex.npy", np.zeros((2, 2), dtype=complex))
np.save(HERE / "records.npy", np.zeros(3, dtype=[("a", "<i4"), ("b", "<f8")]))

for depth in (1, 2, 4, 8, 16):
    png(f"grey{depth}", 0, depth)
    png(f"grey{depth}_interlaced", 0, depth, interlaced=True)
    if depth < 16:
        png(f"palette{depth}", 3, depth)
    if depth >= 8:
        png(f"rgb{depth}", 2, depth)
        png(f"rgba{depth}", 6, depth)
        png(f"grey_alpha{depth}", 4, depth)
png("rgb16_interlaced", 2, 16, interlaced=True)
