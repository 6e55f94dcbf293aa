"""Vectors of LANES numbers as a type of compiled code: one instruction acts on all of them.

A compiled function that is written for one number serves LANES of them side by side: restarts,
chains or particles, its *lanes*. Every operation acts on each lane by itself, and the same machine
instruction rounds it on every processor: a lane's numbers do not depend on its companions or on the
width of the processor's registers, to the bit. LLVM divides a vector over as many registers as it
takes: two with AVX-512, four with AVX2, eight on ARM.

Arrays hold one vector per row: float64 or uint64, C order, with LANES as their last axis. `load`
and `store` address the rows as if all axes before the last were one.
"""

import operator

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic, models, overload, register_model

from latentdag.engine.jit import compiled
from latentdag.engine.machine_code import AS_PART

LANES = 16
LINE = 64  # bytes in a line of the cache

_REALS = ir.VectorType(ir.DoubleType(), LANES)
_WORDS = ir.VectorType(ir.IntType(64), LANES)
_FLAGS = ir.VectorType(ir.IntType(1), LANES)

MANTISSA_BITS, BIAS = 52, 1023  # of a double
# added to an integer from 0 to 2^52 - 1, as bits: the double 2^52 more than it
SHIFT, SHIFT_BITS = 2.0**52, 0x433 << 52


class Lanes(types.Type):
    """Type of LANES numbers of one kind: ``element`` is that of a single one in Python."""

    def __init__(self, name: str, machine: ir.VectorType, element: types.Type):
        super().__init__(name)
        self.machine, self.element = machine, element


@register_model(Lanes)
class _Model(models.PrimitiveModel):
    def __init__(self, manager, lanes):
        super().__init__(manager, lanes, lanes.machine)


REALS = Lanes("reals", _REALS, types.float64)
WORDS = Lanes("words", _WORDS, types.uint64)  # 64 bits each
FLAGS = Lanes("flags", _FLAGS, types.boolean)
NUMBERS = (types.Integer, types.Float)
OF_ARRAY = {types.float64: REALS, types.uint64: WORDS}


def _constant(value, machine: ir.VectorType) -> ir.Constant:
    return ir.Constant(machine, [value] * LANES)


def _spread(context, builder, value, kind, lanes: Lanes):
    """The machine's vector: ``value`` itself, or a single number in all lanes."""
    if isinstance(kind, Lanes):
        return value
    value = context.cast(builder, value, kind, lanes.element)
    nothing = ir.Constant(lanes.machine, ir.Undefined)
    one = builder.insert_element(nothing, value, ir.IntType(32)(0))
    return builder.shuffle_vector(
        one, nothing, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    )


def _call(builder, name: str, *arguments):
    """One of LLVM's functions on vectors of doubles."""
    function = ir.FunctionType(_REALS, [_REALS] * len(arguments))
    name = f"llvm.{name}.v{LANES}f64"
    return builder.call(get_or_insert_function(builder.module, function, name), arguments)


def _operator(symbol, lanes: Lanes, instruction, result: Lanes) -> None:
    """Let ``symbol`` act on two vectors of ``lanes``, or on one and a single number."""

    @intrinsic
    def apply(_, a, b):
        def generate(context, builder, signature, values):
            pair = zip(values, signature.args, strict=True)
            both = [_spread(context, builder, value, kind, lanes) for value, kind in pair]
            return instruction(builder, *both)

        return result(a, b), generate

    @overload(symbol, jit_options=AS_PART)
    def implementation(a, b):
        kinds = {type(kind) for kind in (a, b) if kind != lanes}
        if lanes in (a, b) and all(issubclass(kind, NUMBERS) for kind in kinds):
            return lambda a, b: apply(a, b)
        return None


for _symbol, _instruction in (
    (operator.add, ir.IRBuilder.fadd),
    (operator.sub, ir.IRBuilder.fsub),
    (operator.mul, ir.IRBuilder.fmul),
    (operator.truediv, ir.IRBuilder.fdiv),
):
    _operator(_symbol, REALS, _instruction, REALS)
for _symbol, _sign in ((operator.lt, "<"), (operator.gt, ">"), (operator.ge, ">=")):
    _operator(
        _symbol, REALS, lambda b, x, y, sign=_sign: b.fcmp_ordered(sign, x, y), FLAGS
    )  # false where one is not a number
for _symbol, _instruction in (
    (operator.add, ir.IRBuilder.add),
    (operator.xor, ir.IRBuilder.xor),
    (operator.and_, ir.IRBuilder.and_),
    (operator.or_, ir.IRBuilder.or_),
    (operator.lshift, ir.IRBuilder.shl),
    (operator.rshift, ir.IRBuilder.lshr),
):
    _operator(_symbol, WORDS, _instruction, WORDS)
_operator(operator.and_, FLAGS, ir.IRBuilder.and_, FLAGS)
_operator(operator.ne, WORDS, lambda b, x, y: b.icmp_unsigned("!=", x, y), FLAGS)


