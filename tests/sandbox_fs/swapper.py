"""Run by `test_races.py`: exchanges pairs of names as fast as it can until its input ends, then prints how often.

python swapper.py ROOT NAME OTHER [NAME OTHER …]
"""

import ctypes
import os
import select
import sys

folder = os.open(sys.argv[1], os.O_RDONLY)
names = [os.fsencode(name) for name in sys.argv[2:]]
pairs = list(zip(names[::2], names[1::2], strict=True))
rename = ctypes.CDLL(None, use_errno=True).renameat2
swaps = 0
print("ready", flush=True)
while not select.select([0], [], [], 0)[0]:
    for name, other in pairs * 20:
        swaps += rename(folder, name, folder, other, 2) == 0  # RENAME_EXCHANGE: both names stand all the time
if swaps % 2:
    rename(folder, *pairs[0][:1], folder, pairs[0][1], 2)
print(swaps)
