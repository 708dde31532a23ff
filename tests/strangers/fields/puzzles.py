"""Puzzles and interview questions, typed by somebody who does not know this project."""

import bisect
import heapq
import itertools
import math
import string
from collections import Counter, defaultdict, deque, namedtuple
from dataclasses import dataclass, field
from enum import Enum, IntEnum, auto
from functools import cmp_to_key, lru_cache, reduce, total_ordering
from typing import List, Tuple

import numpy as np


def max_sliding_window(n: int, k: int) -> List[int]:
    nums = [(i * 37 + 11) % 23 - 9 for i in range(n)]
    if k <= 0:
        raise ValueError(f"bad window: {k}")
    q = deque()  # indexes, values decreasing
    res = []
    for i, x in enumerate(nums):
        while q and nums[q[-1]] <= x:
            q.pop()
        q.append(i)
        if q[0] == i - k:
            q.popleft()
        if i >= k - 1:
            res.append(nums[q[0]])
    return res


def longest_valid_parentheses(code, length):
    s = "".join("(" if code >> i & 1 else ")" for i in range(length))
    best = 0
    stack = [-1]
    for i, ch in enumerate(s):
        if ch == "(":
            stack.append(i)
            continue
        stack.pop()
        if stack:
            best = max(best, i - stack[-1])
        else:
            stack.append(i)
    return s, best


_ROMAN = [
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
]


def _to_roman(n):
    if not 0 < n < 4000:
        raise ValueError("number out of range (must be 1..3999)")
    out = ""
    for val, sym in _ROMAN:
        q, n = divmod(n, val)
        out += sym * q
    return out


def add_roman(a, b):
    """Add two roman numerals, as text."""

    def parse(s):
        vals = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
        total = 0
        for cur, nxt in itertools.zip_longest(s, s[1:]):
            if nxt is not None and vals[cur] < vals[nxt]:
                total -= vals[cur]
            else:
                total += vals[cur]
        return total

    left, right = _to_roman(a), _to_roman(b)
    return f"{left} + {right} = {_to_roman(parse(left) + parse(right))}"


class CalcError(Exception):
    pass


def rpn_calculator(a, b, c):
    expr = f"{a} {b} + {c} * {a} {b} - / {c} -"
    ops = {
        "+": lambda x, y: x + y,
        "-": lambda x, y: x - y,
        "*": lambda x, y: x * y,
        "/": lambda x, y: x / y,
    }
    stack = []
    try:
        for token in expr.split():
            if token in ops:
                y, x = stack.pop(), stack.pop()
                stack.append(ops[token](x, y))
            else:
                stack.append(int(token))
        if len(stack) != 1:
            raise CalcError("malformed")
    except ZeroDivisionError:
        return "division by zero"
    except (IndexError, CalcError) as e:
        return f"error: {e}"
    return round(stack[0], 4)


def longest_increasing_subsequence(n, mult, mod):
    seq = [(i * mult + i * i) % mod for i in range(n)]
    tails, idx, prev = [], [], [-1] * n
    for i, x in enumerate(seq):
        pos = bisect.bisect_left(tails, x)
        if pos == len(tails):
            tails.append(x)
            idx.append(i)
        else:
            tails[pos] = x
            idx[pos] = i
        prev[i] = idx[pos - 1] if pos else -1
    path = []
    k = idx[-1] if idx else -1
    while k >= 0:
        path.append(seq[k])
        k = prev[k]
    return path[::-1]


class BSTNode:
    def __init__(self, val, left=None, right=None):
        self.val = val
        self.left = left
        self.right = right


def _bst_insert(root, val):
    if root is None:
        return BSTNode(val)
    if val < root.val:
        root.left = _bst_insert(root.left, val)
    elif val > root.val:
        root.right = _bst_insert(root.right, val)
    return root


def kth_smallest_in_bst(n: int, k: int) -> int:
    root = None
    v = 17
    for _ in range(n):
        v = (v * 29 + 7) % 97
        root = _bst_insert(root, v)

    stack = []
    node = root
    while stack or node:
        while node:
            stack.append(node)
            node = node.left
        node = stack.pop()
        k -= 1
        if k == 0:
            return node.val
        node = node.right
    return -1