@overload(operator.neg, jit_options=AS_PART)
def _negative(a):
    return (lambda a: 0.0 - a) if a == REALS else None


def _address(context, builder, array, kind, row, row_kind):
    data = context.make_array(kind)(context, builder, array).data
    row = context.cast(builder, row, row_kind, types.intp)
    first = builder.gep(data, [builder.mul(row, row.type(LANES))])
    return builder.bitcast(first, OF_ARRAY[kind.dtype].machine.as_pointer())


@compiled
def vectors(*shape):
    """Zeros (*shape, LANES), aligned with the lines of the cache: loops over vectors that cross
    them take a fifth longer.
    """
    n = LANES
    for length in shape:
        n *= length
    numbers = np.zeros(n + LINE // 8)
    first = -numbers.ctypes.data % LINE // 8
    return numbers[first : first + n].reshape((*shape, LANES))


@intrinsic
def load(_, array, row):
    """The vector in a row of ``array`` (..., LANES)."""

    def generate(context, builder, signature, values):
        address = _address(context, builder, values[0], array, values[1], row)
        return builder.load(address, align=8)

    return OF_ARRAY[array.dtype](array, row), generate


@intrinsic
def store(_, array, row, value):
    """Put a vector into a row of ``array`` (..., LANES)."""

    def generate(context, builder, signature, values):
        address = _address(context, builder, values[0], array, values[1], row)
        builder.store(values[2], address, align=8)
        return context.get_dummy_value()

    return types.void(array, row, value), generate


@intrinsic
def everywhere(_, number):
    """A single number in all lanes."""

    def generate(context, builder, signature, values):
        return _spread(context, builder, values[0], number, REALS)

    return REALS(number), generate


@intrinsic
def where(_, flags, a, b):
    """In each lane a where its flag is set, else b."""
    if flags != FLAGS or REALS not in (a, b):
        return None

    def generate(context, builder, signature, values):
        a_or_b = [
            _spread(context, builder, value, kind, REALS)
            for value, kind in zip(values[1:], signature.args[1:], strict=True)
        ]
        return builder.select(values[0], *a_or_b)

    return REALS(flags, a, b), generate


@intrinsic
def fma(_, a, b, c):
    """a b + c, rounded once."""

    def generate(context, builder, signature, values):
        three = zip(values, signature.args, strict=True)
        return _call(
            builder, "fma", *(_spread(context, builder, v, kind, REALS) for v, kind in three)
        )

    return REALS(a, b, c), generate


@intrinsic
def square_root(_, x):
    """The root of x, correctly rounded."""

    def generate(context, builder, signature, values):
        return _call(builder, "sqrt", *values)

    return REALS(x), generate


@intrinsic
def nearest(_, x):
    """The nearest integer, the even one of two."""

    def generate(context, builder, signature, values):
        return _call(builder, "rint", *values)

    return REALS(x), generate


@intrinsic
def magnitude(_, x):
    """The absolute value."""

    def generate(context, builder, signature, values):
        return _call(builder, "fabs", *values)

    return REALS(x), generate


@intrinsic
def exponent(_, x):
    """e of x = m 2^e, 1 <= m < 2, for positive normal numbers."""

    def generate(context, builder, signature, values):
        bits = builder.bitcast(values[0], _WORDS)
        bits = builder.lshr(bits, _constant(MANTISSA_BITS, _WORDS))
        bits = builder.or_(bits, _constant(SHIFT_BITS, _WORDS))
        return builder.fsub(builder.bitcast(bits, _REALS), _constant(SHIFT + BIAS, _REALS))

    return REALS(x), generate


@intrinsic
def mantissa(_, x):
    """m of x = m 2^e, 1 <= m < 2, for positive normal numbers."""

    def generate(context, builder, signature, values):
        bits = builder.bitcast(values[0], _WORDS)
        bits = builder.and_(bits, _constant(2**MANTISSA_BITS - 1, _WORDS))
        bits = builder.or_(bits, _constant(BIAS << MANTISSA_BITS, _WORDS))
        return builder.bitcast(bits, _REALS)

    return REALS(x), generate


@intrinsic
def power_of_two(_, e):
    """2^e for integers e from -1022 to 1023."""

    def generate(context, builder, signature, values):
        bits = builder.bitcast(builder.fadd(values[0], _constant(SHIFT + BIAS, _REALS)), _WORDS)
        return builder.bitcast(builder.shl(bits, _constant(MANTISSA_BITS, _WORDS)), _REALS)

    return REALS(e), generate


@intrinsic
def as_reals(_, words):
    """Integers from 0 to 2^52 - 1 as reals."""

    def generate(context, builder, signature, values):
        bits = builder.or_(values[0], _constant(SHIFT_BITS, _WORDS))
        return builder.fsub(builder.bitcast(bits, _REALS), _constant(SHIFT, _REALS))

    return REALS(words), generate
