"""Vectors of numbers as a type of compiled code: one instruction acts on all of them.

A compiled function that is written for one number serves many of them side by side: restarts,
chains or particles, its *lanes*. Every operation acts on each lane by itself, and the same machine
instruction rounds it on every processor: a lane's numbers do not depend on its companions or on the
width of the processor's registers, to the bit. LLVM divides a vector over as many registers as it
takes. Unlike a loop over short arrays, an operation needs no memory between two steps.

Fits and chains have LANES lanes, in double precision. Particles have WIDE, mostly in single
precision: `load_wide`, `store_wide` and `cast_wide` are for these.

`load` takes a row of an array (..., lanes) in C order into a vector; `store` puts it back. Rows are
numbered as if all axes before the last were one. Operators work on two vectors, or on one and a
single number, which stands for itself in every lane; the result has the type of the first vector.
"""

import operator
from collections.abc import Callable

from latentdag.engine.jit import DIVISION, compiled  # before numba, which it imports as a whole

# isort: split
import numpy as np
from llvmlite import ir
from numba import types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic, models, overload, register_model

LANES = 16  # of 64 bits: two registers of AVX-512, four of AVX2, eight of NEON
WIDE = 64  # of 32 bits: twice as many registers
CACHE_LINE = 64  # bytes in a line of the cache

MANTISSA_BITS, BIAS = 52, 1023  # of a double
# added to an integer from 0 to 2^52 - 1, as bits: the double 2^52 more than it
SHIFT, SHIFT_BITS = 2.0**52, 0x433 << 52


class Vector(types.Type):
    """Numbers of one type, side by side."""

    def __init__(self, dtype: types.Type, lanes: int = LANES):
        self.dtype, self.lanes = dtype, lanes
        super().__init__(f"vector({dtype}, {lanes})")

    def machine(self, element: ir.Type) -> ir.VectorType:
        """LLVM's type of a vector with as many lanes, each of the type ``element``."""
        return ir.VectorType(element, self.lanes)


@register_model(Vector)
class _Model(models.PrimitiveModel):
    def __init__(self, manager, kind):
        is_flag = kind.dtype is types.boolean
        element = ir.IntType(1) if is_flag else manager[kind.dtype].get_value_type()
        super().__init__(manager, kind, kind.machine(element))


REALS, WORDS = Vector(types.float64), Vector(types.uint64)
_REALS, _WORDS = REALS.machine(ir.DoubleType()), WORDS.machine(ir.IntType(64))


def _constant(value, machine: ir.VectorType) -> ir.Constant:
    return ir.Constant(machine, [value] * machine.count)


def _converted(context, builder, value, source: types.Type, target: Vector):
    """A vector, or a single number in all lanes, as numbers of the type of ``target``."""
    element = context.get_value_type(target.dtype)
    if not isinstance(source, Vector):
        value = context.cast(builder, value, source, target.dtype)
        nothing = ir.Constant(target.machine(value.type), ir.Undefined)
        one = builder.insert_element(nothing, value, ir.IntType(32)(0))
        return builder.shuffle_vector(one, nothing, _constant(0, target.machine(ir.IntType(32))))
    source, target, to_type = source.dtype, target.dtype, target.machine(element)
    if source == target:
        return value
    if isinstance(source, types.Integer) and isinstance(target, types.Integer):
        if target.bitwidth == source.bitwidth:
            return value
        if target.bitwidth < source.bitwidth:
            return builder.trunc(value, to_type)
        return builder.sext(value, to_type) if source.signed else builder.zext(value, to_type)
    if isinstance(source, types.Integer):
        to_float = builder.sitofp if source.signed else builder.uitofp
        return to_float(value, to_type)
    wider = isinstance(target, types.Float) and target.bitwidth > source.bitwidth
    return builder.fpext(value, to_type) if wider else builder.fptrunc(value, to_type)


def _all_converted(context, builder, values, kinds, target: Vector) -> list:
    """Several ``values``, of their ``kinds``, as numbers of the type of ``target``."""
    pairs = zip(values, kinds, strict=True)
    return [_converted(context, builder, value, kind, target) for value, kind in pairs]


