# Shared by tools/quickstart and tools/check: what a machine must have, how it is installed, how we build.
# Sourced, not run; the caller has set top= to the top of the sources.
# shellcheck shell=bash

# Debian package, then how to tell that it is there: a command, or a header or library below the usual places.
needed_packages() {
  cat <<'END'
g++              command g++
cmake            command cmake
ninja-build      command ninja
pkg-config       command pkg-config
python3          command python3
libhwloc-dev     header  hwloc.h
libgtest-dev     header  gtest/gtest.h
libcli11-dev     header  CLI/CLI.hpp
libfmt-dev       header  fmt/core.h
END
}
packages_of_openmpi() {
  cat <<'END'
openmpi-bin      command mpirun.openmpi
libopenmpi-dev   command mpicc.openmpi
END
}
packages_of_mpich() {
  cat <<'END'
mpich            command mpirun.mpich
libmpich-dev     command mpicc.mpich
END
}
packages_of_the_check() {
  packages_of_the_site
  cat <<'END'
binutils         command readelf
clang            command clang++
libclang-rt-14-dev       library clang/14/lib/linux
abigail-tools    command abidw
help2man         command help2man
mandoc           command mandoc
ccache           command ccache
iproute2         command ip
util-linux       command nsenter
procps           command pgrep
gfortran         command gfortran
make             command make
libdw-dev        header  elfutils/libdwfl.h
libncurses-dev   header  ncurses.h
nlohmann-json3-dev       header nlohmann/json.hpp
pybind11-dev     header  pybind11/pybind11.h
python3-dev      command python3-config
python3-numpy    library python3/dist-packages/numpy
python3-mpi4py   library python3/dist-packages/mpi4py
python3-rich     library python3/dist-packages/rich
libpng-dev       header  png.h
libglobalarrays-dev      header ga.h
libarmci-mpi-dev         library libarmci-openmpi.a
libblas-dev              library libblas.so
liblapack-dev            library liblapack.so
libscalapack-openmpi-dev library libscalapack-openmpi.so
libscalapack-mpich-dev library libscalapack-mpich.so
END
}
packages_of_the_site() {
  cat <<'END'
mkdocs           command mkdocs
mkdocs-material  library ../share/mkdocs/themes/material
python3-pymdownx library python3/dist-packages/pymdownx
END
}
packages_of_the_long_check() {
  cat <<'END'
clang-format     command clang-format
clang-tidy       command clang-tidy
slurm-wlm        command slurmctld
munge            command munged
mmdebstrap       command mmdebstrap
lintian          command lintian
valgrind         command valgrind
dpkg-dev         command dpkg-shlibdeps
END
}
packages_of_the_coverage() {
  cat <<'END'
gcovr            command gcovr
END
}

# step TITLE: says which of the $steps steps begins.
at_step=0
step() { printf '\n== %s of %s: %s (%s s)\n' "$((++at_step))" "$steps" "$1" "$SECONDS"; }

# progress: reads what ninja or ctest print, and shows how far they are: a bar on a terminal, else a line with each tenth.
progress() {
  local line bar=######################################## tenth=0
  while IFS= read -r line; do
    [[ $line =~ ^\ *\[?([0-9]+)/([0-9]+) ]] || continue
    if [ -t 1 ]; then
      printf '\r[%-40s] %s of %s' "${bar:0:40*BASH_REMATCH[1]/BASH_REMATCH[2]}" "${BASH_REMATCH[@]:1:2}"
    elif [ $((10 * BASH_REMATCH[1] / BASH_REMATCH[2])) -gt "$tenth" ]; then
      tenth=$((10 * BASH_REMATCH[1] / BASH_REMATCH[2]))
      printf '   %s of %s (%s s)\n' "${BASH_REMATCH[@]:1:2}" "$SECONDS"
    fi
  done
  [ ! -t 1 ] || printf '\r\033[K'
}
fail() { printf '%s: %s\n' "$(basename "$0")" "$1" >&2; exit "${2:-1}"; }

is_there() {  # is_there command|header|library NAME
  local place
  [ "$1" = command ] && { command -v "$2" > /dev/null; return; }
  for place in /usr/include /usr/local/include /usr/include/*-linux-gnu /usr/lib/*/openmpi/include /usr/lib \
    /usr/local/lib /usr/lib/*-linux-gnu; do
    [ -e "$place/$2" ] && return
  done
  return 1
}

missing() {  # reads a table, prints the packages that are not there
  local package kind name
  while read -r package kind name; do
    is_there "$kind" "$name" || echo "$package"
  done
}

# ready_machine INSTALL TABLE...: installs what is missing of the tables, or lists it and ends with status 2.
ready_machine() {
  local install=$1 table wanted=() package
  shift
  for table in "$@"; do
    while read -r package; do wanted+=("$package"); done < <("$table" | missing)
  done
  [ ${#wanted[@]} -eq 0 ] && return
  local line="apt-get install -y --no-install-recommends ${wanted[*]}" why=
  [ "$install" = yes ] || why="--no-install was given"
  [ -n "$why" ] || [ "$(id -u)" -eq 0 ] || why="only root can install"
  [ -n "$why" ] || command -v apt-get > /dev/null || why="there is no apt-get"
  if [ -n "$why" ]; then
    printf 'Missing (%s):\n' "$why"
    printf '  %s\n' "${wanted[@]}"
    printf 'On Debian 12, as root: apt-get update && %s\n' "$line"
    exit 2
  fi
  printf 'Missing: %s\n+ apt-get update && %s\n' "${wanted[*]}" "$line"
  export DEBIAN_FRONTEND=noninteractive
  # shellcheck disable=SC2086
  { apt-get update -qq && $line; } < /dev/null || fail "apt-get failed" 2
}

# Root may run Open MPI, and ranks may outnumber cores.
allow_small_machines() {
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
}

# build PRESET [-DOPTION...] TARGET...: configures build/PRESET, warnings as errors, and builds the targets (or everything).
build() {
  local preset=$1 options=(-DCOMEX_WERROR=ON) log
  shift
  while [[ ${1-} == -D* ]]; do
    options+=("$1")
    shift
  done
  # A cached object may come from another clone, and may have used a precompiled header.
  export CCACHE_BASEDIR=$top CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros
  command -v ccache > /dev/null && options+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_C_COMPILER_LAUNCHER=ccache)
  log=$top/build/$preset.log
  mkdir -p "$top/build"
  (cd "$top" && cmake --preset "$preset" "${options[@]}" > "$log" 2>&1) || { cat "$log"; fail "configuring failed"; }
  cmake --build "$top/build/$preset" -j "$(nproc)" ${1:+--target "$@"} 2>&1 | tee "$log" | progress
  [ "${PIPESTATUS[0]}" -eq 0 ] ||
    { grep -vE '^\[[0-9]+/[0-9]+\]' "$log" | head -n 100; fail "building $preset failed; all of it is in $log"; }
}
