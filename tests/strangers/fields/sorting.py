"""Sorting."""


def bubble_sort(values):
    n = len(values)
    for i in range(n):
        swapped = False
        for j in range(n - 1 - i):
            if values[j] > values[j + 1]:
                values[j], values[j + 1] = values[j + 1], values[j]
                swapped = True
        if not swapped:
            break
    return values


def selection_sort(values):
    values = list(values)
    for i in range(len(values) - 1):
        smallest = i
        for j in range(i + 1, len(values)):
            if values[j] < values[smallest]:
                smallest = j
        if smallest != i:
            values[i], values[smallest] = values[smallest], values[i]
    return values


def insertion_sort(values):
    for i in range(1, len(values)):
        key = values[i]
        j = i - 1
        while j >= 0 and values[j] > key:
            values[j + 1] = values[j]
            j -= 1
        values[j + 1] = key
    return values


def shell_sort(values):
    gap = len(values) // 2
    while gap > 0:
        for i in range(gap, len(values)):
            temp = values[i]
            j = i
            while j >= gap and values[j - gap] > temp:
                values[j] = values[j - gap]
                j -= gap
            values[j] = temp
        gap //= 2
    return values


def merge(left, right):
    """Merge two sorted lists."""
    result = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            result.append(left[i])
            i += 1
        else:
            result.append(right[j])
            j += 1
    result.extend(left[i:])
    result.extend(right[j:])
    return result


def merge_sort(values):
    if len(values) <= 1:
        return values
    mid = len(values) // 2
    return merge(merge_sort(values[:mid]), merge_sort(values[mid:]))


def quick_sort(values):
    if len(values) <= 1:
        return values
    pivot = values[0]
    less = [v for v in values[1:] if v < pivot]
    more = [v for v in values[1:] if v >= pivot]
    return quick_sort(less) + [pivot] + quick_sort(more)


def partition(values, low, high):
    pivot = values[high]
    i = low - 1
    for j in range(low, high):
        if values[j] <= pivot:
            i += 1
            values[i], values[j] = values[j], values[i]
    values[i + 1], values[high] = values[high], values[i + 1]
    return i + 1


def quick_sort_in_place(values, low, high):
    if low < high:
        p = partition(values, low, high)
        quick_sort_in_place(values, low, p - 1)
        quick_sort_in_place(values, p + 1, high)
    return values


def heapify(heap, n, root):
    largest = root
    left = 2 * root + 1
    right = 2 * root + 2
    if left < n and heap[left] > heap[largest]:
        largest = left
    if right < n and heap[right] > heap[largest]:
        largest = right
    if largest != root:
        heap[root], heap[largest] = heap[largest], heap[root]
        heapify(heap, n, largest)


def heap_sort(values):
    n = len(values)
    for i in range(n // 2 - 1, -1, -1):
        heapify(values, n, i)
    for end in range(n - 1, 0, -1):
        values[0], values[end] = values[end], values[0]
        heapify(values, end, 0)
    return values


def counting_sort(values):
    low, high = min(values), max(values)
    counts = [0] * (high - low + 1)
    for v in values:
        counts[v - low] += 1
    result = []
    for i, c in enumerate(counts):
        result.extend([i + low] * c)
    return result


def radix_sort(values):
    if any(v < 0 for v in values):
        raise ValueError("only non-negative numbers can be sorted")
    place = 1
    while max(values) // place > 0:
        buckets = [[] for _ in range(10)]
        for v in values:
            buckets[v // place % 10].append(v)
        values = [v for bucket in buckets for v in bucket]
        place *= 10
    return values


def comb_sort(values):
    gap = len(values)
    done = False
    while not done:
        gap = int(gap / 1.3)
        if gap <= 1:
            gap = 1
            done = True
        for i in range(len(values) - gap):
            if values[i] > values[i + gap]:
                values[i], values[i + gap] = values[i + gap], values[i]
                done = False
    return values


def gnome_sort(values):
    i = 0
    while i < len(values):
        if i == 0 or values[i] >= values[i - 1]:
            i += 1
        else:
            values[i], values[i - 1] = values[i - 1], values[i]
            i -= 1
    return values


def count_inversions(values):
    return sum(
        1 for i in range(len(values)) for j in range(i + 1, len(values)) if values[i] > values[j]
    )


def dutch_flag(colors):
    """Sort a list of 0, 1 and 2 in one pass."""
    low, mid, high = 0, 0, len(colors) - 1
    while mid <= high:
        if colors[mid] == 0:
            colors[low], colors[mid] = colors[mid], colors[low]
            low += 1
            mid += 1
        elif colors[mid] == 1:
            mid += 1
        elif colors[mid] == 2:
            colors[mid], colors[high] = colors[high], colors[mid]
            high -= 1
        else:
            raise ValueError("colors must be 0, 1 or 2")
    return colors


def median(values):
    if not values:
        raise ValueError("empty list")
    ordered = sorted(values)
    mid, odd = divmod(len(ordered), 2)
    return ordered[mid] if odd else (ordered[mid - 1] + ordered[mid]) / 2


LISTS = [
    ([5, 2, 9, 1, 7, 3],),
    ([1, 2, 3, 4, 5, 6],),
    ([6, 5, 4, 3, 2, 1],),
    ([2, 2, 1, 1, 2, 1],),
    ([0, -3, 8, -3, 12, 4],),
    ([7, 7, 7, 7, 7, 7],),
]
FLOATS = [
    ([0.5, -1.25, 3.0, 2.75, 2.5],),
    ([1.0, 2.0, 3.0, 4.0, 5.0],),
    ([9.5, 8.5, 7.5, -6.5, -5.5],),
    ([0.0, 0.0, 1.5, -1.5, 0.0],),
    ([1e10, 1e-10, 0.1, -1e3, 7.0],),
    ([2.25, 2.25, 2.0, 2.5, 2.0],),
]

CASES = [
    (bubble_sort, LISTS),
    (selection_sort, FLOATS),
    (insertion_sort, LISTS),
    (shell_sort, FLOATS),
    (
        merge,
        [
            ([1, 4, 9], [2, 3, 10, 11]),
            ([1, 2, 3], [4, 5, 6, 7]),
            ([5, 6, 7], [1, 2, 3, 4]),
            ([1, 1, 1], [1, 1, 1, 1]),
            ([-5, 0, 5], [-6, -1, 1, 6]),
            ([0, 8, 9], [0, 0, 8, 10]),
        ],
    ),
    (merge_sort, LISTS),
    (quick_sort, LISTS),
    (quick_sort_in_place, [(values, 0, len(values) - 1) for (values,) in LISTS]),
    (heap_sort, LISTS),
    (counting_sort, LISTS),
    (radix_sort, LISTS),
    (comb_sort, FLOATS),
    (gnome_sort, LISTS),
    (count_inversions, LISTS),
    (
        dutch_flag,
        [
            ([2, 0, 1, 0, 2],),
            ([0, 0, 1, 1, 2],),
            ([2, 2, 2, 2, 2],),
            ([1, 3, 0, 2, 1],),
            ([2, 1, 0, 2, 1],),
            ([0, 1, 2, 0, 1],),
        ],
    ),
    (median, LISTS),
]
