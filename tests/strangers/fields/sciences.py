"""What scientists, engineers and others compute, typed by somebody who does not know this project."""

import heapq
import math
import re
from bisect import bisect_left
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass, field
from enum import Enum, IntEnum, auto
from functools import reduce

import numpy as np


class ConvergenceError(Exception):
    """Raised when an iteration runs out of steps."""

    def __init__(self, message, last):
        super().__init__(message)
        self.last = last


def _newton(f, df, x0, tol=1e-12, maxiter=50):
    x = x0
    for k in range(maxiter):
        d = df(x)
        if d == 0:
            raise ConvergenceError("zero derivative", x)
        step = f(x) / d
        x -= step
        if abs(step) < tol * max(1.0, abs(x)):
            return x, k + 1
    raise ConvergenceError(f"no convergence after {maxiter} iterations", x)


def kepler_equation(mean_anomaly, ecc):
    """Eccentric and true anomaly from the mean anomaly, with fallback to bisection."""
    if not 0.0 <= ecc < 1.0:
        raise ValueError("eccentricity must be in [0, 1)")
    m = math.fmod(mean_anomaly, 2 * math.pi)
    if m < 0:
        m += 2 * math.pi
    f = lambda e: e - ecc * math.sin(e) - m
    df = lambda e: 1 - ecc * math.cos(e)
    start = m if ecc < 0.8 else math.pi
    try:
        e_anom, its = _newton(f, df, start)
        method = "newton"
    except ConvergenceError:
        lo, hi, its = 0.0, 2 * math.pi, 0
        while hi - lo > 1e-12 and its < 200:
            mid = (lo + hi) / 2
            if f(mid) > 0:
                hi = mid
            else:
                lo = mid
            its += 1
        e_anom = (lo + hi) / 2
        method = "bisection"
    nu = 2 * math.atan2(
        math.sqrt(1 + ecc) * math.sin(e_anom / 2), math.sqrt(1 - ecc) * math.cos(e_anom / 2)
    )
    return round(e_anom, 9), round(nu, 9), its, method


def _simpson(f, a, fa, b, fb):
    m = 0.5 * (a + b)
    fm = f(m)
    return m, fm, abs(b - a) / 6 * (fa + 4 * fm + fb)


def _adapt(f, a, fa, b, fb, eps, whole, m, fm, depth, count):
    lm, flm, left = _simpson(f, a, fa, m, fm)
    rm, frm, right = _simpson(f, m, fm, b, fb)
    count[0] += 2
    delta = left + right - whole
    if depth <= 0 or abs(delta) <= 15 * eps:
        return left + right + delta / 15
    return _adapt(f, a, fa, m, fm, eps / 2, left, lm, flm, depth - 1, count) + _adapt(
        f, m, fm, b, fb, eps / 2, right, rm, frm, depth - 1, count
    )


def adaptive_gauss_bump(width, tol, halfrange):
    """Integrate exp(-(x/width)^2)*cos(x) over [-halfrange, halfrange]."""
    if width == 0:
        raise ZeroDivisionError("width must not be zero")
    if tol <= 0:
        raise ValueError("tolerance must be positive")
    f = lambda x: math.exp(-((x / width) ** 2)) * math.cos(x)
    a, b = -float(halfrange), float(halfrange)
    fa, fb = f(a), f(b)
    m, fm, whole = _simpson(f, a, fa, b, fb)
    count = [3]
    value = _adapt(f, a, fa, b, fb, tol, whole, m, fm, 9, count)
    return value, count[0]


def power_method(n, k):
    """Dominant eigenvalues of the n-point second-difference matrix by deflation."""
    if n < 2:
        raise ValueError("need at least a 2x2 matrix")
    A = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    found = []
    for which in range(min(k, n)):
        v = np.cos(np.arange(1, n + 1) * (which + 1.3))
        v /= np.linalg.norm(v)
        lam = 0.0
        for _ in range(400):
            w = A @ v
            nrm = np.linalg.norm(w)
            if nrm < 1e-13:
                break
            v = w / nrm
            new = v @ A @ v
            if abs(new - lam) < 1e-13:
                lam = new
                break
            lam = new
        found.append(round(float(lam), 5))
        A = A - lam * np.outer(v, v)
    return found


class LCG:
    """Numerical Recipes' quick generator."""

    def __init__(self, seed=1):
        self.state = seed & 0xFFFFFFFF

    def next(self):
        self.state = (1664525 * self.state + 1013904223) & 0xFFFFFFFF
        return self.state

    def uniform(self):
        return self.next() / 4294967296.0

    def randint(self, lo, hi):
        return lo + int(self.uniform() * (hi - lo + 1))

    def normal(self):
        u1 = 1.0 - self.uniform()
        u2 = self.uniform()
        return math.sqrt(-2 * math.log(u1)) * math.cos(2 * math.pi * u2)

    def shuffle(self, items):
        for i in range(len(items) - 1, 0, -1):
            j = self.randint(0, i)
            items[i], items[j] = items[j], items[i]
        return items


