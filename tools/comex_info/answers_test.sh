#!/bin/sh
# comex_info, and comex_worlds where it is named, from outside: what they print, and one line with status 2 for what
# they cannot understand.
program=$1 worlds=$2
failures=0

# Nothing of the caller's environment but what a test sets.
run() { env -i "$@" 2>&1; }

says() {  # says TEXT [NAME=VALUE...] PROGRAM OPTIONS...
  wanted=$1
  shift
  answer=$(run "$@") || { echo "FAILED (status $?): $*"; failures=$((failures + 1)); }
  case $answer in
    *"$wanted"*) ;;
    *) printf 'NOT SAID by %s: %s\n%s\n' "$*" "$wanted" "$answer"; failures=$((failures + 1)) ;;
  esac
}

refuses() {  # the same, for one line and status 2
  wanted=$1
  shift
  answer=$(run "$@")
  status=$?
  lines=$(printf '%s\n' "$answer" | wc -l)
  case $answer in
    "comex_"*": "*"$wanted"*) found=yes ;;
    *) found=no ;;
  esac
  if [ "$status" -ne 2 ] || [ "$lines" -ne 1 ] || [ "$found" = no ]; then
    printf 'NOT REFUSED (status %s) by %s: %s\n%s\n' "$status" "$*" "$wanted" "$answer"
    failures=$((failures + 1))
  fi
}

says "comex " "$program" --version
says "GA_NUM_PROGRESS_RANKS_PER_NODE = 1   [default]" "$program"
says "COMEX_WAIT = sleep   [environment]" COMEX_WAIT=sleep "$program"
says "COMEX_VERBOSE = 1   [alias]" ARMCI_VERBOSE=y "$program"
says "Accepted, no effect here" "$program"
says '"name": "COMEX_WAIT", "alias": "", "value": "spin", "default": "auto", "source": "environment"' \
  COMEX_WAIT=spin "$program" --json
strange=$(printf 'a\303\251\377\303(\355\240\200')
says '"value": "aé\ufffd\ufffd(\ufffd\ufffd\ufffd"' COMEX_TRACE="$strange" "$program" --json
says "COMEX_WIAT is not a setting; the nearest is COMEX_WAIT" COMEX_WIAT=spin "$program"
says "processor" "$program" --topology

says "group 0: progress rank 2 <== workers 0 (MPI ranks 0)" "$program" --ranks 8 --hosts 2 --progress-ranks 2 --cyclic
says "8 MPI ranks on 2 hosts: 4 workers; 4 progress ranks, cyclic" "$program" --ranks 8 --hosts 2 --progress-ranks 2 --cyclic
says "group 1: progress rank 7 <== workers 1 3 5 (MPI ranks 1 3 5)" "$program" --ranks 8 --progress-ranks 2 --cyclic
says "group 1: progress rank 7 <== workers 3 4 5 (MPI ranks 4 5 6)" "$program" --ranks 8 --progress-ranks 2
says "group 0: progress rank 0 <== workers 0 1 2 (MPI ranks 1 2 3)" \
  "$program" --ranks 8 --progress-ranks 2 --position smallest
says "group 0: progress rank 6 <== workers 0 2 4 (MPI ranks 0 2 4)" "$program" --ranks 8 --hosts 2 --round-robin
says "MPI_COMM_WORLD has 1 rank that never returns to the program" "$program" --ranks 4
says "MPI_COMM_WORLD has 2 ranks that never return to the program" "$program" --ranks 4 --progress-ranks 2
says "(part of machine 0)" "$program" --ranks 8 --virtual-hosts 2
says "no progress rank: each worker serves itself" "$program" --hosts 3,1
says "no progress rank: each worker serves itself" GA_NUM_PROGRESS_RANKS_PER_NODE=0 "$program" --ranks 3
says "10 MPI ranks on 2 hosts" "$program" --ranks 010 --hosts 07,0003
says '"workers": [0, 1, 2, 4, 5, 6]' "$program" --ranks 8 --progress-ranks 2 --json
says "keeps one worker" "$program" --ranks 3 --progress-ranks 1024

refuses "--nonsense" "$program" --nonsense
refuses "--ranks" "$program" --ranks 0
refuses "--ranks" "$program" --ranks many
refuses "--ranks: 0x10 is no decimal number" "$program" --ranks 0x10
refuses "--hosts: 0x4 is no decimal number" "$program" --hosts 4,0x4
refuses "--hosts is 9 but there are only 8 ranks" "$program" --ranks 8 --hosts 9
refuses "--hosts lists 3 ranks but --ranks is 8" "$program" --ranks 8 --hosts 2,1
refuses "a dry run needs --ranks" "$program" --cyclic
refuses "--cyclic" "$program" --ranks 4 --cyclic --packed
refuses "GA_NUM_PROGRESS_RANKS_PER_NODE='1025' is not allowed" "$program" --ranks 4 --progress-ranks 1025
refuses "COMEX_PROGRESS_RANK_POSITION='middle'" "$program" --ranks 4 --position middle
refuses "lists 4 entries" "$program" --ranks 5 --virtual-hosts 0,0,1,1
refuses "COMEX_WAIT='poll'" COMEX_WAIT=poll "$program"
answer=$(env -i "$program" 2>&1 >/dev/full)
status=$?
if [ "$status" -ne 1 ] || [ "$answer" != "comex_info: cannot be printed: No space left on device" ]; then
  echo "FULL DEVICE (status $status): $answer"
  failures=$((failures + 1))
fi
if [ -n "$worlds" ]; then
  for wrong in --nonsense 0 -1 2x 99999999999999999999 ""; do refuses "\"$wrong\"" "$worlds" "$wrong"; done
  refuses "--nonsense" "$worlds" 2 --nonsense
fi

[ "$failures" -eq 0 ] && echo "all answers are as they should be"
exit "$failures"
