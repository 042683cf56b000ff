"""Sums of three dice by a Monte Carlo experiment: workers draw tasks from a counter, throw, and accumulate what they saw
into a histogram that is spread over all of them.

    comexrun -n 3 python3 dice.py [TASKS]
"""
import sys

import numpy as np

import comex

tasks = int(sys.argv[1]) if len(sys.argv) > 1 else 200
throws = 10_000  # in a task

# %% Start. Progress ranks stay in here and serve the others; the end of the program ends the runtime.
comex.init()
world = comex.world()

# %% Sums from 0 to 18, dealt to the workers in blocks, and a counter that all draw from.
histogram = comex.Array(19, "int64")
histogram.local[:] = 0
counter = comex.Counter()  # a barrier too

# %% While the sums of one task are on their way, the next one is drawn and thrown.
done, sent = 0, None
while (task := counter.fetch_add()) < tasks:
    dice = np.random.default_rng(task).integers(1, 7, (throws, 3))
    seen = np.bincount(dice.sum(axis=1), minlength=19)
    if sent is not None:
        sent.wait()
    sent = histogram.accumulate_async(..., seen)
    done += 1
print(f"worker {world.rank} of {world.size} did {done} of {tasks} tasks", flush=True)
world.barrier()  # waits for what is on its way: now all of it is there, for everybody

# %% Worker 0 looks at all of it.
is_right = True
if world.rank == 0:
    found = histogram[...] / (tasks * throws)
    one = np.array([0] + [1 / 6] * 6)
    expected = np.convolve(np.convolve(one, one), one)
    for total in range(3, 19):
        print(f"{total:3} {found[total]:7.4f} {expected[total]:7.4f} {'#' * round(200 * found[total])}")
    is_right = histogram[...].sum() == tasks * throws and np.abs(found - expected).max() < 0.01
    print("right" if is_right else "WRONG")
world.barrier()
sys.exit(0 if is_right else 1)