def _operator(symbol, of_floats: str, of_integers: str) -> None:
    """Let ``symbol`` act on vectors by the names of the builder's methods, or by its sign."""

    @intrinsic
    def apply(_, a, b):
        kind = next(each for each in (a, b) if isinstance(each, Vector))
        is_float = isinstance(kind.dtype, types.Float)
        name = of_floats if is_float else of_integers
        compares = name[0] in "<=>!"

        def generate(context, builder, signature, values):
            x, y = _all_converted(context, builder, values, (a, b), kind)
            if not compares:
                return getattr(builder, name)(x, y)
            if is_float:  # false where one is not a number
                return builder.fcmp_ordered(name, x, y)
            compare = builder.icmp_signed if kind.dtype.signed else builder.icmp_unsigned
            return compare(name, x, y)

        return (Vector(types.boolean, kind.lanes) if compares else kind)(a, b), generate

    @overload(symbol, jit_options=DIVISION)
    def implementation(a, b):
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
    (operator.ne, "!=", "!="),
    (operator.lt, "<", "<"),
    (operator.gt, ">", ">"),
    (operator.ge, ">=", ">="),
):
    _operator(_symbol, _of_floats, _of_integers)


def _opaque(builder, pointer):
    """numba's pointers still say what they point to, and llvmlite keeps that through a bitcast: a
    structure with one pointer forgets it, and leaves no trace in the machine code.
    """
    nothing = ir.Constant(ir.LiteralStructType([ir.PointerType()]), ir.Undefined)
    return builder.extract_value(builder.insert_value(nothing, pointer, 0), 0)


def _memory_functions(lanes: int) -> tuple:
    """`load`, `store` and `cast` for vectors of so many lanes."""

    def place(context, builder, array_type, array, row_type, row):
        """Where a row of an array begins, the machine's type of the row, and its alignment."""
        element = context.get_value_type(array_type.dtype)
        data = context.make_array(array_type)(context, builder, array).data
        row = context.cast(builder, row, row_type, types.intp)
        first = builder.gep(data, [builder.mul(row, row.type(lanes))])
        machine = Vector(array_type.dtype, lanes).machine(element)
        return _opaque(builder, first), machine, context.get_abi_sizeof(element)

    def has_rows(array: types.Type) -> bool:
        return isinstance(array, types.Array) and array.layout == "C"

    @intrinsic
    def load(_, array, row):
        """The vector in row ``row`` of ``array`` (..., lanes), in C order; rows are numbered as if
        all axes before the last were one.
        """
        if not has_rows(array):
            return None

        def generate(context, builder, signature, values):
            address, machine, alignment = place(context, builder, array, values[0], row, values[1])
            return builder.load(address, align=alignment, typ=machine)

        return Vector(array.dtype, lanes)(array, row), generate

    @intrinsic
    def store(_, array, row, vector):
        """Put ``vector``, or a single number in all lanes, into row ``row`` of ``array`` (...,
        lanes), in C order, as numbers of the array's type; rows are numbered as by `load`.
        """
        if not has_rows(array):
            return None

        def generate(context, builder, signature, values):
            address, _, alignment = place(context, builder, array, values[0], row, values[1])
            target = Vector(array.dtype, lanes)
            value = _converted(context, builder, values[2], vector, target)
            builder.store(value, address, align=alignment)
            return context.get_dummy_value()

        return types.void(array, row, vector), generate

    @intrinsic
    def cast(_, value, dtype):
        """``value``, a vector or a single number, as a vector of numbers of NumPy's ``dtype``."""
        target = Vector(dtype.dtype, lanes)

        def generate(context, builder, signature, values):
            return _converted(context, builder, values[0], value, target)

        return target(value, dtype), generate

    return load, store, cast


load, store, _ = _memory_functions(LANES)
load_wide, store_wide, cast_wide = _memory_functions(WIDE)


@intrinsic
def everywhere(_, number):
    """The vector of LANES doubles with ``number``, an integer or a float, in each lane. Compiled
    code calls it with ``number`` alone: the first parameter is numba's.
    """

    def generate(context, builder, signature, values):
        return _converted(context, builder, values[0], number, REALS)

    return REALS(number), generate


@intrinsic
def where(_, flags, a, b):
    """A vector that has in each lane ``a`` where the flag of the lane is set, else ``b``: vectors
    or single numbers. Its numbers have the type of the first vector of the two, or else of ``a``.
    """
    vectors = [each for each in (a, b) if isinstance(each, Vector)]
    target = vectors[0] if vectors else Vector(a, flags.lanes)

    def generate(context, builder, signature, values):
        return builder.select(
            values[0], *_all_converted(context, builder, values[1:], (a, b), target)
        )

    return target(flags, a, b), generate


