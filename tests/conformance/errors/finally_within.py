stage = "lower"


def program(n):
    total = 0
    try:
        total += 1 // n
    finally:
        try:
            total += 2 // n
        finally:
            try:
                total += 3 // n
            finally:
                try:
                    total += 4 // n
                finally:
                    total += 5
    return total
