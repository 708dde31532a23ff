"""Calendars and clocks."""


def is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_in_month(year, month):
    if month < 1 or month > 12:
        raise ValueError("month must be in 1..12")
    if month == 2:
        return 29 if is_leap(year) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def day_of_year(year, month, day):
    days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    if is_leap(year):
        days[1] = 29
    return sum(days[: month - 1]) + day


def zeller(year, month, day):
    """The day of the week, 0 for Saturday."""
    if not 1 <= month <= 12:
        raise ValueError("no such month")
    if month < 3:
        month += 12
        year -= 1
    k = year % 100
    j = year // 100
    return (day + 13 * (month + 1) // 5 + k + k // 4 + j // 4 + 5 * j) % 7


def easter(year):
    """Gauss and others: month and day."""
    a = year % 19
    b, c = divmod(year, 100)
    d, e = divmod(b, 4)
    f = (b + 8) // 25
    g = (b - f + 1) // 3
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    l = (32 + 2 * e + 2 * i - h - k) % 7  # noqa: E741
    m = (a + 11 * h + 22 * l) // 451
    month, day = divmod(h + l - 7 * m + 114, 31)
    return month, day + 1


def julian_day(year, month, day):
    a = (14 - month) // 12
    y = year + 4800 - a
    m = month + 12 * a - 3
    return day + (153 * m + 2) // 5 + 365 * y + y // 4 - y // 100 + y // 400 - 32045


def days_between(y1, m1, d1, y2, m2, d2):
    def days_since_zero(y, m, d):
        days = d
        for month in range(1, m):
            days += days_in_month(y, month)
        return days + 365 * y + (y - 1) // 4 - (y - 1) // 100 + (y - 1) // 400

    return abs(days_since_zero(y2, m2, d2) - days_since_zero(y1, m1, d1))


def add_days(year, month, day, count):
    while count > 0:
        day += 1
        if day > days_in_month(year, month):
            day = 1
            month += 1
            if month > 12:
                month = 1
                year += 1
        count -= 1
    return year, month, day


def seconds_to_clock(seconds):
    if not isinstance(seconds, int) or isinstance(seconds, bool):
        raise TypeError("seconds must be an integer")
    if seconds < 0:
        raise ValueError("seconds must not be negative")
    minutes, s = divmod(seconds, 60)
    hours, m = divmod(minutes, 60)
    return hours % 24, m, s


def clock_angle(hour, minute):
    if hour < 0 or hour > 23 or minute < 0 or minute > 59:
        raise ValueError("no such time")
    h = (hour % 12) * 30 + minute * 0.5
    m = minute * 6
    angle = abs(h - m)
    return min(angle, 360 - angle)


def sundays_on_first(year):
    """How many months of a year begin on a Sunday."""
    return len([month for month in range(1, 13) if zeller(year, month, 1) == 1])


def valid_date(year, month, day):
    try:
        limit = days_in_month(year, month)
    except ValueError:
        return False
    return 1 <= day <= limit


def meeting_rooms(starts, ends):
    """The rooms that meetings need at the same time."""
    starts = sorted(starts)
    ends = sorted(ends)
    rooms = best = 0
    i = j = 0
    while i < len(starts):
        if starts[i] < ends[j]:
            rooms += 1
            i += 1
            best = max(best, rooms)
        else:
            rooms -= 1
            j += 1
    return best


DATES = [(2024, 2, 29), (2023, 12, 31), (1900, 3, 1), (2000, 1, 1), (1999, 7, 15), (2016, 10, 9)]

CASES = [
    (is_leap, [(2000,), (1900,), (2024,), (2023,), (4,), (2100,)]),
    (days_in_month, [(2024, 2), (2023, 2), (2023, 12), (2023, 13), (2023, 4), (2023, 0)]),
    (day_of_year, DATES),
    (zeller, [*DATES, (2020, 13, 1)]),
    (easter, [(2024,), (2023,), (1999,), (2000,), (2038,), (1818,)]),
    (julian_day, DATES),
    (days_between, [(*a, *b) for a, b in zip(DATES, DATES[1:] + DATES[:1])]),
    (add_days, [(*date, count) for date, count in zip(DATES, (1, 1, 40, 0, 365, 100))]),
    (seconds_to_clock, [(0,), (59,), (3661,), (86399,), (-1,), (100000,)]),
    (clock_angle, [(3, 0), (12, 30), (23, 59), (24, 0), (6, 15), (0, 60)]),
    (sundays_on_first, [(1900,), (2000,), (2015,), (2023,), (2024,), (1999,)]),
    (valid_date, [*DATES, (2023, 2, 29), (2023, 13, 1), (2023, 4, 0)]),
    (
        meeting_rooms,
        [
            ([0, 5, 15], [30, 10, 20]),
            ([7, 2, 4], [10, 4, 6]),
            ([1, 1, 1], [2, 2, 2]),
            ([1, 2, 3], [2, 3, 4]),
            ([0, 0, 9], [9, 5, 10]),
            ([5, 1, 8], [9, 9, 9]),
        ],
    ),
]