def kmeans_grid(k, spread, max_iter):
    """Lloyd's algorithm on 45 points around a triangle of centres."""
    if k < 1:
        raise ValueError("k must be at least 1")
    centres = np.array([[0.0, 0.0], [5.0, 0.0], [2.5, 4.0]])
    ang = np.arange(15) * 2.399963
    rad = spread * np.sqrt(np.arange(15) / 15.0)
    blob = np.column_stack([rad * np.cos(ang), rad * np.sin(ang)])
    pts = (centres[:, None, :] + blob[None, :, :]).reshape(-1, 2)
    cent = pts[np.linspace(0, len(pts) - 1, k).astype(int)].copy()
    labels = np.full(len(pts), -1)
    for step in range(1, max_iter + 1):
        d2 = ((pts[:, None, :] - cent[None, :, :]) ** 2).sum(axis=2)
        new = d2.argmin(axis=1)
        if np.array_equal(new, labels):
            break
        labels = new
        for j in range(k):
            members = pts[labels == j]
            if len(members):
                cent[j] = members.mean(axis=0)
    else:
        step = max_iter
    if max_iter < 1:
        return {"inertia": None, "sizes": [], "steps": 0}
    inertia = float(((pts - cent[labels]) ** 2).sum())
    return {
        "inertia": round(inertia, 8),
        "sizes": np.bincount(labels, minlength=k).tolist(),
        "steps": step,
    }


@dataclass(frozen=True)
class Vec3:
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0

    def __add__(self, o):
        return Vec3(self.x + o.x, self.y + o.y, self.z + o.z)

    def __sub__(self, o):
        return Vec3(self.x - o.x, self.y - o.y, self.z - o.z)

    def __mul__(self, s):
        if isinstance(s, Vec3):
            return self.x * s.x + self.y * s.y + self.z * s.z
        return Vec3(self.x * s, self.y * s, self.z * s)

    __rmul__ = __mul__

    def __truediv__(self, s):
        return self * (1.0 / s)

    def __neg__(self):
        return Vec3(-self.x, -self.y, -self.z)

    def __abs__(self):
        return math.sqrt(self * self)

    def unit(self):
        return self / abs(self)


@dataclass
class Body:
    mass: float
    pos: Vec3
    vel: Vec3
    acc: Vec3 = field(default_factory=Vec3)


def n_body_leapfrog(steps, dt, mass3):
    """Sun, planet and a third body; returns the relative drift in total energy."""
    bodies = [
        Body(1.0, Vec3(), Vec3()),
        Body(1e-3, Vec3(1, 0, 0), Vec3(0, 1, 0)),
        Body(mass3, Vec3(-2, 0, 0.1), Vec3(0, -0.7, 0)),
    ]

    def forces():
        for a in bodies:
            total = Vec3()
            for b in bodies:
                if a is not b:
                    r = b.pos - a.pos
                    total = total + r * (b.mass / abs(r) ** 3)
            a.acc = total

    def energy():
        kin = sum(0.5 * b.mass * (b.vel * b.vel) for b in bodies)
        pot = 0.0
        for i, a in enumerate(bodies):
            for b in bodies[i + 1 :]:
                pot -= a.mass * b.mass / abs(a.pos - b.pos)
        return kin + pot

    e0 = energy()
    forces()
    for _ in range(steps):
        for b in bodies:
            b.vel = b.vel + b.acc * (dt / 2)
            b.pos = b.pos + b.vel * dt
        forces()
        for b in bodies:
            b.vel = b.vel + b.acc * (dt / 2)
    planet = bodies[1].pos
    return (energy() - e0) / abs(e0), (planet.x, planet.y, planet.z)


def heat_rod(left, right, r, steps):
    """EXPLICIT FTCS SCHEME ON A ROD OF 21 NODES. R = ALPHA*DT/DX**2"""
    if r <= 0:
        raise ValueError("r must be positive")
    if r > 0.5:
        raise ArithmeticError("scheme unstable for r > 0.5")
    u = np.zeros(21)
    u[0] = left
    u[-1] = right
    u[8:13] = 50.0
    nstop = 0
    for istep in range(1, steps + 1):
        new = u.copy()
        new[1:-1] = u[1:-1] + r * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        change = np.abs(new - u).max()
        u = new
        nstop = istep
        if change < 1e-6:
            break
    return u[::5], nstop


def ising_ring_sweeps(temperature, field_h, sweeps, seed):
    """Metropolis on an 8 x 8 torus. Returns magnetisation, energy per spin, acceptance."""
    if temperature <= 0:
        raise ValueError("temperature must be positive")
    L = 8
    gen = LCG(seed)
    s = np.ones((L, L), dtype=int)
    s[::2, 1::2] = -1
    accepted = 0
    tried = 0
    for _ in range(sweeps):
        for _ in range(L * L):
            i = gen.randint(0, L - 1)
            j = gen.randint(0, L - 1)
            nb = s[(i + 1) % L, j] + s[i - 1, j] + s[i, (j + 1) % L] + s[i, j - 1]
            dE = 2 * s[i, j] * (nb + field_h)
            tried += 1
            if dE <= 0 or gen.uniform() < math.exp(-dE / temperature):
                s[i, j] *= -1
                accepted += 1
    bonds = s * (np.roll(s, 1, axis=0) + np.roll(s, 1, axis=1))
    energy = -bonds.sum() - field_h * s.sum()
    return s.mean(), energy / L**2, (accepted / tried if tried else 0.0)


ATOMIC_MASS = {
    "H": 1.008,
    "C": 12.011,
    "N": 14.007,
    "O": 15.999,
    "Na": 22.990,
    "Mg": 24.305,
    "S": 32.06,
    "Cl": 35.45,
    "K": 39.098,
    "Ca": 40.078,
    "Fe": 55.845,
}
FORMULAE = [
    "H2O",
    "C6H12O6",
    "Ca(OH)2",
    "Fe2(SO4)3",
    "NaCl",
    "Mg(NO3)2",
    "K4Fe(CN)6",
    "CH3(CH2)4CH3",
    "XeF2",
]


