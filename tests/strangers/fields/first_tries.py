"""Functions that were typed in one go and tried once: some are refused."""

import bisect
import itertools

import numpy as np


def longest_without_repeats(n):
    s = "abcabcbbxyzzya"[:n]
    seen = {}
    best = start = 0
    for i, c in enumerate(s):
        if c in seen and seen[c] >= start:
            start = seen[c] + 1
        seen[c] = i
        best = max(best, i - start + 1)
    return best


def triples_with_sum_zero(n):
    nums = sorted([(i * 7919 + n) % 11 - 5 for i in range(8)])
    res = []
    for i in range(len(nums) - 2):
        if i > 0 and nums[i] == nums[i - 1]:
            continue
        left, right = i + 1, len(nums) - 1
        while left < right:
            s = nums[i] + nums[left] + nums[right]
            if s < 0:
                left += 1
            elif s > 0:
                right -= 1
            else:
                res.append([nums[i], nums[left], nums[right]])
                left += 1
                right -= 1
    return len(res), sum(sum(t) for t in res)


def run_lengths(n):
    s = "aaabbc" + "d" * n
    out = []
    i = 0
    while i < len(s):
        j = i
        while j < len(s) and s[j] == s[i]:
            j += 1
        out.append(s[i] + str(j - i))
        i = j
    return "".join(out)


def subsequence_length(n):
    nums = [(i * 37 + n * 11) % 23 for i in range(10)]
    tails = []
    for x in nums:
        i = bisect.bisect_left(tails, x)
        if i == len(tails):
            tails.append(x)
        else:
            tails[i] = x
    return len(tails)


class Node:
    def __init__(self, val, left=None, right=None):
        self.val, self.left, self.right = val, left, right


def search_tree(n):
    def insert(root, v):
        if root is None:
            return Node(v)
        if v < root.val:
            root.left = insert(root.left, v)
        else:
            root.right = insert(root.right, v)
        return root

    def inorder(root):
        return inorder(root.left) + [root.val] + inorder(root.right) if root else []

    root = None
    for k in range(n):
        root = insert(root, (k * 7 + n) % 11)
    return inorder(root)


class ListNode:
    def __init__(self, val=0, next=None):
        self.val = val
        self.next = next


def merged_lists(n):
    def build(xs):
        dummy = tail = ListNode()
        for x in xs:
            tail.next = ListNode(x)
            tail = tail.next
        return dummy.next

    a, b = build(range(0, n, 2)), build(range(1, n, 3))
    dummy = tail = ListNode()
    while a and b:
        if a.val <= b.val:
            tail.next, a = a, a.next
        else:
            tail.next, b = b, b.next
        tail = tail.next
    tail.next = a or b
    total, p, k = 0, dummy.next, 1
    while p:
        total += k * p.val
        k += 1
        p = p.next
    return total


def two_means(n):
    xs = [1.0, 1.5, 5.0, 5.5 + n, 9.0]
    c = [0.0, 10.0]
    for _ in range(10):
        groups = [[], []]
        for x in xs:
            i = 0 if abs(x - c[0]) <= abs(x - c[1]) else 1
            groups[i].append(x)
        new = [sum(g) / len(g) if g else c[k] for k, g in enumerate(groups)]
        if new == c:
            break
        c = new
    return c


def largest_eigenvalue(n):
    A = np.array([[2.0, 1.0], [1.0, 3.0 + n]])
    v = np.ones(2)
    lam = 0.0
    for it in range(200):
        w = A @ v
        new = np.linalg.norm(w)
        v = w / new
        if abs(new - lam) < 1e-10:
            break
        lam = new
    return round(float(new), 6), it > 0


def derangements(n):
    items = list(range(n % 5))
    count = 0
    for p in itertools.permutations(items):
        if all(p[i] != i for i in range(len(p))):
            count += 1
    return count


def area_of_shape(n):
    shape = ("circle", n) if n % 2 else ("rect", n, n + 1)
    match shape:
        case ("circle", r):
            return 3.0 * r * r
        case ("rect", w, h):
            return 1.0 * w * h


def down_and_up(n):
    def walk(k):
        if k > 0:
            yield from walk(k - 1)
            yield k

    return list(walk(n))


def lengths_of_groups(n):
    return [len(list(g)) for k, g in itertools.groupby([1, 1, 2, 2, 2, n])]


def views_of_a_table(n):
    a = np.arange(6).reshape(2, 3) * n
    b = a.T
    a[0, 1] = 99
    return b[1, 0], a.sum(axis=0)


def determinant(n):
    a = [[4.0, 3.0, n], [6.0, 3.0, 1.0], [n, 1.0, 2.0]]
    det = 1.0
    for i in range(3):
        pivot = max(range(i, 3), key=lambda r: abs(a[r][i]))
        if abs(a[pivot][i]) < 1e-12:
            return 0.0
        if pivot != i:
            a[i], a[pivot] = a[pivot], a[i]
            det = -det
        det *= a[i][i]
        for r in range(i + 1, 3):
            f = a[r][i] / a[i][i]
            for c in range(i, 3):
                a[r][c] -= f * a[i][c]
    return det


SEEDS = [(0,), (1,), (2,), (3,), (5,), (8,)]
CASES = [
    (function, SEEDS)
    for function in (
        longest_without_repeats,
        triples_with_sum_zero,
        run_lengths,
        subsequence_length,
        search_tree,
        merged_lists,
        two_means,
        largest_eigenvalue,
        derangements,
        area_of_shape,
        down_and_up,
        lengths_of_groups,
        views_of_a_table,
        determinant,
    )
]
