"""Objects that lead to others of their class, or have several names, are on a heap."""

from __future__ import annotations

import copy
import dataclasses
import heapq
from collections import Counter, deque
from typing import ClassVar

import numpy as np
import pytest
import tensorflow as tf

import pcbatch
from tests.support.members import check, shared

NUMBERS = np.array([1, 2, 5, 9])

# --- Lists, trees, graphs ------------------------------------------------------------------------


class Node:
    def __init__(self, value, next=None):
        self.value = value
        self.next = next


def a_linked_list(n):
    head = None
    for i in range(n):
        node = Node(i * i)
        node.next = head
        head = node
    total, p = 0, head
    while p is not None:
        total = total * 2 + p.value
        p = p.next
    return total


def turned_round(n):
    head = None
    for i in range(n):
        head = Node(i, head)
    before = None
    while head:
        following = head.next
        head.next = before
        before, head = head, following
    total = 0
    while before:
        total = total * 3 + before.value
        before = before.next
    return total


class Tree:
    def __init__(self, key):
        self.key = key
        self.left = None
        self.right = None


def insert(root, key):
    if root is None:
        return Tree(key)
    if key < root.key:
        root.left = insert(root.left, key)
    else:
        root.right = insert(root.right, key)
    return root


def height(tree):
    if tree is None:
        return 0
    return 1 + max(height(tree.left), height(tree.right))


def a_search_tree(n):
    root = None
    for i in range(n):
        root = insert(root, (i * 7) % 11)
    return height(root)


class BST:
    def __init__(self):
        self.root = None
        self.size = 0

    def add(self, key):
        if self.root is None:
            self.root = Tree(key)
            self.size += 1
            return
        t = self.root
        while True:
            if key == t.key:
                return
            if key < t.key:
                if t.left is None:
                    t.left = Tree(key)
                    break
                t = t.left
            else:
                if t.right is None:
                    t.right = Tree(key)
                    break
                t = t.right
        self.size += 1

    def total(self):
        def go(t):
            if not t:
                return 0
            return go(t.left) * 2 + t.key + go(t.right)

        return go(self.root)


def bst(n):
    b = BST()
    x = n
    for _ in range(n + 3):
        x = (x * 37 + 11) % 101
        b.add(x)
    return b.total(), b.size


class DNode:
    def __init__(self, key, value):
        self.key = key
        self.value = value
        self.prev = None
        self.next = None


class LRU:
    def __init__(self, cap):
        self.cap = cap
        self.head = DNode(-1, 0)
        self.tail = DNode(-2, 0)
        self.head.next = self.tail
        self.tail.prev = self.head
        self.size = 0

    def _remove(self, node):
        node.prev.next = node.next
        node.next.prev = node.prev

    def _push(self, node):
        node.next = self.head.next
        node.prev = self.head
        self.head.next.prev = node
        self.head.next = node

    def find(self, key):
        p = self.head.next
        while p is not self.tail:
            if p.key == key:
                return p
            p = p.next
        return None

    def get(self, key):
        p = self.find(key)
        if p is None:
            return -1
        self._remove(p)
        self._push(p)
        return p.value

    def put(self, key, value):
        p = self.find(key)
        if p is not None:
            p.value = value
            self._remove(p)
            self._push(p)
            return
        if self.size == self.cap:
            self._remove(self.tail.prev)
            self.size -= 1
        self._push(DNode(key, value))
        self.size += 1


def lru(n):
    c = LRU(3)
    x = n
    t = 0
    for i in range(12):
        x = (x * 5 + 3) % 7
        if i % 3 == 0:
            t = t * 3 + c.get(x)
        else:
            c.put(x, i)
    return t, c.size


class GNode:
    def __init__(self, number):
        self.number = number
        self.seen = False
        self.near = []


def reach(n):
    nodes = []
    for i in range(n + 2):
        nodes.append(GNode(i))
    for i in range(n + 2):
        nodes[i].near.append(nodes[(i * 3 + 1) % (n + 2)])
        nodes[i].near.append(nodes[(i * 2) % (n + 2)])

    def visit(v):
        v.seen = True
        c = v.number
        for w in v.near:
            if not w.seen:
                c += visit(w)
        return c

    return visit(nodes[0])