class ListNode:
    def __init__(self, val=0, next=None):
        self.val = val
        self.next = next

    def __lt__(self, other):
        return self.val < other.val

    def __repr__(self):
        return f"{self.val}" + (f" -> {self.next!r}" if self.next else "")


def _build_list(values):
    dummy = tail = ListNode()
    for v in values:
        tail.next = ListNode(v)
        tail = tail.next
    return dummy.next


def merge_k_lists(k, length):
    lists = [_build_list(range(i, i + length * (i + 1), i + 1)) for i in range(k)]
    heap = [node for node in lists if node]
    heapq.heapify(heap)
    dummy = cur = ListNode()
    while heap:
        smallest = heap[0]
        cur.next = smallest
        cur = smallest
        if smallest.next:
            heapq.heapreplace(heap, smallest.next)
        else:
            heapq.heappop(heap)
    return repr(dummy.next) if dummy.next else "empty"


class SNode:
    __slots__ = ("data", "nxt")

    def __init__(self, data, nxt=None):
        self.data, self.nxt = data, nxt


def reverse_k_group(n, k):
    head = None
    for i in range(n, 0, -1):
        head = SNode(i, head)

    def solve(node):
        count, cur = 0, node
        while cur and count < k:
            cur = cur.nxt
            count += 1
        if count < k or count == 0:
            return node
        prev = solve(cur)
        for _ in range(k):
            node.nxt, prev, node = prev, node, node.nxt
        return prev

    head = solve(head)
    out = []
    while head is not None:
        out.append(head.data)
        head = head.nxt
    return out


def bulls_and_cows(secret: int, guess: int) -> str:
    s = str(secret).zfill(4)
    g = str(guess).zfill(4)
    if len(s) != len(g):
        raise ValueError("Different lengths: %d and %d" % (len(s), len(g)))
    bulls = sum(x == y for x, y in zip(s, g))
    common = Counter(s) & Counter(g)
    cows = sum(common.values()) - bulls
    if bulls == len(s):
        return "You win!"
    return f"{bulls}A{cows}B"


def vigenere_round_trip(n, key_num):
    alphabet = string.ascii_uppercase
    plain = "".join(alphabet[(i * i + 4 * i + 2) % 26] for i in range(n))
    key = "".join(alphabet[int(d) * 2 + 1] for d in str(abs(key_num)))

    def shift(text, sign):
        out = []
        for ch, k in zip(text, itertools.cycle(key)):
            pos = alphabet.index(ch) + sign * alphabet.index(k)
            out.append(alphabet[pos % 26])
        return "".join(out)

    secret = shift(plain, 1)
    return secret, shift(secret, -1) == plain


class State(Enum):
    IDLE = auto()
    UP = auto()
    DOWN = auto()


class Elevator:
    def __init__(self, floors):
        self.floors = floors
        self.current = 0
        self.state = State.IDLE
        self.travelled = 0
        self.log = []

    def call(self, floor):
        if not 0 <= floor < self.floors:
            raise ValueError("no such floor")
        if floor > self.current:
            self.state = State.UP
        elif floor < self.current:
            self.state = State.DOWN
        while self.state is not State.IDLE:
            self.step(floor)

    def step(self, target):
        if self.current == target:
            self.log.append(self.current)
            self.state = State.IDLE
            return
        self.current += 1 if self.state == State.UP else -1
        self.travelled += 1


def elevator_rides(floors, calls):
    elevator = Elevator(floors)
    refused = 0
    for i in range(calls):
        wanted = (i * 7 + 3) % (floors + 2)
        try:
            elevator.call(wanted)
        except ValueError:
            refused += 1
    return elevator.travelled, refused, elevator.log, elevator.state.name.lower()


