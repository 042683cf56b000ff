#!/bin/bash
# comexrun from outside, with an mpirun that says what it was given and stays until it is told to end.
program=$1
failures=0
place=$(mktemp -d) || exit 1
trap 'rm -r "$place"' EXIT
mkdir "$place/bin" "$place/locks"
cat >"$place/bin/mpirun" <<'TEXT'
#!/bin/sh
[ "$1" != --version ] || { echo "${LAUNCHER:-mpirun (Open MPI) 4}"; exit; }
echo "${COMEX_MANAGER:-none}: $*"
[ -z "$FIFO" ] || read -r _ <"$FIFO"
exit "${STATUS:-0}"
TEXT
chmod +x "$place/bin/mpirun"
export PATH=$place/bin:$PATH COMEXRUN_DIR=$place/locks
unset COMEX_MANAGER FIFO STATUS

is() {  # is WANTED FOUND WHAT
  [ "$1" = "$2" ] && return
  printf 'WRONG: %s is "%s", must be "%s"\n' "$3" "$2" "$1"
  failures=$((failures + 1))
}

is "1: -x COMEX_MANAGER -np 2 a 'b  c'" "$("$program" -np 2 a "'b  c'")" "what mpirun is given"
is "77: -x COMEX_MANAGER a" "$(COMEX_MANAGER=77 "$program" a)" "a number that is set"
is "none: -x COMEX_MANAGER=5 a" "$("$program" -x COMEX_MANAGER=5 a)" "a number that mpirun is given"
is "1: -np 2 a" "$(LAUNCHER='HYDRA build details:' "$program" -np 2 a)" "what hydra is given"
is "none: -genv COMEX_MANAGER 5 a" "$("$program" -genv COMEX_MANAGER 5 a)" "a number that hydra is given"
STATUS=7 "$program" a >/dev/null
is 7 $? "the status of mpirun"

# Two that run at once, a third one beside them, and one that comes when the first has ended.
mkfifo "$place/first" "$place/second"
FIFO=$place/first "$program" a >"$place/out1" &
first=$!
until [ -s "$place/out1" ]; do sleep 0.01; done
FIFO=$place/second "$program" b >"$place/out2" &
second=$!
until [ -s "$place/out2" ]; do sleep 0.01; done
is "1: -x COMEX_MANAGER a" "$(cat "$place/out1")" "the first launch"
is "2: -x COMEX_MANAGER b" "$(cat "$place/out2")" "a launch beside it"
is "3: -x COMEX_MANAGER c" "$("$program" c)" "a launch beside both"
kill -KILL "$first"
wait "$first" 2>/dev/null
is "1: -x COMEX_MANAGER d" "$("$program" d)" "a launch after one was killed"
echo >"$place/second"
wait "$second"
is 0 $? "the end of the second launch"

answer=$("$program" 2>&1)
is 2 $? "the status without arguments"
case $answer in Usage:*) ;; *) is "a usage" "$answer" "the answer without arguments" ;; esac
answer=$(COMEXRUN_DIR=$place/none "$program" a 2>&1)
is 2 $? "the status without a folder"
is "comexrun: COMEXRUN_DIR=$place/none is not a folder that can be written to" "$answer" "the answer without a folder"
# All numbers are taken by this shell.
for ((number = 1; number <= 255; ++number)); do
  exec {lock}>"$place/locks/manager-$number"
  flock "$lock"
done
answer=$("$program" a 2>&1)
is 2 $? "the status where all numbers are taken"
case $answer in "comexrun: all numbers"*) ;; *) is "all numbers are taken" "$answer" "the answer where they are" ;; esac
[ "$failures" -eq 0 ]