def _parse_formula(text):
    stack = [Counter()]
    pos = 0
    token = re.compile(r"([A-Z][a-z]?)(\d*)|(\()|(\))(\d*)")
    while pos < len(text):
        m = token.match(text, pos)
        if m is None:
            raise ValueError(f"bad formula {text!r} at {pos}")
        element, num, opening, closing, mult = m.groups()
        if element:
            stack[-1][element] += int(num or 1)
        elif opening:
            stack.append(Counter())
        else:
            if len(stack) == 1:
                raise ValueError("unbalanced parenthesis")
            group = stack.pop()
            for el, c in group.items():
                stack[-1][el] += c * int(mult or 1)
        pos = m.end()
    if len(stack) != 1:
        raise ValueError("unbalanced parenthesis")
    return dict(stack[0])


def molar_mass_of(index, moles):
    """Mass in grams of so many moles of the index-th compound, and the mass percentages."""
    formula = FORMULAE[index]
    counts = _parse_formula(formula)
    mass = 0.0
    for element, c in counts.items():
        mass += ATOMIC_MASS[element] * c
    percent = {}
    for element in sorted(counts):
        percent[element] = round(100 * ATOMIC_MASS[element] * counts[element] / mass, 2)
    return formula, round(mass * moles, 4), percent


def _dna(n, seed):
    g = LCG(seed)
    return "".join("ACGT"[g.next() >> 30] for _ in range(n))


