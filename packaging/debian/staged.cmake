# Run by cpack before it makes packages of what it has installed: it makes the prefix in each, and the examples belong to no MPI.
file(REMOVE_RECURSE ${CPACK_TEMPORARY_DIRECTORY}/examples/usr/lib)
