"""Words: grades, names of things, counts of words, codes of letters."""

import enum
from collections import Counter, defaultdict


class Suit(enum.Enum):
    CLUBS = "c"
    DIAMONDS = "d"
    HEARTS = "h"
    SPADES = "s"


class Weather(enum.Enum):
    SUNNY = enum.auto()
    RAINY = enum.auto()


def grade(score):
    """The letter of a score of an exam."""
    if score < 0 or score > 100:
        raise ValueError("a score is from 0 to 100")
    for least, letter in ((90, "A"), (80, "B"), (70, "C"), (60, "D")):
        if score >= least:
            return letter
    return "F"


def kind_of_triangle(a, b, c):
    """What a triangle of three sides is called."""
    a, b, c = sorted((a, b, c))
    if a + b <= c:
        return None
    if a == c:
        return "equilateral"
    shape = "isosceles" if a == b or b == c else "scalene"
    if a * a + b * b == c * c:
        return "right"
    return shape


def day_of_week(year, month, day):
    """The name of a day, after Sakamoto."""
    days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    shift = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4]
    if month < 3:
        year -= 1
    return days[(year + year // 4 - year // 100 + year // 400 + shift[month - 1] + day) % 7]


def most_common_word(n):
    """The word that is met most often in a walk around a sentence."""
    sentence = ["the", "cat", "saw", "the", "dog", "and", "the", "dog", "saw", "a", "cat"]
    counts = {}
    place = 0
    for step in range(n):
        word = sentence[place]
        if word in counts:
            counts[word] += 1
        else:
            counts[word] = 1
        place = (place + step) % len(sentence)
    best, most = "", 0
    for word, count in counts.items():
        if count > most:
            best, most = word, count
    return best, most


def first_repeated_suit(seed):
    """The first suit that is drawn twice, and after how many cards."""
    deck = list(Suit)
    drawn = set()
    cards = 0
    while True:
        seed = (seed * 1103515245 + 12345) % 2147483648
        card = deck[seed // 65536 % 4]
        cards += 1
        if card in drawn:
            return card, cards
        drawn.add(card)


def forecast(days, today_rains):
    """The weather of each day of a Markov chain with a fixed stream of numbers."""
    weather = Weather.RAINY if today_rains else Weather.SUNNY
    stream = 17
    seen = []
    for _ in range(days):
        seen.append(weather)
        stream = stream * 75 % 65537
        stays = 60 if weather is Weather.RAINY else 80
        if stream % 100 >= stays:
            weather = Weather.SUNNY if weather is Weather.RAINY else Weather.RAINY
    return seen


def inventory(seed):
    """A shop's stock after a stream of deliveries and sales, by the name of the article."""
    articles = ("apple", "pear", "plum")
    stock = defaultdict(int)
    lost = Counter()
    for _ in range(12):
        seed = seed * 75 % 65537
        article = articles[seed % 3]
        amount = seed // 3 % 5
        if seed % 2:
            stock[article] += amount
        elif amount > stock.get(article, 0):
            lost[article] += 1
        else:
            stock[article] -= amount
    return sum(stock.values()), lost["plum"], len(lost)


def rock_paper_scissors(seed, rounds):
    """Who wins more rounds; the second player answers what the first one has played before."""
    beats = {"rock": "scissors", "paper": "rock", "scissors": "paper"}
    answer = {loser: winner for winner, loser in beats.items()}
    moves = ["rock", "paper", "scissors"]
    second = "rock"
    score = 0
    for _ in range(rounds):
        seed = seed * 75 % 65537
        first = moves[seed % 3]
        if beats[first] == second:
            score += 1
        elif beats[second] == first:
            score -= 1
        second = answer[first]
    return "first" if score > 0 else "second" if score < 0 else "nobody"


def spell_digits(n):
    """The English names of the digits of a number, and the longest one."""
    names = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    spelled = []
    while n > 0:
        spelled.insert(0, names[n % 10])
        n //= 10
    return spelled


def elevator(calls):
    """The state of an elevator after so many ticks, and how often it was in each."""
    state, floor, target = "idle", 0, 0
    spent = {}
    for tick in range(calls):
        spent[state] = spent.get(state, 0) + 1
        if state == "idle":
            target = (tick * 7 + 3) % 5
            state = "up" if target > floor else "down" if target < floor else "open"
        elif state == "open":
            state = "idle"
        else:
            floor += 1 if state == "up" else -1
            if floor == target:
                state = "open"
    return state, floor, spent.get("up", 0), len(spent)


CASES = [
    (grade, [(s,) for s in (100, 93, 81, 70, 64, 12, -3, 101)]),
    (kind_of_triangle, [(1, 1, 1), (3, 5, 4), (2, 2, 3), (4, 5, 6), (1, 2, 9), (5, 13, 12)]),
    (day_of_week, [(2000, 1, 1), (1969, 7, 20), (2024, 2, 29), (1815, 12, 10), (2026, 11, 28),
                   (1582, 10, 15)]),
    (most_common_word, [(n,) for n in (0, 1, 2, 5, 11, 23)]),
    (first_repeated_suit, [(s,) for s in (1, 2, 3, 42, 99, 12345)]),
    (forecast, [(0, True), (1, False), (3, True), (5, True), (8, False), (4, False)]),
    (inventory, [(s,) for s in (1, 2, 3, 42, 99, 12345)]),
    (rock_paper_scissors, [(1, 5), (2, 8), (3, 0), (42, 9), (99, 20), (7, 1)]),
    (spell_digits, [(n,) for n in (0, 7, 10, 42, 907, 31415)]),
    (elevator, [(n,) for n in (0, 1, 2, 5, 12, 30)]),
]  # fmt: skip