class TrieNode:
    def __init__(self):
        self.children = [None, None, None, None]
        self.end = False


def trie(n):
    root = TrieNode()
    for i in range(n):
        p = root
        x = i * i + 1
        while x > 0:
            d = x % 4
            if p.children[d] is None:
                p.children[d] = TrieNode()
            p = p.children[d]
            x //= 4
        p.end = True

    def count(t):
        c = 1
        for ch in t.children:
            if ch is not None:
                c += count(ch)
        return c

    return count(root)


class UF:
    def __init__(self, i):
        self.parent = self
        self.rank = 0
        self.i = i

    def root(self):
        if self.parent is not self:
            self.parent = self.parent.root()
        return self.parent

    def join(self, other):
        a, b = self.root(), other.root()
        if a is b:
            return False
        if a.rank < b.rank:
            a, b = b, a
        b.parent = a
        if a.rank == b.rank:
            a.rank += 1
        return True


def uf(n):
    els = [UF(i) for i in range(6)]
    c = 0
    x = n
    for _ in range(5):
        x = (x * 7 + 3) % 36
        if els[x % 6].join(els[x // 6]):
            c += 1
    return c, els[3].root().i


@dataclasses.dataclass
class Expr:
    op: int
    left: Expr = None
    right: Expr = None
    value: float = 0.0


def build(depth, k):
    if depth == 0:
        return Expr(0, value=k * 0.5)
    return Expr(1 + k % 2, build(depth - 1, k + 1), build(depth - 1, k * 2))


def evaluate(e):
    if e.op == 0:
        return e.value
    a = evaluate(e.left)
    b = evaluate(e.right)
    return a + b if e.op == 1 else a * b


def expr(n):
    return evaluate(build(n % 4, n))


def swapkids(t):
    if t is None:
        return
    t.left, t.right = t.right, t.left
    swapkids(t.left)
    swapkids(t.right)


def mirror(n):
    e = build(n % 4, n)
    swapkids(e)
    return evaluate(e)


class QueueNode:
    def __init__(self, v):
        self.v = v
        self.next = None


class Queue:
    def __init__(self):
        self.front = self.rear = None

    def push(self, v):
        node = QueueNode(v)
        if self.rear is None:
            self.front = self.rear = node
            return
        self.rear.next = node
        self.rear = node

    def pop(self):
        if self.front is None:
            raise IndexError("empty")
        v = self.front.v
        self.front = self.front.next
        if self.front is None:
            self.rear = None
        return v

    def __len__(self):
        c, p = 0, self.front
        while p:
            c += 1
            p = p.next
        return c


def queue(n):
    q = Queue()
    for i in range(n):
        q.push(i * 2)
    t = q.pop() + q.pop()
    return t, len(q)


RIGHT = [
    a_linked_list, turned_round, a_search_tree, bst, lru, reach, trie, uf, expr, mirror, queue,
]  # fmt: skip


@pytest.mark.every(12)
@pytest.mark.parametrize("function", RIGHT, ids=lambda f: f.__name__)
def test_objects_lead_to_others(function) -> None:
    check(function, NUMBERS, jit=False)


@pytest.mark.every(12)
@pytest.mark.parametrize("function", [turned_round, trie, uf], ids=lambda f: f.__name__)
@pytest.mark.parametrize("strategy", ["pc", "local", "hybrid", "loop"])
def test_objects_lead_to_others_in_other_ways(function, strategy) -> None:
    check(shared(function), NUMBERS, strategy=strategy)


# --- What is done with them ----------------------------------------------------------------------


def chain(n):
    head, nodes = None, []
    for i in range(n + 2):
        head = Node((i * 5) % 7, head)
        nodes.append(head)
    return head, nodes


def looked_for(n):
    head, nodes = chain(n)
    found = [head.next in nodes, Node(3) in nodes, None in nodes]
    nodes.remove(head.next)
    return found, nodes.index(head), nodes.count(head), len(nodes), nodes == nodes[:]


def put_in_order(n):
    _, nodes = chain(n)
    by_key, total = sorted(nodes, key=lambda p: p.value), 0
    for p in by_key:
        total = total * 7 + p.value
    nodes.sort(key=lambda p: -p.value)
    most, least = max(nodes, key=lambda p: p.value), min(p.value for p in nodes)
    return total, nodes[0].value, most.value, least


def in_other_containers(n):
    head, nodes = chain(n)
    waiting, stack, table, heap = deque([head]), [(head, 0)], {}, []
    total, deepest = 0, 0
    while waiting:
        p = waiting.popleft()
        total = total * 3 + p.value
        if p.next is not None:
            waiting.append(p.next)
    while stack:
        p, depth = stack.pop()
        deepest = max(deepest, depth * 10 + p.value)
        if p.next:
            stack.append((p.next, depth + 1))
    for i in range(n + 2):
        table[i * 3] = nodes[i]
        heapq.heappush(heap, (nodes[i].value, i, nodes[i]))
    table[0].value = 50
    value, i, p = heapq.heappop(heap)
    p.value += 100
    return total, deepest, nodes[0].value, value, nodes[i].value


def as_keys(n):
    head, nodes = chain(n)
    seen, steps, counts, waiting = {head}, {head: 0}, Counter(), deque([head])
    while waiting:
        p = waiting.popleft()
        for q in (p.next, nodes[0]):
            if q is not None and q not in seen:
                seen.add(q)
                steps[q] = steps[p] + 1
                waiting.append(q)
    for p in nodes:
        counts[p.next] += 1
    return len(seen), max(steps.values()), steps[nodes[0]], counts[None], counts[head]


def asked(n):
    head, nodes = chain(n)
    p, nobody, found = head.next.next, None, 0
    for condition in (p == None, p != None, nobody == p, not p, isinstance(p, Node)):  # noqa: E711
        found = found * 2 + condition
    either = p or head
    other = p if p is not None else head
    nodes[0] = None
    truths = (any(nodes), all(nodes), (1, head) == (1, head), (n, head) < (n + 1, head))
    return found, either is head, other is head, other.value, truths


class Measured:
    made = 0

    def __init__(self, value):
        self._value = value
        self.next = None

    @property
    def value(self):
        if self._value > 3:
            return self._value * 10
        return self._value

    @value.setter
    def value(self, x):
        self._value = x + 1

    def __lt__(self, other):
        return self._value < other._value

    def __eq__(self, other):
        return isinstance(other, Measured) and self._value == other._value

    def __add__(self, other):
        total = Measured(self._value + other._value)
        total.next = self
        return total

    @classmethod
    def twice(cls, x):
        return cls(x * 2)


def special(n):
    a, b = Measured(n), Measured.twice(n)
    a.value = 4
    c = a + b
    c.next.value = 9
    return c.value, a.value, a < b, a == b, a != c, min([a, b, c]).value


@dataclasses.dataclass
class Family:
    value: int
    children: list = dataclasses.field(default_factory=list)


def classes(n):
    head, _ = chain(n)
    other = type(head)(n, head)
    return type(head) is Node, type(other.next) is Tree, other.__class__ is Node, other.value


def by_name(n):
    head = None
    for i in range(n - 1):
        head = Node(i, head)
    return hasattr(head, "value"), hasattr(head, "other"), getattr(head, "other", 3)


@dataclasses.dataclass(frozen=True)
class Frozen:
    value: int
    next: Frozen | None = None


def frozen(n):
    head = None
    for i in range(n):
        head = Frozen(i, head)
    total = 0
    while head is not None:
        total, head = total * 3 + head.value, head.next
    return total


class Outer:
    class Node:
        def __init__(self, value, next):
            self.value, self.next = value * 10, next


def of_one_name(n):
    first = second = None
    for i in range(n):
        first, second = Node(i, first), Outer.Node(i, second)
        if i % 2:
            second = Outer.Node(100, second)
    total = 0
    while first is not None:
        total, first = total * 3 + first.value, first.next
    while second is not None:
        total, second = total * 3 + second.value, second.next
    return total


def the_entry_itself(n):
    head = Node(n)
    inner = the_entry_itself(n - 1) if n > 1 else 0
    if n > 1:
        head.next = Node(inner, head)
    last = head if head.next is None else head.next
    last.value += 1
    return head.value + inner + last.value


def lists_of_objects(n):
    root = p = Family(0)
    for i in range(n):
        child = Family(i)
        p.children.append(child)
        p.children.append(Family(10 + i))
        p = child

    def total(family):
        return family.value + sum(total(child) for child in family.children)

    return total(root)


class Place:
    def __init__(self, x):
        self.at = np.zeros(2)
        self.pair = (x, x + 1.5)
        self.next = None


def arrays(n):
    head = None
    for i in range(n + 1):
        place = Place(i)
        place.next = head
        head = place
        head.at = head.at + np.array([i * 1.0, 2.0])
    total = 0.0
    while head is not None:
        total = total * 0.5 + head.at[0] + head.at.sum() + head.pair[1]
        head = head.next
    return total


def caught(n):
    head, _ = chain(n)
    count = 0
    try:
        for _ in range(n * 2):
            head = head.next
            count += 1
        return count
    except AttributeError:
        return -count


def chosen_of_known_ones(n):
    grid = [[None] * 3 for _ in range(3)]
    grid[n % 3][1] = Node(n)
    return sum(p.value for row in grid for p in row if p is not None)


def a_text(n):
    head = None
    for i in range(n):
        head = Node("a" if i % 2 else "b", head)
    return 1 if head.value == "a" else 0


def a_number_or_none(n):
    head = None
    for i in range(n):
        head = Node(None if i % 2 else i, head)
    return 0 if head.value is None else head.value


class Named(Node):
    def __repr__(self):
        return f"<{self.value}>"


class Said(Named):
    def __str__(self):
        return "last" if self.next is None else "before " + repr(self.next)


def their_texts(n):
    first, second = Named(n), Said(n + 1, Said(7))
    same = first
    same.value += 1
    try:
        second.value //= n - 2
    except ZeroDivisionError:
        return repr(first), f"{second!r} {second} {second.next}"
    return str(first), f"{first!r:>5}" + str(second)


USED = [
    looked_for, put_in_order, in_other_containers, as_keys, asked, special, classes,
    by_name, frozen, of_one_name, the_entry_itself, lists_of_objects, arrays, caught,
    chosen_of_known_ones, a_text, a_number_or_none, their_texts,
]  # fmt: skip


@pytest.mark.every(18)
@pytest.mark.parametrize("function", USED, ids=lambda f: f.__name__)
def test_what_python_does_with_objects(function) -> None:
    check(function, NUMBERS, jit=False)


def none_has_no_attribute(n):
    head, _ = chain(n - 2)
    return head.next.value


def none_takes_no_attribute(n):
    head, _ = chain(n - 2)
    head.next.value = 3
    return head.value


def none_has_no_method(n):
    tree = None
    if n > 2:
        tree = BST()
        tree.add(n)
    return tree.total()


def ties_have_no_order(n):
    head, nodes = chain(n)
    return (n, head) < (2, nodes[0])


@pytest.mark.every(4)
@pytest.mark.parametrize(
    "function",
    [none_has_no_attribute, none_takes_no_attribute, none_has_no_method, ties_have_no_order],
    ids=lambda f: f.__name__,
)
def test_what_python_raises(function) -> None:
    check(function, NUMBERS, jit=False)


def test_a_heap_grows() -> None:
    """A member has more objects than the heap has room for at first, others have few."""

    def many(n):
        head = None
        for i in range(n * 9):
            head = Node(i, head)
        total = 0
        while head is not None:
            total = (total * 3 + head.value) % 1000003
            head = head.next
        return total

    check(many, NUMBERS)


def test_a_gradient_goes_through_objects() -> None:
    def f(x, n):
        head = None
        for k in range(n):
            head = Node(x * x * (k + 1), head)
        total = 0.0
        while head is not None:
            total += head.value * head.value
            head = head.next
        return total

    x, n = np.array([1.0, 2.0, 3.0]), np.array([1, 3, 0])
    value, slope = pcbatch.value_and_grad(f).run(x, n, jit=False, throw=True).value
    squares = np.array([1.0, 14.0, 0.0])
    np.testing.assert_array_equal(value, x**4 * squares)
    np.testing.assert_array_equal(slope, 4 * x**3 * squares)


# --- What is refused -----------------------------------------------------------------------------


def equality_of_fields(n):
    a = b = None
    for i in range(n):
        a, b = Expr(i, a), Expr(i, b)
    return a == b


def equality_by_a_method(n):
    nodes = []
    for i in range(n):
        node = Measured(i)
        node.next = nodes[-1] if i else None
        nodes.append(node)
    return Measured(3) in nodes


def two_places(n):
    a, b = Place(1), Place(2)
    a.next, b.next = b, a
    return a, b, a if n > 3 else b


def an_array_of_two(n):
    a, b, either = two_places(n)
    a.at = b.at = np.zeros(2)
    either.at[0] = 5
    return a.at[0] + 10 * b.at[0]


def an_array_with_a_name(n):
    a, b, either = two_places(n)
    v = np.zeros(2)
    either.at = v
    v += n
    return a.at[0] + 10 * b.at[0]


def an_array_handed_on(n):
    def put(place, v):
        place.at = v

    a, b, either = two_places(n)
    v = np.zeros(2)
    put(either, v)
    v += n
    return a.at[0] + 10 * b.at[0]


def a_list_of_two(n):
    a, b = Family(1), Family(2)
    a.children.append(b)
    either = a if n > 3 else b
    a.children = b.children
    either.children.append(a)
    return len(a.children)


def a_list_in_another(n):
    a, b = Family(1), Family(2)
    a.children.append(b)
    either, rows = a if n > 3 else b, []
    rows.append(either.children)
    either.children.append(a)
    return len(rows[0])


def its_dict(n):
    head, _ = chain(n)
    return vars(head)["value"]


def its_copy(n):
    head, _ = chain(n)
    return copy.copy(head).value


def another_attribute(n):
    head, _ = chain(n)
    head.extra = 3
    return head.extra


class Enrolled:
    def __init__(self, others, late):
        others.append(self)
        if late:
            self.number = len(others)


def assigned_late(n):
    others = []
    for i in range(n):
        Enrolled(others, i % 2)
    return others[0].number


class Registered:
    derived: ClassVar[list[type]] = []

    def __init_subclass__(cls):
        Registered.derived.append(cls)

    def __init__(self, next):
        self.next = next


def a_class_that_notes_others(n):
    head = None
    for _ in range(n):
        head = Registered(head)
    return head is None


def handed_to_the_host(n):
    head, _ = chain(n)
    return pcbatch.host_call(len, head, result=tf.TensorSpec([], tf.int32))


def a_default_beside_none(n):
    head, _ = chain(n - 2)
    return getattr(head, "value", -5)


def a_number_of_an_object(n):
    head, _ = chain(n)
    return abs(head)


REFUSED = [
    (a_class_that_notes_others, "has a value of its own kind inside"),
    (handed_to_the_host, "is handed to a call for all members"),
    (a_default_beside_none, "has a default for `value`"),
    (a_number_of_an_object, "bad operand type for abs"),
    (a_list_of_two, "`Family.children` still means it"),
    (a_list_in_another, "still means it"),
    (an_array_of_two, "an attribute of an object is changed in place"),
    (an_array_with_a_name, "`v` (is an array that is|in place)|array `v` in place"),
    (an_array_handed_on, "`v` (is an array that is|in place)|array `v` in place"),
    (equality_of_fields, "`==` of a dataclass|compares all attributes"),
    (equality_by_a_method, "compared with `==`"),
    (its_dict, "all its attributes are asked for"),
    (its_copy, "it is copied"),
    (another_attribute, "attribute `extra`"),
    (assigned_late, "attribute `number`"),
]


@pytest.mark.every(12)
@pytest.mark.parametrize(("function", "said"), REFUSED, ids=lambda x: getattr(x, "__name__", ""))
def test_what_is_refused(function, said) -> None:
    with pytest.raises(pcbatch.ProgramError, match=said):
        pcbatch.autobatch(function).run(NUMBERS, jit=False)


@pytest.mark.thorough
def test_no_class_of_the_users_hears_of_others() -> None:
    assert Registered.derived == []
