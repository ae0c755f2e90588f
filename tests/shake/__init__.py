"""``make shake``: does what a chapter says hold with other seeds?

A notebook runs several times, every seed in it moved by the same amount, and what its checks
find is compared. A cell tagged ``claim`` has to hold each time; what other checks report of
one run may fall, and is listed.

======== ==============================================================================
__main__ the command: which notebooks, how many shifts, what is printed
shifted  a cell's code with its seeds moved and its checks recorded instead of raised
run      one notebook under one shift, in a process of its own
======== ==============================================================================
"""
