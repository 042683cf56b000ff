#!/bin/bash
# jobs_test.sh COMEXRUN HELLO: real jobs by comexrun have as many workers as it was asked for.
set -u
comexrun=$1 hello=$2 failures=0
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
COMEXRUN_DIR=$(mktemp -d) || exit 1
export COMEXRUN_DIR
trap 'rm -r "$COMEXRUN_DIR"' EXIT
unset GA_NUM_PROGRESS_RANKS_PER_NODE COMEX_VIRTUAL_HOSTS

workers() {  # workers N OPTION...: N processes of hello are right
  local wanted=$1 said
  shift
  said=$(timeout -k 5 30 "$comexrun" --oversubscribe "$@" "$hello" 2>&1)
  [ $? -eq 0 ] && [ "$(grep -c "^worker [0-9]* of $wanted: .*right$" <<<"$said")" = "$wanted" ] && return
  printf 'WRONG: comexrun %s has not %s workers:\n%s\n' "$*" "$wanted" "$said"
  failures=$((failures + 1))
}
workers 3 -n 3
workers 2 -n 2 --progress-ranks 0
workers 4 -n 4 --virtual-hosts 2 --progress-ranks 2 --cyclic
workers 3 -n 3 --check
workers 3 -n 3 --check --virtual-hosts 2
workers 2 -n 2 --bind --host localhost:3
[ "$failures" -eq 0 ]