def _call(builder, name: str, *arguments):
    """What LLVM's function of vectors of doubles with this name gives."""
    function = ir.FunctionType(_REALS, [_REALS] * len(arguments))
    name = f"llvm.{name}.v{LANES}f64"
    return builder.call(get_or_insert_function(builder.module, function, name), arguments)


@intrinsic
def fma(_, a, b, c):
    """a b + c in each lane, rounded once: a vector of LANES doubles. ``a``, ``b`` and ``c`` are
    vectors or single numbers.
    """

    def generate(context, builder, signature, values):
        return _call(builder, "fma", *_all_converted(context, builder, values, (a, b, c), REALS))

    return REALS(a, b, c), generate


def _vector_function(instructions: Callable) -> Callable:
    """The function whose ``instructions`` for the builder and a vector give reals."""

    @intrinsic
    def function(_, x):
        def generate(context, builder, signature, values):
            return instructions(builder, *values)

        return REALS(x), generate

    function.__doc__ = instructions.__doc__
    return function


@_vector_function
def square_root(builder, x):
    """The square root of each lane of ``x``, a vector of LANES doubles, correctly rounded."""
    return _call(builder, "sqrt", x)


@_vector_function
def nearest(builder, x):
    """The whole number nearest to each lane of ``x``, a vector of LANES doubles, the even one of
    two; as doubles.
    """
    return _call(builder, "rint", x)


@_vector_function
def magnitude(builder, x):
    """The absolute value of each lane of ``x``, a vector of LANES doubles."""
    return _call(builder, "fabs", x)


@_vector_function
def exponent(builder, x):
    """e of x = m 2^e, 1 <= m < 2, as doubles, for ``x``, a vector of LANES positive normal
    doubles.
    """
    bits = builder.lshr(builder.bitcast(x, _WORDS), _constant(MANTISSA_BITS, _WORDS))
    bits = builder.or_(bits, _constant(SHIFT_BITS, _WORDS))
    return builder.fsub(builder.bitcast(bits, _REALS), _constant(SHIFT + BIAS, _REALS))


@_vector_function
def mantissa(builder, x):
    """m of x = m 2^e, 1 <= m < 2, for ``x``, a vector of LANES positive normal doubles."""
    bits = builder.and_(builder.bitcast(x, _WORDS), _constant(2**MANTISSA_BITS - 1, _WORDS))
    return builder.bitcast(builder.or_(bits, _constant(BIAS << MANTISSA_BITS, _WORDS)), _REALS)


@_vector_function
def power_of_two(builder, e):
    """2^e for ``e``, a vector of LANES doubles that are whole numbers from -1022 to 1023."""
    bits = builder.bitcast(builder.fadd(e, _constant(SHIFT + BIAS, _REALS)), _WORDS)
    return builder.bitcast(builder.shl(bits, _constant(MANTISSA_BITS, _WORDS)), _REALS)


@_vector_function
def reals_of(builder, words):
    """``words``, a vector of LANES 64-bit integers from 0 to 2^52 - 1, as doubles."""
    bits = builder.bitcast(builder.or_(words, _constant(SHIFT_BITS, _WORDS)), _REALS)
    return builder.fsub(bits, _constant(SHIFT, _REALS))


@compiled
def vectors(*shape):
    """An array of zeros, doubles, (*shape, LANES), aligned with lines of the cache: else loops take
    a fifth longer.
    """
    n = LANES
    for length in shape:
        n *= length
    numbers = np.zeros(n + CACHE_LINE // 8)
    first = -numbers.ctypes.data % CACHE_LINE // 8
    return numbers[first : first + n].reshape((*shape, LANES))


def aligned_zeros(shape: tuple[int, ...], dtype) -> np.ndarray:
    """An array of zeros of any ``shape`` and ``dtype``, aligned like those of `vectors`, from
    outside compiled code.
    """
    n_bytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(n_bytes + CACHE_LINE, dtype=np.uint8)
    first = -memory.ctypes.data % CACHE_LINE
    return memory[first : first + n_bytes].view(dtype).reshape(shape)