def tiny_assembler(a, b):
    program = [
        ("set", "x", a),
        ("set", "y", b),
        ("set", "acc", 0),
        ("jz", "y", 4),
        ("add", "acc", "x"),
        ("dec", "y"),
        ("jmp", -3),
        ("out", "acc"),
        ("halt",),
    ]
    regs = defaultdict(int)
    output = []
    pc = steps = 0
    while 0 <= pc < len(program):
        steps += 1
        if steps > 300:
            output.append("TIMEOUT")
            break
        match program[pc]:
            case ("set", reg, int(value)):
                regs[reg] = value
            case ("add", dst, src):
                regs[dst] += regs[src]
            case ("dec", reg):
                regs[reg] -= 1
            case ("jz", reg, off) if regs[reg] == 0:
                pc += off
                continue
            case ("jmp", off):
                pc += off
                continue
            case ("out", reg):
                output.append(str(regs[reg]))
            case ("halt",):
                break
            case _:
                pass
        pc += 1
    return " ".join(output), steps


def _rle(text):
    if not text:
        return
    last, run = text[0], 0
    for ch in text:
        if ch == last:
            run += 1
        else:
            yield last, run
            last, run = ch, 1
    yield last, run


def run_length_compress(n, width):
    text = "".join("WB"[(i // width) % 2] if i % 11 else "X" for i in range(n))
    packed = "".join(f"{c}{k if k > 1 else ''}" for c, k in _rle(text))

    # unpack it again to be sure
    unpacked, i = "", 0
    while i < len(packed):
        ch = packed[i]
        i += 1
        num = ""
        while i < len(packed) and packed[i].isdigit():
            num += packed[i]
            i += 1
        unpacked += ch * int(num or 1)
    assert unpacked == text
    return packed, len(text) - len(packed)


class Matrix:
    def __init__(self, rows):
        self.rows = [list(r) for r in rows]
        self.n = len(self.rows)

    @classmethod
    def identity(cls, n):
        return cls([[int(i == j) for j in range(n)] for i in range(n)])

    def __matmul__(self, other):
        cols = list(zip(*other.rows))
        return Matrix([[sum(a * b for a, b in zip(r, c)) for c in cols] for r in self.rows])

    def __pow__(self, e):
        if e < 0:
            raise ValueError("negative exponent")
        result, base = Matrix.identity(self.n), self
        while e:
            if e & 1:
                result = result @ base
            base = base @ base
            e >>= 1
        return result

    def __getitem__(self, ij):
        i, j = ij
        return self.rows[i][j]

    def __eq__(self, other):
        return isinstance(other, Matrix) and self.rows == other.rows


def count_paths_of_length(nodes, length):
    adj = Matrix(
        [[1 if (i + j) % 3 == 1 or j == i + 1 else 0 for j in range(nodes)] for i in range(nodes)]
    )
    power = adj**length
    total = sum(map(sum, power.rows))
    closed = sum(power[i, i] for i in range(nodes))
    same = power == adj @ (adj ** max(length - 1, 0))
    return total, closed, same


class Frac:
    def __init__(self, num, den=1):
        if den == 0:
            raise ZeroDivisionError("Frac(%s, 0)" % num)
        if den < 0:
            num, den = -num, -den
        g = math.gcd(num, den) or 1
        self.num = num // g
        self.den = den // g

    def __add__(self, other):
        return Frac(self.num * other.den + other.num * self.den, self.den * other.den)

    def __sub__(self, other):
        return self + Frac(-other.num, other.den)

    def __lt__(self, other):
        return self.num * other.den < other.num * self.den

    def __bool__(self):
        return self.num != 0

    def __str__(self):
        return str(self.num) if self.den == 1 else f"{self.num}/{self.den}"


def egyptian_fraction(num, den):
    rest = Frac(num, den)
    if rest < Frac(0):
        raise ValueError("fraction must be positive")
    parts = []
    while rest and len(parts) < 8:
        d = -(-rest.den // rest.num)
        unit = Frac(1, d)
        parts.append(unit)
        rest = rest - unit
    return " + ".join(str(p) for p in parts) or "0"


def min_meeting_rooms(n, gap):
    intervals = []
    for i in range(n):
        start = (i * gap) % 24
        end = start + 1 + (i * i) % 5
        intervals.append([start, end])
    intervals.sort(key=lambda x: x[0])

    rooms = []
    most = 0
    for start, end in intervals:
        while rooms and rooms[0] <= start:
            heapq.heappop(rooms)
        heapq.heappush(rooms, end)
        most = max(most, len(rooms))
    return most


class InsufficientFunds(Exception):
    def __init__(self, needed, available):
        super().__init__(f"need {needed}, have {available}")
        self.needed = needed
        self.available = available


@dataclass
class Account:
    owner: str
    balance: int = 0
    history: list = field(default_factory=list)

    def deposit(self, amount):
        if amount < 0:
            raise ValueError("negative deposit")
        self.balance += amount
        self.history.append(("D", amount))

    def withdraw(self, amount):
        if amount > self.balance:
            raise InsufficientFunds(amount, self.balance)
        self.balance -= amount
        self.history.append(("W", amount))


def bank_simulation(opening, days):
    alice = Account("Alice")
    bob = Account("Bob", balance=20)
    alice.deposit(opening)
    shortfall = 0
    for day in range(1, days + 1):
        payer, payee = (alice, bob) if day % 3 else (bob, alice)
        amount = day * 7 % 30
        try:
            payer.withdraw(amount)
        except InsufficientFunds as e:
            shortfall += e.needed - e.available
            print(f"Day {day:>2}: {payer.owner:<6}|", e)
        else:
            payee.deposit(amount)
    return alice.balance, bob.balance, shortfall, len(alice.history)


def rope_tail_visits(knots, moves):
    rope = [(0, 0)] * knots
    visited = set()
    dirs = dict(R=(1, 0), L=(-1, 0), U=(0, 1), D=(0, -1))

    def sign(v):
        return (v > 0) - (v < 0)

    for i in range(moves):
        d, amount = "RULDRRUU"[i * 3 % 8], 1 + i % 4
        for _ in range(amount):
            hx, hy = rope[0]
            dx, dy = dirs[d]
            rope[0] = hx + dx, hy + dy
            for k in range(1, knots):
                (ax, ay), (bx, by) = rope[k - 1], rope[k]
                if max(abs(ax - bx), abs(ay - by)) > 1:
                    rope[k] = bx + sign(ax - bx), by + sign(ay - by)
            visited.add(rope[-1])
    return len(visited), rope[-1]


def directory_sizes(depth, limit):
    log = ["$ cd /"]
    for d in range(depth):
        log += ["$ ls", f"dir d{d}", f"{100 * d + 50} f{d}.txt", f"{d * d} notes", f"$ cd d{d}"]
    log += ["$ ls", "7 last.bin", "$ cd ..", "$ cd side", "$ ls", "33 side.dat"]
    cwd = []
    sizes = defaultdict(int)
    for line in log:
        match line.split():
            case ["$", "cd", "/"]:
                cwd = [""]
            case ["$", "cd", ".."]:
                if len(cwd) > 1:
                    cwd.pop()
            case ["$", "cd", name]:
                cwd.append(name)
            case ["$", "ls"] | ["dir", _]:
                continue
            case [size, _]:
                for path in itertools.accumulate(cwd, lambda p, q: p + "/" + q):
                    sizes[path] += int(size)
    small = sum(v for v in sizes.values() if v <= limit)
    return small, sizes[""], len(sizes)


class Monkey:
    def __init__(self, items, op, mod, yes, no):
        self.items = deque(items)
        self.op = op
        self.mod = mod
        self.throw = {True: yes, False: no}
        self.inspected = 0

    def __call__(self, monkeys, worry_div, lcm):
        while self.items:
            level = self.op(self.items.popleft()) // worry_div % lcm
            self.inspected += 1
            monkeys[self.throw[level % self.mod == 0]].items.append(level)


def monkey_business(rounds, worry_div=3):
    monkeys = [
        Monkey([19, 58, 90], lambda old: old * 13, 7, 1, 2),
        Monkey([61, 74], lambda old: old + 3, 5, 2, 3),
        Monkey([55, 81, 46, 2], lambda old: old * old, 3, 3, 0),
        Monkey([33], lambda old: old + 8, 11, 0, 1),
    ]
    lcm = reduce(math.lcm, (m.mod for m in monkeys))
    for _ in range(rounds):
        for m in monkeys:
            m(monkeys, worry_div, lcm * worry_div)
    *_, second, first = sorted(m.inspected for m in monkeys)
    return first * second


def _compare_packets(a, b):
    if isinstance(a, int) and isinstance(b, int):
        return (a > b) - (a < b)
    if isinstance(a, int):
        a = [a]
    if isinstance(b, int):
        b = [b]
    for x, y in zip(a, b):
        if (c := _compare_packets(x, y)) != 0:
            return c
    return _compare_packets(len(a), len(b))


def sort_packets(n, seed):
    def make(v, depth):
        if depth == 0 or v % 3 == 0:
            return v % 10
        return [make(v // 2 + k, depth - 1) for k in range(v % 4)]

    packets = [[make(seed + i * 5, 3)] for i in range(n)]
    packets += [[[2]], [[6]]]
    packets.sort(key=cmp_to_key(_compare_packets))
    first = packets.index([[2]]) + 1
    second = packets.index([[6]]) + 1
    return first * second, str(packets[0]), str(packets[-1])


def happy_steps(n, base=10):
    if n < 0:
        raise ValueError
    seen = {}
    step = 0
    while n not in seen:
        seen[n] = step
        step += 1
        total = 0
        while n > 0:
            n, d = divmod(n, base)
            total += d**2
        n = total
    loop_length = step - seen[n]
    return (n == 1, step, loop_length)


def balanced_ternary(n):
    if n == 0:
        return "0", 0
    sign, m = (1, n) if n > 0 else (-1, -n)
    trits = []
    while m:
        m, r = divmod(m, 3)
        if r == 2:
            r = -1
            m += 1
        trits.append(r * sign)
    text = "".join({-1: "T", 0: "0", 1: "1"}[t] for t in reversed(trits))
    back = sum(t * 3**i for i, t in enumerate(trits))
    assert back == n
    return text, sum(trits)


_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen "
    "fourteen fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def number_to_words(n):
    if n < 0:
        return "minus " + number_to_words(-n)
    if n < 20:
        return _ONES[n]
    if n < 100:
        t, o = divmod(n, 10)
        return _TENS[t] + ("-" + _ONES[o] if o else "")
    if n < 1000:
        h, rest = divmod(n, 100)
        return _ONES[h] + " hundred" + (" and " + number_to_words(rest) if rest else "")
    for power, name in ((10**9, "billion"), (10**6, "million"), (1000, "thousand")):
        if n >= power:
            big, rest = divmod(n, power)
            words = number_to_words(big) + " " + name
            if rest:
                words += (" " if rest >= 100 else " and ") + number_to_words(rest)
            return words


def kth_permutation(n: int, k: int) -> str:
    if not (1 <= n <= 9) or not (1 <= k <= math.factorial(n)):
        raise ValueError("k out of range")
    digits = [str(d) for d in range(1, n + 1)]
    k -= 1
    ans = []
    for i in range(n - 1, -1, -1):
        f = math.factorial(i)
        ans.append(digits.pop(k // f))
        k %= f
    return "".join(ans)


def is_latin_square(n, a, b):
    square = [[(a * r + b * c) % n for c in range(n)] for r in range(n)]
    want = set(range(n))
    rows_ok = all(set(row) == want for row in square)
    cols_ok = all(set(col) == want for col in zip(*square))
    main = [square[i][i] for i in range(n)]
    anti = [square[i][~i] for i in range(n)]
    return (
        {
            (True, True): "latin",
            (True, False): "rows",
            (False, True): "columns",
        }.get((rows_ok, cols_ok), "none"),
        len(set(main)),
        sum(anti),
    )


def largest_rectangle(n, p):
    h = [i * p % 9 + (i & 1) for i in range(n)]
    h.append(0)
    stk, best, where = [], 0, (-1, -1, 0)
    for i in range(len(h)):
        while stk and h[stk[-1]] >= h[i]:
            height = h[stk.pop()]
            left = stk[-1] + 1 if stk else 0
            if (area := height * (i - left)) > best:
                best, where = area, (left, i - 1, height)
        stk.append(i)
    return best, where


class Vec:
    def __init__(self, x, y, z=0.0):
        self.x, self.y, self.z = x, y, z

    def __iter__(self):
        return iter((self.x, self.y, self.z))

    def __add__(self, o):
        return Vec(*(a + b for a, b in zip(self, o)))

    def __sub__(self, o):
        return self + o * -1

    def __mul__(self, k):
        if isinstance(k, Vec):
            return sum(a * b for a, b in zip(self, k))
        return Vec(self.x * k, self.y * k, self.z * k)

    __rmul__ = __mul__

    def cross(self, o):
        return Vec(
            self.y * o.z - self.z * o.y, self.z * o.x - self.x * o.z, self.x * o.y - self.y * o.x
        )

    def __abs__(self):
        return math.sqrt(self * self)

    @property
    def unit(self):
        return self * (1 / abs(self))


def triangle_geometry(ax, ay, bx, by):
    a, b, c = Vec(ax, ay), Vec(bx, by), Vec(0.0, 3.0, 1.0)
    normal = (b - a).cross(c - a)
    area = abs(normal) / 2
    perimeter = sum(abs(p - q) for p, q in itertools.combinations((a, b, c), 2))
    if area < 1e-12:
        return 0.0, round(perimeter, 6), (0.0, 0.0, 0.0), 0.0
    n = normal.unit
    centroid = (a + b + c) * (1 / 3)
    return (
        round(area, 6),
        round(perimeter, 6),
        tuple(round(v, 4) for v in n),
        round(2 * centroid * n, 6),
    )


class PeekingIterator:
    def __init__(self, iterable):
        self._it = iter(iterable)
        self._buf = []

    def __iter__(self):
        return self

    def __next__(self):
        if self._buf:
            return self._buf.pop()
        return next(self._it)

    def peek(self, default=None):
        if not self._buf:
            try:
                self._buf.append(next(self._it))
            except StopIteration:
                return default
        return self._buf[-1]


def summary_ranges(n, skip):
    if skip == 0:
        raise ZeroDivisionError("skip must not be 0")
    it = PeekingIterator(x for x in range(-2, n) if x % skip != 1 and x * x % 7 != 2)
    ranges = []
    for lo in it:
        hi = lo
        while it.peek() == hi + 1:
            hi = next(it)
        ranges.append(f"{lo}" if lo == hi else f"{lo}->{hi}")
    return ranges


def hanoi_state(disks, stop_after):
    pegs = {"A": list(range(disks, 0, -1)), "B": [], "C": []}
    moves = 0

    class _Stop(Exception):
        pass

    def move(n, src, via, dst):
        nonlocal moves
        if n <= 0:
            return
        move(n - 1, src, dst, via)
        if moves == stop_after:
            raise _Stop
        pegs[dst].append(pegs[src].pop())
        moves += 1
        move(n - 1, via, src, dst)

    try:
        move(disks, "A", "B", "C")
    except _Stop:
        status = "stopped"
    else:
        status = "finished"
    finally:
        snapshot = [tuple(p) for p in pegs.values()]
        print(status, *snapshot, sep=" / ", end="\n")
    return status, moves, snapshot


CASES = [
    (max_sliding_window, [(0, 1), (1, 1), (5, 2), (10, 3), (20, 5), (4, 9), (6, 0), (15, 15)]),
    (
        longest_valid_parentheses,
        [(0, 0), (1, 2), (5, 4), (11, 8), (77, 10), (341, 12), (-1, 6), (12345, 16)],
    ),
    (add_roman, [(1, 1), (4, 5), (9, 40), (1987, 11), (399, 1), (0, 7), (3999, 1), (-2, 3)]),
    (
        rpn_calculator,
        [(1, 2, 3), (5, 3, 2), (0, 1, 9), (4, 4, 4), (-3, 2, 7), (10, 0, 0), (0, 0, 0), (8, -8, 1)],
    ),
    (
        longest_increasing_subsequence,
        [
            (0, 1, 7),
            (1, 3, 5),
            (10, 7, 11),
            (20, 13, 29),
            (30, 5, 17),
            (15, 0, 31),
            (25, -4, 23),
            (40, 9, 41),
        ],
    ),
    (kth_smallest_in_bst, [(0, 1), (1, 1), (5, 2), (10, 3), (20, 20), (15, 0), (30, 7), (12, -1)]),
    (merge_k_lists, [(0, 3), (1, 4), (2, 3), (3, 0), (3, 5), (4, 4), (5, 2), (6, 6)]),
    (reverse_k_group, [(0, 2), (1, 1), (5, 2), (5, 3), (8, 4), (10, 1), (7, 9), (6, 6)]),
    (
        bulls_and_cows,
        [
            (1807, 7810),
            (1123, 111),
            (0, 0),
            (5, 50),
            (9999, 9998),
            (1234, 4321),
            (12345, 1),
            (42, 42),
        ],
    ),
    (
        vigenere_round_trip,
        [(0, 1), (1, 0), (5, 27), (10, 314), (26, 9), (13, -42), (20, 777), (7, 10)],
    ),
    (elevator_rides, [(1, 3), (2, 5), (5, 10), (10, 20), (3, 0), (7, 12), (4, 1), (0, 2)]),
    (tiny_assembler, [(0, 0), (3, 4), (7, 1), (-2, 5), (10, 10), (1, 60), (5, -1), (100, 2)]),
    (run_length_compress, [(0, 1), (1, 1), (10, 3), (25, 5), (40, 2), (60, 30), (12, 12), (5, 0)]),
    (count_paths_of_length, [(1, 0), (2, 1), (3, 2), (4, 5), (5, 10), (6, 3), (0, 2), (3, -1)]),
    (egyptian_fraction, [(1, 2), (3, 4), (2, 3), (4, 13), (0, 5), (7, 3), (1, 0), (-1, 2)]),
    (min_meeting_rooms, [(0, 1), (1, 5), (5, 3), (10, 0), (20, 7), (30, 11), (12, 24), (8, -3)]),
    (
        bank_simulation,
        [(100, 5), (0, 3), (50, 10), (10, 20), (200, 30), (75, 0), (-5, 4), (33, 15)],
    ),
    (rope_tail_visits, [(1, 0), (2, 1), (2, 10), (3, 20), (10, 30), (5, 15), (4, 8), (0, 2)]),
    (
        directory_sizes,
        [(0, 100), (1, 40), (2, 500), (3, 250), (5, 1000), (6, 0), (8, 2000), (4, -1)],
    ),
    (monkey_business, [(0, 3), (1, 3), (2, 1), (5, 3), (10, 2), (20, 3), (20, 1), (3, 0)]),
    (sort_packets, [(0, 1), (1, 4), (3, 7), (5, 10), (8, 2), (10, 25), (12, 100), (6, 0)]),
    (happy_steps, [(1, 10), (7, 10), (4, 10), (0, 10), (19, 10), (100, 7), (23, 2), (-8, 10)]),
    (balanced_ternary, [(0,), (1,), (2,), (-1,), (8,), (100,), (-47,), (365,)]),
    (number_to_words, [(0,), (13,), (-21,), (100,), (342,), (1001,), (70018,), (2000300,)]),
    (kth_permutation, [(1, 1), (3, 3), (4, 9), (5, 120), (9, 1), (3, 7), (0, 1), (6, 400)]),
    (
        is_latin_square,
        [(1, 0, 0), (3, 1, 1), (4, 1, 2), (5, 2, 3), (6, 5, 1), (7, 3, -2), (0, 1, 1), (4, 2, 1)],
    ),
    (largest_rectangle, [(0, 1), (1, 5), (5, 2), (8, 4), (10, 7), (15, 5), (12, 0), (20, -2)]),
    (
        triangle_geometry,
        [
            (0.0, 0.0, 1.0, 0.0),
            (1.0, 2.0, 3.0, 4.0),
            (0.0, 0.0, 0.0, 0.0),
            (-1.5, 2.5, 4.0, -3.0),
            (0.1, 0.2, 0.3, 0.7),
            (5.0, 5.0, 5.0, 5.0),
            (-2.0, -2.0, 2.0, 2.0),
            (10.0, 0.0, 0.0, 10.0),
        ],
    ),
    (summary_ranges, [(0, 1), (1, 3), (10, 4), (20, 3), (30, 5), (15, 2), (12, -4), (8, 0)]),
    (hanoi_state, [(0, 0), (1, 1), (2, 1), (3, 4), (3, 7), (4, 10), (5, 31), (6, -1)]),
]
