"""Does what a chapter says hold with other seeds, and on other computers?

A notebook runs several times, each time with something moved, and what its checks find is
compared. ``make shake`` moves every seed: a cell tagged ``claim`` has to hold each time, what
other checks report of one run may fall. ``make elsewhere`` moves the arithmetic, as another
processor does: every check has to hold.

========== ============================================================================
shake      the command: which notebooks, how many shifts, what is printed
elsewhere  the command: older processors, last bits, threads
runs       notebooks run beside each other, and what fell in each
run        one notebook with something moved, in a process of its own
statements a cell's code with its checks recorded instead of raised
seeds      sources of chance that move the seeds they are given
last_bits  numbers that differ in their last bits, as those of another processor do
arm.sh     the notebooks on 64-bit Arm, emulated
========== ============================================================================
"""