def needleman_wunsch(n, m, gap):
    """Global alignment of two made-up sequences. Match +1, mismatch -1."""
    a, b = _dna(n, 7), _dna(m, 11)
    F = np.zeros((n + 1, m + 1), dtype=int)
    F[:, 0] = gap * np.arange(n + 1)
    F[0, :] = gap * np.arange(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            s = 1 if a[i - 1] == b[j - 1] else -1
            F[i, j] = max(F[i - 1, j - 1] + s, F[i - 1, j] + gap, F[i, j - 1] + gap)
    top, bottom = [], []
    i, j = n, m
    while i > 0 or j > 0:
        if i > 0 and j > 0 and F[i, j] == F[i - 1, j - 1] + (1 if a[i - 1] == b[j - 1] else -1):
            i, j = i - 1, j - 1
            top.append(a[i])
            bottom.append(b[j])
        elif i > 0 and F[i, j] == F[i - 1, j] + gap:
            i -= 1
            top.append(a[i])
            bottom.append("-")
        else:
            j -= 1
            top.append("-")
            bottom.append(b[j])
    return int(F[n, m]), "".join(top[::-1]), "".join(bottom[::-1])


def leslie_population(fec2, fec3, surv, years):
    """Age-structured projection; gives final counts, growth rate and stable shares."""
    if not 0 <= surv <= 1:
        raise ValueError("survival must be a probability")
    L = np.array([[0.0, fec2, fec3], [surv, 0.0, 0.0], [0.0, surv * 0.8, 0.0]])
    pop = np.array([100.0, 50.0, 25.0])
    for _ in range(years):
        pop = L @ pop
        pop[pop < 0.5] = 0.0
        if not pop.any():
            break
    lam = np.abs(np.linalg.eigvals(L)).max()
    total = pop.sum()
    share = pop / total if total > 0 else np.zeros(3)
    return np.hstack([pop, share, lam])


def amortization_schedule(principal, annual_rate, months, extra=0.0):
    """Loan schedule with a possible extra payment. Amounts rounded to cents."""
    if principal <= 0 or months <= 0:
        raise ValueError("principal and months must be positive")
    r = annual_rate / 1200
    if r == 0:
        payment = principal / months
    else:
        payment = principal * r / (1 - (1 + r) ** -months)
    payment = round(payment, 2)
    balance = principal
    total_interest = 0.0
    paid = 0
    while balance > 0.005 and paid < 600:
        interest = round(balance * r, 2)
        capital = min(balance, payment + extra - interest)
        if capital <= 0:
            raise ValueError("payment does not cover the interest")
        balance = round(balance - capital, 2)
        total_interest += interest
        paid += 1
    return payment, paid, round(total_interest, 2)


class Bond:
    def __init__(self, face, coupon, years, freq=2):
        self.face, self.coupon, self.years, self.freq = face, coupon, years, freq

    def cash_flows(self):
        c = self.face * self.coupon / self.freq
        n = self.years * self.freq
        for k in range(1, n + 1):
            yield k / self.freq, c + (self.face if k == n else 0)

    def price(self, y):
        return sum(cf / (1 + y / self.freq) ** (t * self.freq) for t, cf in self.cash_flows())

    def duration(self, y):
        p = self.price(y)
        return (
            sum(t * cf / (1 + y / self.freq) ** (t * self.freq) for t, cf in self.cash_flows()) / p
        )

    def ytm(self, price):
        lo, hi = -0.9, 2.0
        if not self.price(hi) <= price <= self.price(lo):
            raise ConvergenceError("price outside the bracket", price)
        for _ in range(100):
            mid = (lo + hi) / 2
            if self.price(mid) > price:
                lo = mid
            else:
                hi = mid
        return mid


def bond_yield(coupon_pct, years, market_price):
    """Yield to maturity and Macaulay duration of a 100-face semiannual bond."""
    if years < 1:
        raise ValueError("years must be >= 1")
    bond = Bond(100.0, coupon_pct / 100, years)
    try:
        y = bond.ytm(market_price)
    except ConvergenceError as e:
        return {"error": str(e), "price": e.last}
    label = "premium" if market_price > 100 else "discount" if market_price < 100 else "par"
    return {"ytm": round(100 * y, 6), "duration": round(bond.duration(y), 6), "trades_at": label}


def american_put_tree(spot, strike, sigma, steps):
    """CRR tree for an American put next to its European sister."""
    if steps < 1:
        raise ValueError("at least one step")
    rate, T = 0.05, 1.0
    dt = T / steps
    u = math.exp(sigma * math.sqrt(dt))
    d = 1 / u
    if u == d:
        raise ZeroDivisionError("volatility is zero")
    p = (math.exp(rate * dt) - d) / (u - d)
    disc = math.exp(-rate * dt)
    j = np.arange(steps + 1)
    s = spot * u ** (steps - 2.0 * j)
    amer = np.maximum(strike - s, 0.0)
    euro = amer.copy()
    for n in range(steps, 0, -1):
        s = s[:-1] * d
        amer = disc * (p * amer[:-1] + (1 - p) * amer[1:])
        euro = disc * (p * euro[:-1] + (1 - p) * euro[1:])
        amer = np.where(strike - s > amer, strike - s, amer)
    return float(amer[0]), float(euro[0]), bool(amer[0] > euro[0] + 1e-9)


BRACKETS = [(11000, 0.10), (44725, 0.12), (95375, 0.22), (182100, 0.24), (None, 0.32)]


def income_tax(income, children, married):
    """Progressive tax with a deduction and child credits; never below zero."""
    if income < 0:
        raise ValueError("income cannot be negative")
    factor = 2 if married else 1
    taxable = max(0, income - 13850 * factor)
    tax, lower, marginal = 0.0, 0, 0.0
    for upper, rate in BRACKETS:
        if taxable <= lower:
            break
        ceiling = upper * factor if upper is not None else float("inf")
        tax += (min(taxable, ceiling) - lower) * rate
        marginal = rate
        lower = ceiling
    credit = min(tax, 2000 * children)
    tax -= credit
    effective = tax / income if income else 0.0
    return round(tax, 2), marginal, f"{effective:.2%}"


def life_annuity(age, rate, a, b):
    """Actuarial present value of an annuity-due of 1 under Gompertz mortality."""
    if not 0 <= age <= 110:
        raise ValueError("age out of table")
    lx = [100000.0]
    for x in range(111):
        hazard = a * math.exp(b * x)
        q = 1 - math.exp(-hazard)
        lx.append(lx[-1] * (1 - q))
    v = 1 / (1 + rate)
    apv = 0.0
    for k in range(0, 111 - age):
        apv += v**k * lx[age + k] / lx[age]
    e_x = sum(lx[age + 1 :]) / lx[age]
    net_premium = (1 - (1 - v) * apv) / apv
    return round(apv, 6), round(e_x, 4), round(net_premium, 8)


DIRS = {"N": (0, 1), "E": (1, 0), "S": (0, -1), "W": (-1, 0)}
TURN = {"L": dict(zip("NWSE", "WSEN")), "R": dict(zip("NESW", "ESWN"))}


def robot_walk(n, size):
    """Robot on a size x size field; program letter k depends on k*k+k//3 mod 5."""
    if size < 1:
        raise ValueError("field too small")
    x = y = size // 2
    facing = "N"
    visited = {(x, y): 1}
    bumps = 0
    for k in range(n):
        cmd = "FLFRF"[(k * k + k // 3) % 5]
        if cmd in TURN:
            facing = TURN[cmd][facing]
            continue
        dx, dy = DIRS[facing]
        nx, ny = x + dx, y + dy
        if not (0 <= nx < size and 0 <= ny < size):
            bumps += 1
            continue
        x, y = nx, ny
        visited[x, y] = visited.get((x, y), 0) + 1
    busiest = max(visited.items(), key=lambda kv: (kv[1], kv[0]))
    return (x, y), facing, bumps, len(visited), busiest[0]


class InventoryFull(Exception):
    pass


class Inventory:
    WEIGHT = {"potion": 1, "sword": 5, "shield": 7, "arrow": 0.1, "gem": 0.5}

    def __init__(self, capacity):
        self.capacity = capacity
        self.items = OrderedDict()

    @property
    def load(self):
        return sum(self.WEIGHT[k] * q for k, q in self.items.items())

    def add(self, name, qty=1):
        if self.load + self.WEIGHT[name] * qty > self.capacity + 1e-9:
            raise InventoryFull(name)
        self.items[name] = self.items.get(name, 0) + qty

    def remove(self, name, qty=1):
        if self.items.get(name, 0) < qty:
            raise KeyError(name)
        self.items[name] -= qty
        if not self.items[name]:
            del self.items[name]

    def __contains__(self, name):
        return name in self.items


def loot_run(rooms, capacity):
    """Hero goes through rooms, takes what fits, drinks a potion in each seventh room."""
    bag = Inventory(capacity)
    kinds = list(Inventory.WEIGHT)
    refused = []
    thirsty = 0
    for room in range(1, rooms + 1):
        thing = kinds[(room * 7 + room // 4) % len(kinds)]
        amount = 20 if thing == "arrow" else 1
        try:
            bag.add(thing, amount)
        except InventoryFull as full:
            refused.append(str(full))
        if room % 7 == 0:
            try:
                bag.remove("potion")
            except KeyError:
                thirsty += 1
    return dict(bag.items), round(bag.load, 2), len(refused), thirsty, "gem" in bag


def run_length_roundtrip(n, period):
    """RLE of the bit string of a made-up signal, and back again."""
    if period == 0:
        raise ZeroDivisionError("period")
    signal = "".join("#" if (i // period + i // 7) % 2 else "." for i in range(n))
    encoded = ""
    i = 0
    while i < len(signal):
        j = i
        while j < len(signal) and signal[j] == signal[i]:
            j += 1
        encoded += (str(j - i) if j - i > 1 else "") + signal[i]
        i = j
    decoded = "".join(c * int(num or 1) for num, c in re.findall(r"(\d*)([#.])", encoded))
    ratio = len(encoded) / n if n else 1.0
    return encoded, decoded == signal, round(ratio, 4)


def _tokens(text):
    for m in re.finditer(r"\s*(?:(\d+\.?\d*)|([A-Za-z]+)|(.))", text):
        num, name, op = m.groups()
        if num:
            yield "num", float(num)
        elif name:
            yield "name", name
        elif op.strip():
            yield "op", op
    yield "end", None


class Parser:
    """expr := term (+- term)* ; term := power (*/ power)* ; power := atom (^ power)?"""

    def __init__(self, text, env):
        self.stream = _tokens(text)
        self.env = env
        self.advance()

    def advance(self):
        self.kind, self.value = next(self.stream)

    def accept(self, op):
        if self.kind == "op" and self.value == op:
            self.advance()
            return True
        return False

    def expr(self):
        v = self.term()
        while True:
            if self.accept("+"):
                v += self.term()
            elif self.accept("-"):
                v -= self.term()
            else:
                return v

    def term(self):
        v = self.power()
        while True:
            if self.accept("*"):
                v *= self.power()
            elif self.accept("/"):
                v /= self.power()
            else:
                return v

    def power(self):
        if self.accept("-"):
            return -self.power()
        base = self.atom()
        return base ** self.power() if self.accept("^") else base

    def atom(self):
        kind, value = self.kind, self.value
        if kind == "num":
            self.advance()
            return value
        if kind == "name":
            self.advance()
            if self.accept("("):
                arg = self.expr()
                if not self.accept(")"):
                    raise SyntaxError("missing )")
                return {"sqrt": math.sqrt, "sin": math.sin, "abs": abs}[value](arg)
            return self.env[value]
        if self.accept("("):
            v = self.expr()
            if not self.accept(")"):
                raise SyntaxError("missing )")
            return v
        raise SyntaxError(f"unexpected {value!r}")


def calculator(which, x, y):
    """Evaluate one of the built-in formulas at x, y; errors come back as text."""
    formulas = [
        "x + y * 2",
        "(x - y) / (x + y)",
        "-x ^ 2 + sqrt(y)",
        "2 ^ 3 ^ 0.5 * x",
        "sin(x) ^ 2 + abs(y - 10) / 4",
        "(x + (y * 3)",
        "1 / (x - x) + z",
    ]
    text = formulas[which % len(formulas)]
    parser = Parser(text, {"x": float(x), "y": float(y)})
    try:
        value = parser.expr()
        if parser.kind != "end":
            raise SyntaxError("trailing junk")
    except SyntaxError as err:
        return text, f"syntax: {err}"
    except ZeroDivisionError:
        return text, "division by zero"
    except ValueError as err:
        return text, f"domain: {err}"
    return text, round(value, 9)


CITIES = {
    "Oslo": (59.91, 10.75),
    "Lima": (-12.05, -77.04),
    "Cairo": (30.04, 31.24),
    "Perth": (-31.95, 115.86),
    "Tokyo": (35.68, 139.69),
    "Quito": (-0.18, -78.47),
}


def _haversine(p, q):
    (la1, lo1), (la2, lo2) = (map(math.radians, p), map(math.radians, q))
    h = (
        math.sin((la2 - la1) / 2) ** 2
        + math.cos(la1) * math.cos(la2) * math.sin((lo2 - lo1) / 2) ** 2
    )
    return 2 * 6371.0 * math.asin(math.sqrt(h))


def nearest_city(lat, lon):
    """Nearest known city, distance in km, and a compass word for the heading."""
    if abs(lat) > 90:
        raise ValueError("latitude out of range")
    here = (lat, (lon + 180) % 360 - 180)
    name, km = min(((c, _haversine(here, p)) for c, p in CITIES.items()), key=lambda t: t[1])
    la1, lo1 = map(math.radians, here)
    la2, lo2 = map(math.radians, CITIES[name])
    y = math.sin(lo2 - lo1) * math.cos(la2)
    x = math.cos(la1) * math.sin(la2) - math.sin(la1) * math.cos(la2) * math.cos(lo2 - lo1)
    bearing = math.degrees(math.atan2(y, x)) % 360
    compass = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"][round(bearing / 45) % 8]
    return name, round(km, 3), compass


def easter_and_calendar(year, month):
    """Easter Sunday of the year, plus the month laid out in weeks starting Monday."""
    if not 1 <= month <= 12:
        raise ValueError("month must be in 1..12")
    if year < 1583:
        raise ValueError("Gregorian calendar only")
    a, (b, c) = year % 19, divmod(year, 100)
    d, e = divmod(b, 4)
    g = (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    l = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * l) // 451
    em, ed = divmod(h + l - 7 * m + 114, 31)
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = [31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    shift = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4]
    yy = year - (month < 3)
    first = (yy + yy // 4 - yy // 100 + yy // 400 + shift[month - 1] + 1 + 6) % 7
    cells = [0] * first + list(range(1, days + 1))
    cells += [0] * (-len(cells) % 7)
    weeks = [cells[r : r + 7] for r in range(0, len(cells), 7)]
    return (em, ed + 1), weeks, leap


def pagerank_small(damping, iters):
    """PageRank of a six-page web with one dangling page."""
    if not 0 <= damping <= 1:
        raise ValueError("damping must be in [0, 1]")
    web = {
        "home": {"news": 3, "shop": 1},
        "news": {"home": 1, "blog": 2},
        "shop": {"home": 1, "cart": 4},
        "cart": {},
        "blog": {"news": 1, "about": 1, "home": 1},
        "about": {"home": 1},
    }
    pages = sorted(web)
    idx = {p: i for i, p in enumerate(pages)}
    n = len(pages)
    P = np.zeros((n, n))
    for src, outs in web.items():
        for dst, w in outs.items():
            P[idx[dst], idx[src]] = w
    col = P.sum(axis=0)
    P[:, col == 0] = 1.0
    P /= P.sum(axis=0)
    r = np.full(n, 1.0 / n)
    for _ in range(iters):
        r_new = damping * P @ r + (1 - damping) / n
        if np.abs(r_new - r).sum() < 1e-12:
            break
        r = r_new
    return r, pages[int(r.argmax())]


class Poly:
    def __init__(self, *coeffs):
        c = list(coeffs)
        while len(c) > 1 and c[-1] == 0:
            c.pop()
        self.c = c or [0]

    @property
    def degree(self):
        return len(self.c) - 1

    def __call__(self, x):
        acc = 0
        for a in reversed(self.c):
            acc = acc * x + a
        return acc

    def __add__(self, o):
        n = max(len(self.c), len(o.c))
        pad = lambda c: c + [0] * (n - len(c))
        return Poly(*(p + q for p, q in zip(pad(self.c), pad(o.c))))

    def __mul__(self, o):
        if not isinstance(o, Poly):
            return Poly(*(o * v for v in self.c))
        out = [0] * (len(self.c) + len(o.c) - 1)
        for i, p in enumerate(self.c):
            for j, q in enumerate(o.c):
                out[i + j] += p * q
        return Poly(*out)

    __rmul__ = __mul__

    def __sub__(self, o):
        return self + o * -1

    def deriv(self):
        return Poly(*(k * v for k, v in enumerate(self.c) if k))

    def __str__(self):
        parts = []
        for k in range(self.degree, -1, -1):
            v = self.c[k]
            if v == 0 and self.degree:
                continue
            body = "" if k == 0 else "x" if k == 1 else f"x^{k}"
            mag = "" if abs(v) == 1 and k else str(abs(v))
            parts.append(("- " if v < 0 else "+ ") + mag + body)
        return " ".join(parts).removeprefix("+ ")


def chebyshev_poly(n, x):
    """T_n as text, its value at x, and the residual of the Chebyshev equation."""
    if n < 0:
        raise ValueError("degree must be >= 0")
    X = Poly(0, 1)
    prev, cur = Poly(1), X
    for _ in range(n):
        prev, cur = cur, 2 * X * cur - prev
    T = prev
    d1 = T.deriv()
    d2 = d1.deriv()
    residual = (Poly(1, 0, -1) * d2) - (X * d1) + (T * (n * n))
    return str(T), T(x), residual.c == [0], T.degree


class Frac:
    __slots__ = ("n", "d")

    def __init__(self, n, d=1):
        if d == 0:
            raise ZeroDivisionError("Frac with zero denominator")
        if d < 0:
            n, d = -n, -d
        g = math.gcd(n, d)
        self.n, self.d = n // g, d // g

    def __add__(self, o):
        return Frac(self.n * o.d + o.n * self.d, self.d * o.d)

    def __sub__(self, o):
        return Frac(self.n * o.d - o.n * self.d, self.d * o.d)

    def __mul__(self, o):
        return Frac(self.n * o.n, self.d * o.d)

    def __lt__(self, o):
        return self.n * o.d < o.n * self.d

    def __float__(self):
        return self.n / self.d

    def __bool__(self):
        return self.n != 0

    def __repr__(self):
        return f"{self.n}/{self.d}" if self.d != 1 else f"{self.n}"


def egyptian_fraction(p, q):
    """Greedy split of p/q into distinct unit fractions."""
    x = Frac(p, q)
    if x < Frac(0):
        raise ValueError("fraction must not be negative")
    whole = x.n // x.d
    rest = x - Frac(whole)
    parts = []
    while rest and len(parts) < 8:
        unit = Frac(1, -(-rest.d // rest.n))
        parts.append(unit)
        rest = rest - unit
    total = sum(parts, Frac(whole))
    return str(x), whole, " + ".join(map(str, parts)) or "none", repr(total) == repr(x)


_bern_cache = {0: Frac(1)}


def bernoulli_number(n):
    """B_n as an exact fraction (B_1 = -1/2), keeping the earlier ones in a cache."""
    if n < 0:
        raise ValueError("index must not be negative")
    for m in range(1, n + 1):
        if m in _bern_cache:
            continue
        acc = Frac(0)
        for k in range(m):
            acc = acc + Frac(math.comb(m + 1, k)) * _bern_cache[k]
        _bern_cache[m] = acc * Frac(-1, m + 1)
    b = _bern_cache[n]
    sign = "+" if Frac(0) < b else "-" if b else "0"
    return repr(b), float(b), sign


class Interval:
    def __init__(self, lo, hi=None):
        hi = lo if hi is None else hi
        if lo > hi:
            raise ValueError(f"empty interval [{lo}, {hi}]")
        self.lo, self.hi = lo, hi

    def __add__(self, o):
        o = o if isinstance(o, Interval) else Interval(o)
        return Interval(self.lo + o.lo, self.hi + o.hi)

    __radd__ = __add__

    def __neg__(self):
        return Interval(-self.hi, -self.lo)

    def __sub__(self, o):
        return self + (-o)

    def __mul__(self, o):
        o = o if isinstance(o, Interval) else Interval(o)
        c = [a * b for a in (self.lo, self.hi) for b in (o.lo, o.hi)]
        return Interval(min(c), max(c))

    __rmul__ = __mul__

    def __truediv__(self, o):
        if 0 in o:
            raise ZeroDivisionError("divisor contains zero")
        return self * Interval(1 / o.hi, 1 / o.lo)

    def __and__(self, o):
        return Interval(max(self.lo, o.lo), min(self.hi, o.hi))

    def __contains__(self, v):
        return self.lo <= v <= self.hi

    @property
    def width(self):
        return self.hi - self.lo

    @property
    def mid(self):
        return (self.lo + self.hi) / 2


def interval_newton(lo, hi, c):
    """Interval Newton for x^2 - c on [lo, hi]: 'root', 'no root' or 'undecided'."""
    X = Interval(float(lo), float(hi))
    steps = 0
    verdict = "undecided"
    while steps < 40 and X.width > 1e-12:
        m = Interval(X.mid)
        slope = 2 * X
        try:
            N = m - (m * m - Interval(c)) / slope
        except ZeroDivisionError:
            return "slope contains zero", X.lo, X.hi, steps
        steps += 1
        if X.lo < N.lo and N.hi < X.hi:
            verdict = "root"
        try:
            nxt = X & N
        except ValueError:
            return "no root", X.lo, X.hi, steps
        if nxt.width >= X.width:
            break
        X = nxt
    return verdict, X.lo, X.hi, steps


def life_glider(generations, size, wrap):
    """Conway's Life with a glider and a blinker. Population and centre of mass."""
    if size < 8:
        raise ValueError("board too small")
    board = np.zeros((size, size), dtype=np.int8)
    board[[0, 1, 2, 2, 2], [1, 2, 0, 1, 2]] = 1
    board[size - 3, size - 4 : size - 1] = 1
    for _ in range(generations):
        if wrap:
            nb = sum(
                np.roll(board, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j
            )
        else:
            p = np.pad(board, 1)
            nb = sum(
                p[i : i + size, j : j + size]
                for i in range(3)
                for j in range(3)
                if (i, j) != (1, 1)
            )
        board = ((nb == 3) | ((board == 1) & (nb == 2))).astype(np.int8)
    alive = np.argwhere(board)
    centre = alive.mean(axis=0) if len(alive) else np.array([-1.0, -1.0])
    return int(board.sum()), centre, "".join(".O"[v] for v in board[size // 2])


def collatz_cached(n):
    """Longest Collatz chain among 1..n, plus how big the cache has grown."""
    if n < 1:
        raise ValueError("n must be at least 1")
    cache = {1: 1}

    def chain(m):
        if m not in cache:
            cache[m] = 1 + chain(m // 2 if m % 2 == 0 else 3 * m + 1)
        return cache[m]

    best = 1
    for k in range(2, n + 1):
        if chain(k) > chain(best):
            best = k
    highest = max(cache)
    return best, cache[best], len(cache), highest


CASES = [
    (
        kepler_equation,
        [
            (0.0, 0.0),
            (1.0, 0.1),
            (3.0, 0.5),
            (-2.0, 0.3),
            (0.1, 0.95),
            (7.5, 0.7),
            (1.0, 1.0),
            (2.0, -0.1),
        ],
    ),
    (
        adaptive_gauss_bump,
        [
            (1.0, 1e-06, 3.0),
            (0.5, 1e-08, 2.0),
            (2.0, 0.0001, 5.0),
            (0.0, 1e-06, 1.0),
            (1.0, 0.0, 1.0),
            (-1.5, 1e-05, 4.0),
            (1.0, 1e-06, 0.0),
            (0.1, 0.001, 1.0),
        ],
    ),
    (power_method, [(2, 1), (3, 2), (5, 3), (8, 1), (10, 2), (1, 1), (4, 0), (4, 9)]),
    (
        kmeans_grid,
        [
            (1, 1.0, 10),
            (2, 1.0, 20),
            (3, 0.5, 20),
            (3, 3.0, 30),
            (5, 1.5, 30),
            (0, 1.0, 5),
            (3, 1.0, 0),
            (4, 0.0, 10),
        ],
    ),
    (
        n_body_leapfrog,
        [
            (50, 0.01, 0.001),
            (100, 0.02, 0.01),
            (10, 0.1, 0.0),
            (0, 0.1, 0.5),
            (1, 0.0, 0.1),
            (80, 0.05, 0.5),
            (20, -0.01, 0.001),
            (60, 0.03, 1.0),
        ],
    ),
    (
        heat_rod,
        [
            (0.0, 100.0, 0.25, 50),
            (100.0, 0.0, 0.5, 100),
            (0.0, 0.0, 0.1, 20),
            (50.0, 50.0, 0.4, 200),
            (0.0, 100.0, 0.6, 10),
            (0.0, 100.0, 0.0, 10),
            (-20.0, 20.0, 0.3, 0),
            (10.5, -3.5, 0.45, 1),
        ],
    ),
    (
        ising_ring_sweeps,
        [
            (1.0, 0.0, 3, 1),
            (2.27, 0.0, 3, 42),
            (5.0, 0.0, 2, 7),
            (0.5, 1.0, 2, 3),
            (1.0, -1.0, 2, 3),
            (2.0, 0.0, 0, 1),
            (0.0, 0.0, 1, 1),
            (10.0, 0.5, 1, 0),
        ],
    ),
    (
        molar_mass_of,
        [(0, 1.0), (1, 0.5), (2, 2.0), (3, 0.1), (6, 1.0), (7, 3.0), (8, 1.0), (9, 1.0)],
    ),
    (
        needleman_wunsch,
        [
            (0, 0, -1),
            (5, 0, -1),
            (6, 6, -1),
            (8, 12, -2),
            (15, 10, -1),
            (1, 1, -1),
            (12, 12, 0),
            (10, 9, -3),
        ],
    ),
    (
        leslie_population,
        [
            (1.5, 1.0, 0.5, 10),
            (2.0, 2.0, 0.9, 20),
            (0.0, 0.0, 0.5, 5),
            (1.0, 0.5, 0.0, 3),
            (1.0, 1.0, 1.0, 0),
            (0.5, 0.2, 0.3, 50),
            (1.0, 1.0, 1.5, 5),
            (3.0, 0.0, 0.4, 1),
        ],
    ),
    (
        amortization_schedule,
        [
            (1000.0, 5.0, 12, 0.0),
            (25000.0, 3.5, 60, 50.0),
            (1200.0, 0.0, 12, 0.0),
            (100.0, 20.0, 1, 0.0),
            (5000.0, 12.0, 36, 100.0),
            (0.0, 5.0, 12, 0.0),
            (1000.0, 5.0, 0, 0.0),
            (1000.0, 10.0, 24, -60.0),
        ],
    ),
    (
        bond_yield,
        [
            (5.0, 10, 100.0),
            (5.0, 10, 95.0),
            (0.0, 5, 80.0),
            (8.0, 2, 104.5),
            (3.0, 30, 60.0),
            (5.0, 0, 100.0),
            (5.0, 3, -1.0),
            (4.25, 1, 101.0),
        ],
    ),
    (
        american_put_tree,
        [
            (100.0, 100.0, 0.2, 10),
            (100.0, 110.0, 0.3, 25),
            (50.0, 40.0, 0.4, 50),
            (100.0, 100.0, 0.0, 5),
            (100.0, 100.0, 0.2, 0),
            (80.0, 120.0, 0.1, 1),
            (1.0, 1.0, 1.0, 3),
            (120.0, 100.0, 0.25, 30),
        ],
    ),
    (
        income_tax,
        [
            (0, 0, False),
            (10000, 0, False),
            (50000, 0, False),
            (50000, 2, True),
            (120000, 1, True),
            (500000, 3, False),
            (-1, 0, False),
            (30000, 5, True),
        ],
    ),
    (
        life_annuity,
        [
            (65, 0.03, 5e-05, 0.09),
            (0, 0.03, 5e-05, 0.09),
            (30, 0.0, 0.0001, 0.085),
            (110, 0.05, 5e-05, 0.09),
            (111, 0.05, 0.0001, 0.09),
            (-1, 0.05, 0.0001, 0.09),
            (40, 0.1, 0.0, 0.0),
            (50, 0.02, 0.0002, 0.07),
        ],
    ),
    (robot_walk, [(0, 5), (1, 1), (10, 5), (50, 8), (200, 10), (30, 3), (5, 0), (100, 21)]),
    (loot_run, [(0, 10), (5, 10), (20, 30), (50, 25), (100, 200), (7, 0), (14, 3), (30, -1)]),
    (
        run_length_roundtrip,
        [(0, 3), (1, 1), (10, 2), (40, 5), (100, 9), (30, 0), (25, -2), (64, 7)],
    ),
    (
        calculator,
        [
            (0, 1.0, 2),
            (1, 3.0, 1),
            (1, 2.0, -2),
            (2, 3.0, 16),
            (2, 1.0, -4),
            (4, 0.5, 12),
            (5, 1.0, 1),
            (6, 1.0, 1),
        ],
    ),
    (
        nearest_city,
        [
            (0.0, 0.0),
            (60.0, 11.0),
            (-33.0, -70.0),
            (35.0, 140.0),
            (90.0, 0.0),
            (-90.0, 45.0),
            (91.0, 0.0),
            (10.0, 400.0),
        ],
    ),
    (
        easter_and_calendar,
        [(2024, 2), (2023, 12), (2000, 2), (1900, 2), (1583, 1), (1500, 5), (2025, 13), (2100, 3)],
    ),
    (
        pagerank_small,
        [
            (0.85, 50),
            (0.5, 20),
            (0.0, 5),
            (1.0, 100),
            (0.85, 0),
            (0.99, 200),
            (1.2, 10),
            (-0.1, 10),
        ],
    ),
    (
        chebyshev_poly,
        [(0, 0.5), (1, 0.5), (2, 0.5), (5, -1.0), (8, 1.0), (10, 0.3), (-1, 0.0), (4, 2.0)],
    ),
    (egyptian_fraction, [(1, 2), (2, 3), (4, 13), (7, 3), (0, 5), (1, 0), (-3, 4), (5, 121)]),
    (bernoulli_number, [(0,), (1,), (2,), (3,), (8,), (12,), (20,), (-1,)]),
    (
        interval_newton,
        [
            (1.0, 2, 2.0),
            (1.0, 3, 4.0),
            (2.0, 3, 2.0),
            (-1.0, 1, 0.5),
            (2.0, 1, 2.0),
            (0.5, 10, 9.0),
            (1.0, 1, 1.0),
            (-3.0, -1, 2.0),
        ],
    ),
    (
        life_glider,
        [
            (0, 8, True),
            (4, 10, True),
            (20, 12, False),
            (40, 12, True),
            (60, 9, False),
            (1, 8, False),
            (5, 7, True),
            (30, 16, True),
        ],
    ),
    (collatz_cached, [(1,), (2,), (7,), (27,), (50,), (100,), (0,), (-5,)]),
]
