"""Finance."""

import math


def compound_interest(principal, rate, years):
    """Yearly, rounded to cents."""
    if principal < 0:
        raise ValueError("principal must not be negative")
    balance = principal
    for _ in range(years):
        balance += balance * rate
    return round(balance, 2)


def years_to_double(rate):
    if rate <= 0:
        raise ValueError("rate must be positive")
    balance, years = 1.0, 0
    while balance < 2.0:
        balance *= 1 + rate
        years += 1
    return years


def monthly_payment(principal, yearly_rate, years):
    months = years * 12
    rate = yearly_rate / 12
    if rate == 0:
        return principal / months
    return principal * rate / (1 - (1 + rate) ** -months)


def remaining_balance(principal, yearly_rate, payment, months):
    rate = yearly_rate / 12
    balance = principal
    month = 0
    while month < months and balance > 0:
        balance = balance * (1 + rate) - payment
        month += 1
    return max(balance, 0.0), month


def present_value(rate, flows):
    return sum(flow / (1 + rate) ** t for t, flow in enumerate(flows))


def internal_rate(flows):
    """By bisection between -90% and 1000%."""
    low, high = -0.9, 10.0

    def value(rate):
        total = 0.0
        for t in range(len(flows)):
            total += flows[t] / (1 + rate) ** t
        return total

    if value(low) * value(high) > 0:
        raise ValueError("the rate is not in the interval")
    while high - low > 1e-9:
        mid = (low + high) / 2
        if value(low) * value(mid) <= 0:
            high = mid
        else:
            low = mid
    return (low + high) / 2


def income_tax(income):
    """In brackets."""
    brackets = [(10_000, 0.0), (30_000, 0.2), (70_000, 0.3)]
    tax = 0.0
    lower = 0
    for upper, rate in brackets:
        if income > upper:
            tax += (upper - lower) * rate
            lower = upper
        else:
            tax += (income - lower) * rate
            return tax
    tax += (income - lower) * 0.45
    return tax


def normal_cdf(x):
    return 0.5 * (1 + math.erf(x / math.sqrt(2)))


def black_scholes_call(spot, strike, rate, sigma, years):
    if sigma <= 0 or years <= 0:
        raise ValueError("sigma and years must be positive")
    d1 = (math.log(spot / strike) + (rate + sigma**2 / 2) * years) / (sigma * math.sqrt(years))
    d2 = d1 - sigma * math.sqrt(years)
    return spot * normal_cdf(d1) - strike * math.exp(-rate * years) * normal_cdf(d2)


def binomial_option(spot, strike, up, rate, steps):
    """An American put on a tree."""
    down = 1 / up
    p = (math.exp(rate) - down) / (up - down)
    values = [max(strike - spot * up**j * down ** (steps - j), 0.0) for j in range(steps + 1)]
    for step in range(steps - 1, -1, -1):
        for j in range(step + 1):
            hold = math.exp(-rate) * (p * values[j + 1] + (1 - p) * values[j])
            exercise = strike - spot * up**j * down ** (step - j)
            values[j] = max(hold, exercise)
    return values[0]


def moving_average(prices, window):
    if window <= 0:
        raise ValueError("window must be positive")
    return [sum(prices[i : i + window]) / window for i in range(len(prices) - window + 1)]


def max_drawdown(prices):
    peak = prices[0]
    worst = 0.0
    for price in prices:
        if price > peak:
            peak = price
        drop = (peak - price) / peak
        if drop > worst:
            worst = drop
    return worst


def make_change(cents):
    """Quarters, dimes, nickels, pennies."""
    if cents < 0:
        raise ValueError("negative amount")
    counts = []
    for coin in (25, 10, 5, 1):
        counts.append(cents // coin)
        cents %= coin
    return counts


def straight_line_depreciation(cost, residual, life):
    if not isinstance(life, int):
        raise TypeError("life must be a number of years")
    if life < 1:
        raise ValueError("life must be at least one year")
    if cost < residual:
        raise ValueError("cost must exceed the residual value")
    yearly = (cost - residual) / life
    return [yearly for _ in range(life)]


PRICES = [
    [10.0, 12.0, 9.0, 11.0, 15.0, 7.5],
    [1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
    [6.0, 5.0, 4.0, 3.0, 2.0, 1.0],
    [8.0, 8.0, 8.0, 8.0, 8.0, 8.0],
    [100.0, 50.0, 75.0, 120.0, 60.0, 90.0],
    [3.5, 4.5, 2.5, 5.5, 1.5, 6.5],
]
FLOWS = [
    [-100.0, 60.0, 60.0],
    [-100.0, 10.0, 110.0],
    [-50.0, 0.0, 100.0],
    [-100.0, 0.0, 50.0],
    [100.0, 100.0, 100.0],
    [-10.0, 7.0, 6.0],
]

CASES = [
    (
        compound_interest,
        [
            (100.0, 0.05, 10),
            (1000.0, 0.0, 5),
            (-1.0, 0.1, 2),
            (250.5, 0.031, 1),
            (1e6, 0.07, 30),
            (10.0, 0.5, 0),
        ],
    ),
    (years_to_double, [(0.05,), (0.1,), (1.0,), (0.0,), (0.072,), (2.0,)]),
    (
        monthly_payment,
        [
            (1000.0, 0.05, 1),
            (200000.0, 0.04, 30),
            (1200.0, 0.0, 1),
            (5000.0, 0.12, 3),
            (1.0, 0.1, 2),
            (100.0, 0.05, 0),
        ],
    ),
    (
        remaining_balance,
        [
            (1000.0, 0.05, 100.0, 5),
            (1000.0, 0.05, 100.0, 50),
            (10.0, 0.0, 20.0, 1),
            (500.0, 0.1, 1.0, 12),
            (0.0, 0.1, 1.0, 3),
            (100.0, 0.2, 10.0, 0),
        ],
    ),
    (present_value, [(0.05, flows) for flows in FLOWS]),
    (internal_rate, [(flows,) for flows in FLOWS]),
    (income_tax, [(5000,), (10000,), (25000,), (50000,), (100000,), (0,)]),
    (
        black_scholes_call,
        [
            (100.0, 100.0, 0.05, 0.2, 1.0),
            (90.0, 100.0, 0.01, 0.3, 0.5),
            (100.0, 90.0, 0.0, 0.1, 2.0),
            (100.0, 100.0, 0.05, 0.0, 1.0),
            (50.0, 60.0, 0.02, 0.5, 1.5),
            (0.0, 100.0, 0.05, 0.2, 1.0),
        ],
    ),
    (
        binomial_option,
        [
            (100.0, 100.0, 1.1, 0.01, 3),
            (100.0, 110.0, 1.2, 0.0, 5),
            (90.0, 100.0, 1.05, 0.02, 0),
            (100.0, 90.0, 1.1, 0.01, 4),
            (50.0, 60.0, 1.3, 0.05, 2),
            (100.0, 100.0, 1.0, 0.01, 3),
        ],
    ),
    (moving_average, [(prices, 3) for prices in PRICES]),
    (max_drawdown, [(prices,) for prices in PRICES]),
    (make_change, [(0,), (99,), (41,), (-1,), (100,), (7,)]),
    (
        straight_line_depreciation,
        [
            (1100.0, 100.0, 4),
            (500.0, 500.0, 2),
            (10.0, 20.0, 3),
            (100.0, 0.0, 0),
            (90.0, 30.0, 6),
            (8.0, 1.0, 1),
        ],
    ),
]
