"""Vectors of WIDTH numbers for the particles' compiled loops: one value of each of WIDTH particles.

`load` takes row i of an array of shape (rows, WIDTH) into a vector, `store` puts it back. The
operators +, -, *, /, &, |, ^, <<, >>, == and >= work on vectors, or on a vector and a number, lane
by lane; numbers become those of the first vector's type. A vector lives in registers of the
processor, as many as its width needs: unlike a loop over short arrays it needs no test whether
arrays overlap, and no memory between two steps.

`latentdag.engine.simd` has 16 doubles and the functions of fits and chains. Particles need
neither: single precision and small integers, and many lanes, as their loops are short.
"""

import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, overload, register_model

from latentdag.engine.machine_code import AS_PART

WIDTH = 64  # lanes: of 32 bits, four registers of AVX-512, eight of AVX2, sixteen of NEON


class Vector(types.Type):
    """WIDTH numbers of one type."""

    def __init__(self, dtype):
        self.dtype = dtype
        super().__init__(f"vector({dtype}, {WIDTH})")


@register_model(Vector)
class _Model(models.PrimitiveModel):
    def __init__(self, manager, kind):
        bits = (
            ir.IntType(1) if kind.dtype is types.boolean else manager[kind.dtype].get_value_type()
        )
        super().__init__(manager, kind, ir.VectorType(bits, WIDTH))


def _cast(context, builder, value, source, target):
    """A number or vector as a vector of numbers of type ``target``."""
    if not isinstance(source, Vector):
        value = context.cast(builder, value, source, target)
        some = ir.Constant(ir.VectorType(value.type, WIDTH), ir.Undefined)
        first = builder.insert_element(some, value, ir.Constant(ir.IntType(32), 0))
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), [0] * WIDTH)
        return builder.shuffle_vector(first, some, zeros)
    source = source.dtype
    if source == target:
        return value
    wanted = ir.VectorType(context.get_value_type(target), WIDTH)
    if isinstance(source, types.Integer) and isinstance(target, types.Integer):
        if target.bitwidth == source.bitwidth:
            return value
        if target.bitwidth < source.bitwidth:
            return builder.trunc(value, wanted)
        return builder.sext(value, wanted) if source.signed else builder.zext(value, wanted)
    if isinstance(source, types.Integer):
        to_float = builder.sitofp if source.signed else builder.uitofp
        return to_float(value, wanted)
    wider = isinstance(target, types.Float) and target.bitwidth > source.bitwidth
    return builder.fpext(value, wanted) if wider else builder.fptrunc(value, wanted)


def _element(*kinds):
    """The type of the numbers of the vector among these."""
    return next(kind.dtype for kind in kinds if isinstance(kind, Vector))


def _is_table(kind) -> bool:
    return isinstance(kind, types.Array) and kind.ndim == 2 and kind.layout == "C"


def _pointer(context, builder, table_type, table, index_type, index):
    """Where row ``index`` of an array (rows, WIDTH) begins, and the alignment of its numbers."""
    array = context.make_array(table_type)(context, builder, table)
    index = context.cast(builder, index, index_type, types.intp)
    place = builder.mul(index, ir.Constant(index.type, WIDTH))
    kind = context.get_value_type(table_type.dtype)
    begin = builder.gep(array.data, [place])
    return builder.bitcast(begin, ir.VectorType(kind, WIDTH).as_pointer()), kind


@intrinsic
def load(typing, table, row):
    """Row ``row`` of ``table`` (rows, WIDTH)."""
    if not _is_table(table):
        return None

    def generate(context, builder, signature, arguments):
        place, kind = _pointer(context, builder, table, arguments[0], row, arguments[1])
        return builder.load(place, align=context.get_abi_sizeof(kind))

    return Vector(table.dtype)(table, row), generate


@intrinsic
def store(typing, table, row, vector):
    """Make ``vector`` row ``row`` of ``table`` (rows, WIDTH), as numbers of its type."""
    if not _is_table(table):
        return None

    def generate(context, builder, signature, arguments):
        place, kind = _pointer(context, builder, table, arguments[0], row, arguments[1])
        value = _cast(context, builder, arguments[2], vector, table.dtype)
        builder.store(value, place, align=context.get_abi_sizeof(kind))
        return context.get_dummy_value()

    return types.void(table, row, vector), generate


@intrinsic
def cast(typing, value, dtype):
    """A vector or a number as a vector of numbers of the type ``dtype``."""
    target = dtype.dtype

    def generate(context, builder, signature, arguments):
        return _cast(context, builder, arguments[0], value, target)

    return Vector(target)(value, dtype), generate


@intrinsic
def select(typing, condition, then, otherwise):
    """``then`` where ``condition`` is true, ``otherwise`` elsewhere; at least one is a vector, or
    both are numbers of the same type.
    """
    kinds = [k for k in (then, otherwise) if isinstance(k, Vector)]
    target = kinds[0].dtype if kinds else then

    def generate(context, builder, signature, arguments):
        values = [
            _cast(context, builder, value, kind, target)
            for value, kind in zip(arguments[1:], (then, otherwise), strict=True)
        ]
        return builder.select(arguments[0], *values)

    return Vector(target)(condition, then, otherwise), generate


def _binary(symbol, of_floats, of_integers):
    """Make the operator ``symbol`` work on vectors, by the names of the builder's methods; those
    of comparisons hold the sign.
    """

    @intrinsic
    def apply(typing, a, b):
        kind = _element(a, b)
        name = of_floats if isinstance(kind, types.Float) else of_integers
        compares = name[0] in "<=>"

        def generate(context, builder, signature, arguments):
            x, y = (
                _cast(context, builder, value, source, kind)
                for value, source in zip(arguments, (a, b), strict=True)
            )
            if not compares:
                return getattr(builder, name)(x, y)
            if isinstance(kind, types.Float):
                return builder.fcmp_ordered(name, x, y)
            compare = builder.icmp_signed if kind.signed else builder.icmp_unsigned
            return compare(name, x, y)

        return Vector(types.boolean if compares else kind)(a, b), generate

    @overload(symbol, jit_options=AS_PART)
    def operate(a, b):
        if isinstance(a, Vector) or isinstance(b, Vector):
            return lambda a, b: apply(a, b)
        return None


for _symbol, _of_floats, _of_integers in (
    (operator.add, "fadd", "add"),
    (operator.sub, "fsub", "sub"),
    (operator.mul, "fmul", "mul"),
    (operator.truediv, "fdiv", ""),
    (operator.and_, "", "and_"),
    (operator.or_, "", "or_"),
    (operator.xor, "", "xor"),
    (operator.lshift, "", "shl"),
    (operator.rshift, "", "lshr"),
    (operator.eq, "==", "=="),
    (operator.ge, ">=", ">="),
):
    _binary(_symbol, _of_floats, _of_integers)


ALIGNMENT = 64  # bytes: a vector that lies across two lines of the cache takes twice as long


def zeros(shape: tuple[int, ...], dtype) -> np.ndarray:
    """An array of zeros whose rows begin at multiples of ALIGNMENT."""
    n_bytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(n_bytes + ALIGNMENT, dtype=np.uint8)
    first = -memory.ctypes.data % ALIGNMENT
    return memory[first : first + n_bytes].view(dtype).reshape(shape)
