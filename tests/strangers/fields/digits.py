"""Digits and bits of whole numbers."""


def digit_sum(n):
    return sum(int(c) for c in str(abs(n)))


def digital_root(n):
    if not isinstance(n, int):
        raise TypeError("n must be an integer")
    if n < 0:
        raise ValueError("n must not be negative")
    while n > 9:
        n = sum(map(int, str(n)))
    return n


def is_palindrome(n):
    s = str(n)
    return s == s[::-1]


def is_armstrong(n):
    digits = [int(d) for d in str(n)]
    return sum(d ** len(digits) for d in digits) == n


def reverse_number(n):
    sign = -1 if n < 0 else 1
    n = abs(n)
    result = 0
    while n > 0:
        n, digit = divmod(n, 10)
        result = result * 10 + digit
    return sign * result


def kaprekar_steps(n):
    """Steps of a number with four digits to 6174."""
    if not 1000 <= n <= 9999:
        raise ValueError("n must have four digits")
    steps = 0
    while n != 6174:
        digits = sorted(str(n).zfill(4))
        low = int("".join(digits))
        high = int("".join(reversed(digits)))
        n = high - low
        if n == 0:
            return -1
        steps += 1
    return steps


def is_happy(n):
    seen = set()
    while n != 1:
        if n in seen:
            return False
        seen.add(n)
        n = sum(int(d) ** 2 for d in str(n))
    return True


def popcount(n):
    return bin(n).count("1")


def hamming_distance(a, b):
    x = a ^ b
    count = 0
    while x:
        x &= x - 1
        count += 1
    return count


def gray_code(n):
    if n < 0:
        raise ValueError("n must not be negative")
    return n ^ (n >> 1)


def to_binary(n):
    """The bits of n, the highest first."""
    if n == 0:
        return [0]
    bits = []
    while n > 0:
        bits.append(n % 2)
        n //= 2
    bits.reverse()
    return bits


def luhn_valid(number):
    total = 0
    for i, c in enumerate(reversed(str(number))):
        d = int(c)
        if i % 2 == 1:
            d *= 2
            if d > 9:
                d -= 9
        total += d
    return total % 10 == 0


def is_automorphic(n):
    square = n * n
    while n > 0:
        if n % 10 != square % 10:
            return False
        n //= 10
        square //= 10
    return True


def trailing_zeros_of_factorial(n):
    count = 0
    power = 5
    while power <= n:
        count += n // power
        power *= 5
    return count


def next_power_of_two(n):
    if n < 1:
        return 1
    return 1 << (n - 1).bit_length()


def persistence(n):
    """How often the digits can be multiplied until one is left."""
    steps = 0
    while n >= 10:
        product = 1
        for d in str(n):
            product *= int(d)
        n = product
        steps += 1
    return steps


CASES = [
    (digit_sum, [(0,), (7,), (123,), (-45,), (99999,), (1000001,)]),
    (digital_root, [(0,), (38,), (12345,), (-1,), (999999,), (9,)]),
    (is_palindrome, [(0,), (121,), (123,), (-121,), (1221,), (10,)]),
    (is_armstrong, [(153,), (370,), (9474,), (10,), (5,), (9475,)]),
    (reverse_number, [(123,), (-450,), (0,), (7,), (1200,), (98765,)]),
    (kaprekar_steps, [(3524,), (6174,), (1111,), (999,), (2111,), (9831,)]),
    (is_happy, [(1,), (7,), (19,), (4,), (20,), (100,)]),
    (popcount, [(0,), (1,), (255,), (1023,), (1024,), (-7,)]),
    (hamming_distance, [(1, 4), (3, 3), (0, 255), (93, 73), (1024, 1), (7, 8)]),
    (gray_code, [(0,), (1,), (2,), (7,), (-3,), (100,)]),
    (to_binary, [(0,), (1,), (5,), (8,), (255,), (100,)]),
    (luhn_valid, [(79927398713,), (79927398710,), (0,), (18,), (4539578763621486,), (1234567,)]),
    (is_automorphic, [(5,), (25,), (76,), (7,), (376,), (10,)]),
    (trailing_zeros_of_factorial, [(0,), (5,), (25,), (100,), (124,), (1000,)]),
    (next_power_of_two, [(0,), (1,), (5,), (64,), (100,), (1025,)]),
    (persistence, [(7,), (39,), (999,), (277777788888899,), (10,), (25,)]),
]
