"""Number theory."""

import math


def is_prime(n):
    """Trial division by odd numbers."""
    if not isinstance(n, int):
        raise TypeError("n must be an integer")
    if n < 2:
        return False
    if n % 2 == 0:
        return n == 2
    for d in range(3, int(math.sqrt(n)) + 1, 2):
        if n % d == 0:
            return False
    return True


def gcd(a, b):
    """Greatest common divisor, by Euclid."""
    while b:
        a, b = b, a % b
    return abs(a)


def extended_gcd(a, b):
    """Return (g, x, y) with a*x + b*y = g."""
    if b == 0:
        return a, 1, 0
    g, x, y = extended_gcd(b, a % b)
    return g, y, x - (a // b) * y


def mod_inverse(a, m):
    if m <= 1:
        raise ValueError("modulus must be greater than 1")
    if math.gcd(a, m) != 1:
        raise ValueError("a is not invertible")
    g, x, _ = extended_gcd(a % m, m)
    return x % m


def prime_factors(n):
    """All prime factors of n, in order."""
    factors = []
    d = 2
    while d * d <= n:
        while n % d == 0:
            factors.append(d)
            n //= d
        d += 1
    if n > 1:
        factors.append(n)
    return factors


def count_divisors(n):
    if n <= 0:
        raise ValueError("n must be positive")
    count = 0
    for i in range(1, math.isqrt(n) + 1):
        if n % i == 0:
            count += 1 if i * i == n else 2
    return count


def euler_phi(n):
    result = n
    p = 2
    while p * p <= n:
        if n % p == 0:
            while n % p == 0:
                n //= p
            result -= result // p
        p += 1
    if n > 1:
        result -= result // n
    return result


def sieve(limit):
    """The number of primes up to limit, and the last of them."""
    if limit < 2:
        raise ValueError("limit must be at least 2")
    marks = [True] * (limit + 1)
    marks[0] = marks[1] = False
    for i in range(2, int(limit**0.5) + 1):
        if marks[i]:
            for j in range(i * i, limit + 1, i):
                marks[j] = False
    primes = [i for i in range(limit + 1) if marks[i]]
    return len(primes), primes[-1]


def is_perfect(n):
    return n > 1 and sum(d for d in range(1, n // 2 + 1) if n % d == 0) == n


def power_mod(base, exponent, modulus):
    """Square and multiply."""
    if exponent < 0:
        raise ValueError("exponent must not be negative")
    result = 1
    base %= modulus
    while exponent > 0:
        if exponent & 1:
            result = result * base % modulus
        base = base * base % modulus
        exponent >>= 1
    return result


def miller_rabin(n):
    """Deterministic for n below 3,215,031,751."""
    if n < 2:
        return False
    small = (2, 3, 5, 7)
    if n in small:
        return True
    if any(n % p == 0 for p in small):
        return False
    d, s = n - 1, 0
    while d % 2 == 0:
        d //= 2
        s += 1
    for a in small:
        x = pow(a, d, n)
        if x == 1 or x == n - 1:
            continue
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


def jacobi(a, n):
    """The Jacobi symbol (a/n)."""
    if n <= 0 or n % 2 == 0:
        raise ValueError("n must be a positive odd number")
    a %= n
    result = 1
    while a != 0:
        while a % 2 == 0:
            a //= 2
            if n % 8 in (3, 5):
                result = -result
        a, n = n, a
        if a % 4 == 3 and n % 4 == 3:
            result = -result
        a %= n
    return result if n == 1 else 0


def chinese_remainder(remainders, moduli):
    """Solve x = r_i (mod m_i) for coprime moduli."""
    product = math.prod(moduli)
    total = 0
    for r, m in zip(remainders, moduli):
        p = product // m
        total += r * pow(p, -1, m) * p
    return total % product


def goldbach(n):
    """Two primes whose sum is n."""
    if n <= 2 or n % 2 != 0:
        raise ValueError("n must be even and greater than 2")
    for p in range(2, n // 2 + 1):
        if is_prime(p) and is_prime(n - p):
            return p, n - p
    return None


def lcm_of_range(n):
    result = 1
    for k in range(2, n + 1):
        result = result * k // math.gcd(result, k)
    return result


def moebius(n):
    if n < 1:
        raise ValueError("n must be positive")
    primes = set()
    d = 2
    while n > 1:
        if n % d == 0:
            if d in primes:
                return 0
            primes.add(d)
            n //= d
        else:
            d += 1
    return -1 if len(primes) % 2 else 1


def sum_of_two_squares(n):
    """The pairs a <= b with a*a + b*b == n, counted."""
    found = 0
    a = 0
    while 2 * a * a <= n:
        b = math.isqrt(n - a * a)
        if b * b == n - a * a:
            found += 1
        a += 1
    return found


CASES = [
    (is_prime, [(1,), (2,), (9,), (97,), (91,), (7919,), (-7,)]),
    (gcd, [(12, 18), (17, 5), (0, 4), (-8, 12), (100, 75), (7, 0)]),
    (extended_gcd, [(240, 46), (17, 5), (10, 0), (35, 15), (99, 78), (1, 1)]),
    (mod_inverse, [(3, 11), (10, 17), (2, 4), (5, 1), (7, 26), (123, 4567)]),
    (prime_factors, [(1,), (2,), (12,), (97,), (360,), (1001,)]),
    (count_divisors, [(1,), (12,), (0,), (36,), (97,), (-4,), (360,)]),
    (euler_phi, [(1,), (10,), (36,), (97,), (100,), (1001,)]),
    (sieve, [(2,), (10,), (30,), (1,), (97,), (100,)]),
    (is_perfect, [(1,), (6,), (28,), (12,), (496,), (0,)]),
    (power_mod, [(2, 10, 1000), (3, 200, 13), (5, 0, 7), (2, -1, 7), (123, 456, 789), (10, 9, 6)]),
    (miller_rabin, [(1,), (2,), (561,), (97,), (7919,), (1000003,), (25326001,)]),
    (jacobi, [(2, 7), (1001, 9907), (19, 45), (8, 21), (5, 21), (3, 8)]),
    (
        chinese_remainder,
        [
            ([2, 3, 2], [3, 5, 7]),
            ([1, 2, 3], [2, 3, 5]),
            ([0, 0, 0], [3, 4, 5]),
            ([1, 4, 6], [3, 5, 7]),
            ([2, 1, 1], [7, 9, 11]),
            ([1, 1, 1], [2, 4, 9]),
        ],
    ),
    (goldbach, [(4,), (10,), (28,), (100,), (7,), (2,)]),
    (lcm_of_range, [(1,), (2,), (5,), (10,), (20,), (0,)]),
    (moebius, [(1,), (2,), (6,), (12,), (30,), (0,), (49,)]),
    (sum_of_two_squares, [(0,), (1,), (25,), (50,), (325,), (7,)]),
]
